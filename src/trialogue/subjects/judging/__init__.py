"""Findings about systems from a judge, from human labels, and from both combined."""
