"""The page, tables and texts of an evaluation."""
