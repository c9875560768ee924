"""Agreement with people, from a run or on a benchmark."""
