"""Scores by the thousand: as columns in memory, and as blocks in a file."""
