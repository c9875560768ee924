"""``trialogue study``: one module per command."""
