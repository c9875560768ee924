"""Enumerations used in records: acts, strategies, endings, origins, roles."""
