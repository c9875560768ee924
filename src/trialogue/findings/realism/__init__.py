"""Simulated users beside real ones."""
