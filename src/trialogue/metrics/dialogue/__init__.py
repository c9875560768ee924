"""Metrics of whole dialogues: length, endings, latency, success, style."""
