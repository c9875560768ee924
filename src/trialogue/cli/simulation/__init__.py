"""Commands for agents and simulated users."""
