"""Render the passport of simulated users as a page, tables and terminal text."""
