"""Template filters of the study."""
