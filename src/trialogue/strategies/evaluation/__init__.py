"""How good models of strategies are: protocols, folds, pairs, and coverage of the taxonomy."""
