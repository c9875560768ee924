"""Plan studies and comparisons from data that exist."""
