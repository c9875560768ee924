"""Compare two versions of a system, from runs or from data."""
