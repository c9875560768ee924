"""Labels of people and of models: what to label, and what came back."""
