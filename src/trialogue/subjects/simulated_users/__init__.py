"""Passport of simulated users: six parts of validity evidence, never aggregated into one number."""
