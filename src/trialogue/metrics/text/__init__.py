"""Metrics of the wording of replies."""
