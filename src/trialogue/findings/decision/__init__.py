"""Decision protocols: margins, deviations, and the verdict under them."""
