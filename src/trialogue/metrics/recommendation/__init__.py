"""Metrics of what is recommended, when, and whether it is accepted."""
