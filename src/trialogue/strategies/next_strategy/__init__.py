"""Next-strategy prediction: sequence models of behaviors."""
