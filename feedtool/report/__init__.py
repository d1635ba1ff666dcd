"""What happened, told as text, JSON, CSV or HTML."""
