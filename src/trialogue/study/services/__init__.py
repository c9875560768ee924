"""The only writers. Each does its work in one transaction and returns after the commit: what it acknowledges is on disk."""
