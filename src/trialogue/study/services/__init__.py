"""Services: the only code that writes to the database.

Each runs in one transaction and returns after the commit: what it acknowledges is on disk.
"""
