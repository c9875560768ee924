"""Migrations as a later release might have them: ours, and one more. Nothing but ``tests.study.upgrading`` uses them."""

from pathlib import Path

import trialogue.study.migrations as ours

LATEST = sorted(path.stem for path in Path(str(ours.__file__)).parent.glob("[0-9]*.py"))[-1]
"""The name of our last migration, which the later one comes after."""
