"""What a user has just said, from the text alone."""
