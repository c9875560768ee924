"""Workflows behind the commands: from conversations to scores, findings and a report.

Nothing is imported here, so that simulation does not load the evaluation code.
"""
