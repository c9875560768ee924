"""Columnar storage of many scores, in memory and in files."""
