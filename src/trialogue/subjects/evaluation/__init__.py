"""Evaluation of several systems: the command, and the report that holds the sections of other subjects."""
