"""Render documents and figures: page, terminal, CSV, JSON, LaTeX, SVG. A subject says what; here is how.

It computes nothing beyond what a figure needs; every number comes from findings. A page loads nothing and runs no script.
"""
