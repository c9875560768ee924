"""Pages about agreement with people and about realism."""
