"""Discussions: what customers and the operator's support write, and what the seller answers."""
