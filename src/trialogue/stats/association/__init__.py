"""Association of two scores: correlation, AUC, and the difference of two associations."""
