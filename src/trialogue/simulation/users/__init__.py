"""Simulated users: agenda, preferences, interaction models, and how they are fitted."""
