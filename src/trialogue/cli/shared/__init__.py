"""Options, input checks and progress output shared by commands."""
