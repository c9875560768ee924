"""The passport of simulated users as a page, a table and lines of a terminal."""
