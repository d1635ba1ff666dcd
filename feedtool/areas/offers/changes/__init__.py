"""Offers compared with what the service last accepted: what changed, and what a guard holds."""
