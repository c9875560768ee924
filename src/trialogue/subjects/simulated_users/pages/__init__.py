"""Pages about simulated users: their passport, and their realism."""
