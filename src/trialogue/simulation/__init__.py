"""The user we make, the talk with an agent, and batches of talks; it never sees what judges them."""
