"""A release that does not exist yet."""
