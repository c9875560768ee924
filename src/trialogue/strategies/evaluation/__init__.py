"""Evaluation of strategy models: protocols, folds, pairs, and coverage of the taxonomy."""
