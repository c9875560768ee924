"""What a recommender knows of a catalogue: content, ratings and titles."""
