"""What other packages bring is found like ours: users and models of strategies (metrics: see tests/metrics)."""

import re
import subprocess
import sys
from pathlib import Path

from tests.plug_ins import installed
from trialogue.plugins import plugins_of
from trialogue.simulation import METHODS, UserModel, load_users
from trialogue.strategies.models import kind_of, kinds

SCRIPT = """
from trialogue.cli.app import app
from trialogue.simulation import load_users
from trialogue.strategies.models import kind_of, kinds, recipe
from typer.testing import CliRunner

assert load_users("shouters").options.patience == 2
assert "shouted" in kinds()
assert recipe("shouted")([]).probabilities(["GO ON"])[0, 0] == 0.9
print(CliRunner().invoke(app, ["list", "users"]).stdout)
"""


def test_users_and_strategies_of_an_installed_package_are_found_by_name(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(installed(tmp_path / "site"))}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(r"shouters +agenda cir6, preferences pkg \(trialogue_shouting\.users:shouters\)", done.stdout)


def test_ours_are_declared_in_the_same_way() -> None:
    assert set(plugins_of("trialogue.users")) >= set(METHODS)
    for name in METHODS:
        made = plugins_of("trialogue.users")[name].load()()
        assert isinstance(made, UserModel)
        assert made.options == load_users(name).options
    assert {"tfidf", "majority", "keywords"} <= set(kinds())
    assert all(kind_of(name).name == name for name in kinds())
