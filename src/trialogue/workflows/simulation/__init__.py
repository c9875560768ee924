"""Simulations with users and agents by name, and realism of the users."""
