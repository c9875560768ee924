"""What an experiment will take, before it is run: time, calls, tokens, cost."""
