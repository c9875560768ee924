"""Web infrastructure: participant sessions, client addresses, rate limits, headers, errors, logs and health."""
