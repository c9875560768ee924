"""Recruiting through a platform's API: draft, publish, follow, decide, bonus, close.

No money is spent without a confirmation.
"""
