"""Models that label single sentences, or judge pairs of them."""
