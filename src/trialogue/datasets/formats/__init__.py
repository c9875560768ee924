"""Formats in which conversations are exchanged, one module each."""
