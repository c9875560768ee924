"""Recruiting on a platform by its API: draft, publish, follow, decide, bonus, close. No money without a confirmation."""
