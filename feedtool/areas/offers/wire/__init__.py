"""The service's routes for offers: calls, and what their answers mean."""
