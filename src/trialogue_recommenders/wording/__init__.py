"""How the recommenders say things, in the words of any domain."""
