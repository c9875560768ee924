"""Behavior Alignment, explicit and implicit, and its baselines."""
