"""Simulated users and agents by name, and how real the users are."""
