"""Title linker: find the items that a text names, with their positions."""
