"""``trialogue strategies``: one module per command."""
