"""Inter-rater agreement and reliability."""
