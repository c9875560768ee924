"""Judge scores and human labels, from files to findings."""
