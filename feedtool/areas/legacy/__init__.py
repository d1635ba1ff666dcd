"""Offers in a legacy zip with an Offers.xml."""
