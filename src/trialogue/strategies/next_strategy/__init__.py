"""Next-strategy prediction: models of sequences of behaviors."""
