"""Text, figures and files of a board of many runs."""
