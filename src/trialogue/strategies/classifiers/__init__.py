"""Classifiers of single sentences."""
