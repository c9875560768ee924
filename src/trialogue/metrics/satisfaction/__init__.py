"""Satisfaction estimation: features, weights and domain."""
