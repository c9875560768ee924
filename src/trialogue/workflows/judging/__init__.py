"""A judge's scores and people's labels, from files to findings."""
