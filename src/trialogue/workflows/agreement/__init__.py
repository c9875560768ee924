"""Agreement with people, from a run or against a benchmark."""
