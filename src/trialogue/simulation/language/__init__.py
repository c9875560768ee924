"""Natural language understanding and generation of simulated users."""
