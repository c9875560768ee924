"""``trialogue study``: each word in a module of its own."""
