"""The passport of simulated users, from users and dialogues to findings."""
