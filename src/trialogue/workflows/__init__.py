"""One run from end to end: conversations in, scores, findings and a report out.

Nothing is imported here, so that what simulates does not wait for what evaluates.
"""
