"""A board of many runs: which rows can be ranked together, how versions changed, and rows of others."""
