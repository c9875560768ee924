"""Migrations of a release that cannot be: ours, and one that fails halfway."""
