"""Realism: comparison of simulated with real users."""
