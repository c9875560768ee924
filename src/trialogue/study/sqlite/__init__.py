"""SQLite for many writers: Django's own backend, with a queue for those who are about to write."""
