"""Quality gates: faults of the user's side of a dialogue, detected from the dialogue alone.

Imported dialogues pass through them, too.
"""
