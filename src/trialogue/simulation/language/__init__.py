"""What users say and understand."""
