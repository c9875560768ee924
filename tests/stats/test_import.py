"""Importing the room is cheap."""

import subprocess
import sys

import trialogue.stats


def test_importing_stats_loads_no_heavy_package() -> None:
    heavy = ("scipy", "sklearn", "pandas", "matplotlib")
    code = f"import sys, trialogue.stats; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_every_public_name_is_there_and_documented() -> None:
    for name in trialogue.stats.__all__:
        assert getattr(trialogue.stats, name).__doc__ or name == "Combine"
