"""Gates: faults of the user's side of a dialogue, found in the dialogue alone, so that imported ones pass them, too."""
