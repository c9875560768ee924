"""Trialogue: find out whether a conversational recommender is any good, measured, simulated and judged."""

__version__ = "0.1.0"
