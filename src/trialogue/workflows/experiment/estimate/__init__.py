"""Resource estimates of an experiment before it runs: time, calls, tokens, cost."""
