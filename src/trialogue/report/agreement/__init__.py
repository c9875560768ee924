"""The pages about agreement with people and about realism."""
