"""Declarations of functions, read from their source."""

from pathlib import Path

import pytest

from trialogue import options
from trialogue.cli.shared.declarations import Names


def test_a_folder_of_an_earlier_version_hides_no_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "judging" / "__pycache__").mkdir(parents=True)
    (tmp_path / "judging.py").write_text("LIMIT = 3\n")
    monkeypatch.setattr(options, "__file__", str(tmp_path / "options.py"))
    assert Names("judging")["LIMIT"] == 3
