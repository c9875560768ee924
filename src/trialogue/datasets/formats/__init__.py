"""Exchange formats for conversations, one module each."""
