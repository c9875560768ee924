"""Learned impressions of replies and dialogues: features, fit and metrics."""
