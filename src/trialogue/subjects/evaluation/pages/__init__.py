"""Page, tables and texts of an evaluation report."""
