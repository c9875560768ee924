"""``trialogue strategies``: each word in a module of its own."""
