"""Staff pages: progress, evidence, lists for the platform, decisions, log."""
