"""Participant pages: URLs, views, and the content of each step."""
