"""Sample sizes for comparisons."""
