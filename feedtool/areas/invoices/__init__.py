"""Invoices of orders: files that the seller has, sent to the orders that they are named after."""
