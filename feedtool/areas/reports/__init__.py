"""The service's reports: sales summaries and transactions."""
