"""Titles that a text presents as such, whether a catalogue has them or not."""
