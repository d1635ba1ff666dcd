"""The service's routes for products: calls, and what their answers mean."""
