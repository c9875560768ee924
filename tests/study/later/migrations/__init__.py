"""Migrations as a later release might have them: ours, and one more. Nothing but ``tests.study.upgrading`` uses them."""
