"""Orders, their shipments, cancellations and commercial gestures."""
