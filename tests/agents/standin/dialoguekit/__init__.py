"""Stands in for DialogueKit 0.1.1 where that is not installed: the names and fields that its agents and we use."""
