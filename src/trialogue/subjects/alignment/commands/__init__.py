"""Behavior Alignment of several systems: labels, baselines, weights, trust."""
