"""Findings about systems: the answer, and the sections beside the league."""
