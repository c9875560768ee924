"""Boards of many runs: read them, pool versions, and write the page."""
