"""``trialogue strategies encoder``, and training with an encoder, on a tiny one."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from trialogue.cli.app import app
from trialogue.cli.encoder import settings_of
from trialogue.errors import UsageError

from ..strategies.tiny import write_encoder


def test_show_says_what_an_encoder_is(tmp_path: Path) -> None:
    folder = write_encoder(tmp_path / "e")
    done = CliRunner().invoke(app, ["strategies", "encoder", "show", str(folder)])
    assert done.exit_code == 0
    assert "bert, 2 layers of 16, mean pooling" in done.output
    assert "runs in numpy" in done.output


def test_settings_are_json_or_text_and_anything_else_is_refused() -> None:
    assert settings_of(["a=1", "b=[2, 3]", "c=x"], "folder") == {"encoder": "folder", "a": 1, "b": [2, 3], "c": "x"}
    with pytest.raises(UsageError, match="name=value"):
        settings_of(["seeds"])
