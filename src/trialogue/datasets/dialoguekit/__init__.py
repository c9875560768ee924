"""DialogueKit's JSON, read and written."""
