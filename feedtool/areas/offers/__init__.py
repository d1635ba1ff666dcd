"""Offers: packages of offer requests, and the offers themselves."""
