"""Evaluate systems, show the result in Python, and write the report."""
