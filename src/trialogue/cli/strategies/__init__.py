"""``trialogue strategies``: label utterances, train and evaluate models, predict the next strategy."""
