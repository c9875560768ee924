"""A release that does not exist yet, and should not."""
