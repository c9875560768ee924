"""The title linker: which items a text names, and where."""
