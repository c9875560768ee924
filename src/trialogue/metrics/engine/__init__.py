"""Measurement engine: all metrics in one pass over conversations, with running totals, resampling and intervals."""
