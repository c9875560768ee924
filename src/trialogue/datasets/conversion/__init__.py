"""Write records in other programs' formats."""
