"""Closed lists that records are written with: acts, strategies, endings, origins, roles."""
