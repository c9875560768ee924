"""Published corpora, one module each."""
