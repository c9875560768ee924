"""Records in files: opening, JSON Lines, YAML, manifests, locks, older versions of the format."""
