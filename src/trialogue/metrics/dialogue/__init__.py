"""Dialogue-level metrics: length, endings, latency, success, style."""
