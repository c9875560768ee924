"""Figures of alignment and of mixtures of labels."""
