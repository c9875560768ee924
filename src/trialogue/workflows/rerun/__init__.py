"""Run a sealed run again from its manifest, and compare the results."""
