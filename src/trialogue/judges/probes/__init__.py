"""Bias probes of judges: pairs of questions that differ in one thing which should, or should not, change the score."""
