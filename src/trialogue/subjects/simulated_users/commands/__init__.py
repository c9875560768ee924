"""Passports and realism of simulated users: from users and dialogues to findings, and what an evaluation shows of them."""
