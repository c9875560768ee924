"""Where alignment is won and lost, and whether a metric differentiates."""
