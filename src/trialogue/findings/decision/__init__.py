"""Decision protocols: margins, what was kept of them, and the verdict under them."""
