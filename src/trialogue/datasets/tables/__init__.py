"""User-supplied tables: rows, column mappings (given or guessed), dialogues and responses."""
