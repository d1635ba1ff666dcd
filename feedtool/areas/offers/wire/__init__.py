"""The service's routes for offers: calls and answers."""
