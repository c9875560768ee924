"""Orders of several systems, from votes or from scores, and how sure they are."""
