"""Text metrics of replies."""
