"""SQLite backend for many concurrent writers: Django's own backend, with a queue of writers."""
