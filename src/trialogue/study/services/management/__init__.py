"""What staff and commands do to a study: load it, launch it, open and close it, decide, reconcile, preview."""
