"""Workflow of the passport of simulated users: from users and dialogues to findings."""
