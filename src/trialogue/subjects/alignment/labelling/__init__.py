"""Plan, collect and read human strategy labels."""
