"""Administrative services: load, launch, open, close, decide, reconcile, preview."""
