"""Simulated users: agendas, preferences, interaction models, and fitting."""
