"""Web studies with people, from consent to export.

Produces scores, dialogues and labels; contains no analysis.
"""
