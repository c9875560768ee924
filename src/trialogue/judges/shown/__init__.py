"""What a judge is shown of conversations, and what is masked in it."""
