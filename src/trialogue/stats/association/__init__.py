"""How two scores go together: correlation, AUC, and which of two goes better with a third."""
