"""Agreement and reliability of raters."""
