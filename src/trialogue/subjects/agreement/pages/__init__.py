"""Pages about the agreement of measures with people."""
