"""Records to files in other programs' formats."""
