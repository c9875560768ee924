"""Two versions of one system: better, worse, equivalent, or inconclusive."""
