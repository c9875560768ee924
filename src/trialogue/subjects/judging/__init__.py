"""Judges: systems by their scores, by human labels and by both; the report card of a judge, and probes for its biases."""
