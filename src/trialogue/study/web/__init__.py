"""What every page stands on: who is there and from where, rate limits, headers, sessions, errors, logs and health."""
