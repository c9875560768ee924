"""Studies with people: items, scripted participants, the report."""
