"""Behavior Alignment: labels of people and of models, what more of them are worth, and differentiation of metrics."""
