"""The pages that participants see: addresses, views, and what each step shows."""
