"""Dashboard of a running study: counts and summaries."""
