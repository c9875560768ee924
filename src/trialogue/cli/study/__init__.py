"""``trialogue study``: plan a study, run its server, recruit, and analyse what people said."""
