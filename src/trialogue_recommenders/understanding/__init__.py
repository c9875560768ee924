"""Understanding of user utterances from text alone."""
