"""Commands about agents and simulated users."""
