"""One pass over conversations: running totals, samples and intervals of all metrics at once."""
