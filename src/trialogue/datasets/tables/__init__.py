"""Tables of one's own: rows, guessed or given mappings, dialogues and responses."""
