"""The command line can be held in one head: few commands, few options, short help; every setting means what it says."""

import inspect
import json
import math
import subprocess
import sys
import typing
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.testing import CliRunner

from trialogue.cli.app import app
from trialogue.cli.shared import app as shared
from trialogue.cli.shared.parameters import Calls
from trialogue.cli.shared.renamed import COMMANDS as MOVED
from trialogue.cli.shared.renamed import OPTIONS
from trialogue.cli.shared.settings import is_mapping, read_settings
from trialogue.errors import UsageError
from trialogue.options import bounds_of, out_of_bounds, parts_of


def _commands() -> dict[str, Any]:
    found: dict[str, Any] = {}
    waiting = [("", typer.main.get_command(app))]
    while waiting:
        words, command = waiting.pop()
        inside = getattr(command, "commands", None)
        if inside is None:
            found[words] = command
        waiting += [(f"{words} {name}".strip(), one) for name, one in (inside or {}).items()]
    return found


COMMANDS = _commands()
OWN = {name: [one for one in command.params if one.param_type_name == "option"] for name, command in COMMANDS.items()}
SETTINGS = [
    (name, setting, each.kind)
    for name, command in sorted(COMMANDS.items())
    for setting, each in command.settings.items()
]


def test_there_are_few_commands_and_options() -> None:
    assert len(COMMANDS) <= 50
    assert sum(map(len, OWN.values())) + len(shared.options_everywhere()) <= 260
    assert {name: len(options) for name, options in OWN.items() if len(options) > 12} == {}


def test_nothing_is_hidden_and_no_name_is_both_an_option_and_a_setting() -> None:
    for name, command in COMMANDS.items():
        assert not command.hidden
        assert not [one.name for one in command.params if getattr(one, "hidden", False)]
        spellings = {opt.removeprefix("--").replace("-", "_") for one in OWN[name] for opt in one.opts}
        both = spellings & {setting for setting, each in command.settings.items() if not is_mapping(each.kind)}
        assert not both, name


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_fits_a_screen_or_two(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERMINAL_WIDTH", "100")
    shown = CliRunner().invoke(app, [*name.split(), "--help"]).output
    assert len(shown.splitlines()) <= 80, shown
    assert all(setting in shown for setting in COMMANDS[name].settings)


def test_the_first_screen_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERMINAL_WIDTH", "100")
    assert len(CliRunner().invoke(app, ["--help"]).output.splitlines()) <= 64


def values_of(kind: Any) -> tuple[list[str], list[str]]:
    """Texts that a setting takes, and texts that it refuses."""
    inner, _ = parts_of(kind)
    members = [one for one in typing.get_args(inner) if one is not type(None)] or [inner]
    if typing.get_origin(inner) is typing.Literal:
        members = [inner]
    plain = members[0]
    if typing.get_origin(plain) is list:
        return values_of(typing.get_args(plain)[0])
    bounds = bounds_of(kind)
    plain = parts_of(plain)[0]
    if plain in (int, float):
        numbers = [plain(one) for one in (0, 1, 2, 50, 100, 1000, 2000, *([0.3, 0.7, 0.95] if plain is float else ()))]
        good = [one for one in numbers if out_of_bounds(one, kind) is None]
        bad = [str(one) for one in (-1e9, 1e9) if bounds and out_of_bounds(one, kind)]
        return [str(one) for one in good], [*bad, "x", "nan", "inf", "1;2", "[1]", *(["1.5"] if plain is int else [])]
    if plain is bool:
        return ["true", "false"], ["maybe", "2"]
    if typing.get_origin(plain) is typing.Literal:
        return list(typing.get_args(plain)), ["neither"]
    if typing.get_origin(plain) is tuple:
        return ["1,5", "0.5, 2"], ["1", "1,2,3", "a,b", "nan,1", "5,1", "1,1"]
    return ["x", "a b", "1"], []


@pytest.mark.parametrize(("command", "setting", "kind"), SETTINGS, ids=[f"{name}: {one}" for name, one, _ in SETTINGS])
def test_a_setting_takes_values_of_its_type_within_its_bounds_and_no_others(
    command: str, setting: str, kind: Any
) -> None:
    known = {setting: kind}
    if is_mapping(kind):
        assert read_settings([f"{setting}.a=1", f"{setting}.b=x"], known) == {setting: {"a": 1, "b": "x"}}
        for wrong in (f"{setting}=1", f"{setting}.=1", f"{setting}.a="):
            with pytest.raises(UsageError, match=setting):
                read_settings([wrong], known)
        return
    good, bad = values_of(kind)
    assert good
    for text in good:
        (value,) = read_settings([f"{setting}={text}"], known).values()
        for one in value if isinstance(value, list) else [value]:
            assert out_of_bounds(one, kind) is None
            assert not isinstance(one, float) or math.isfinite(one)
    for text in (*bad, "", "  "):
        with pytest.raises(UsageError, match=rf"--set {setting}="):
            read_settings([f"{setting}={text}"], known)
    is_list = isinstance(next(iter(read_settings([f"{setting}={good[0]}"], known).values())), list)
    if is_list:
        assert len(read_settings([f"{setting}={good[0]}"] * 2, known)[setting]) == 2
    else:
        with pytest.raises(UsageError, match="2 times"):
            read_settings([f"{setting}={good[0]}"] * 2, known)


@pytest.mark.parametrize("command", sorted({name for name, _, _ in SETTINGS}))
def test_settings_reach_the_parameters_of_their_function(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command is called with all of its settings at once, and its function is given each of them."""
    found = COMMANDS[command]
    words = [word for one in found.params if one.required for word in _least(one)]
    texts = {}
    for setting, each in found.settings.items():
        is_parts = is_mapping(each.kind)
        texts[f"{setting}.a" if is_parts else setting] = "1" if is_parts else values_of(each.kind)[0][0]
    given: dict[str, Any] = {}
    monkeypatch.setattr(shared, "call_function", lambda function, values: given.update(values))
    monkeypatch.setattr(found.function, "check", None, raising=False)  # settings of which some exclude each other
    settings = [word for name, text in texts.items() for word in ("--set", f"{name}={text}")]
    done = CliRunner().invoke(app, [*command.split(), *words, *settings])
    assert done.exit_code == 0, (done.output, done.exception)
    expected = read_settings([f"{name}={text}" for name, text in texts.items()], kinds(command))
    passed = {**given, **{name: value for one in found.calls for name, value in given[one].given.items()}}
    assert {setting: passed[found.settings[setting].name] for setting in expected} == expected


def kinds(command: str) -> dict[str, Any]:
    """The types of a command's settings."""
    return {name: each.kind for name, each in COMMANDS[command].settings.items()}


def _least(parameter: Any) -> list[str]:
    """The fewest words that give a required parameter."""
    return ["1"] if parameter.param_type_name == "argument" else [parameter.opts[0], "1"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--set", "alhpa=0.1"], "Did you mean 'alpha'"),
        (["--set", "alpha"], "expected NAME=VALUE or a YAML file"),
        (["--set", "=1"], "expected NAME=VALUE"),
        (["--set", "alpha=0.1", "--set", "alpha=0.2"], "2 times"),
        (["--set", "alpha.x=1"], "has no parts"),
        (["--set", "nowhere.yaml"], "nowhere.yaml"),
        (["--seed", "-1"], "--seed"),
        (["--seed", "1.5"], "--seed"),
        (["--jobs", "0"], "--jobs must be"),
        (["--jobs", "many"], "--jobs must be"),
        (["--alpha", "0.1", "--redact"], "--set alpha=VALUE.\n--redact is now --texts redacted"),
    ],
)
def test_what_cannot_be_understood_is_refused_with_what_would_do(words: list[str], said: str) -> None:
    done = CliRunner().invoke(app, ["evaluate", "demo", *words])
    assert done.exit_code != 0
    assert said in str(done.exception)


def test_all_mistakes_are_said_at_once_and_a_file_gives_settings(tmp_path: Any) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("alpha: 7\nresamples: x\nall_variants: [a, b]\nexplorer:\n")
    done = CliRunner().invoke(app, ["evaluate", "demo", "--set", str(file), "--set", "alpha=0.9", "--set", "nope=1"])
    said = str(done.exception)
    assert isinstance(done.exception, UsageError)
    for part in ("alpha=0.9", "resamples=x", "explorer=", "'nope'"):
        assert part in said
    file.write_text("alpha: 0.1\nresamples: 200\nall_variants: [a, b]\n")
    known = kinds("evaluate")
    read = read_settings([str(file), "alpha=0.2"], known)
    assert read == {"alpha": 0.2, "resamples": 200, "all_variants": ["a", "b"]}


def test_what_does_not_go_together_is_said_beside_what_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("tie_margin: wide\ngroup: redial=*_redial\n", encoding="utf-8")
    said = str(CliRunner().invoke(app, ["agree", "--labels", "x.json", "--set", str(file), "--seed", "x"]).exception)
    for part in (
        "tie_margin=wide",
        "--seed x",
        "give the folder of a run",
        "--labels requires --benchmark",
        "--set group requires",
    ):
        assert part in said
    file.write_text("n: many\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["users", "fit", "-o", "x", "--method", "style", "--set", str(file)])
    assert str(done.exception) == (
        "--set n=many: n must be a whole number at least 1.\n--method style does not use --set n; omit it.\n"
        "--method style needs dialogues of people: give --dialogues."
    )


CALLED = [(name, one, each) for name, command in sorted(COMMANDS.items()) for one, each in command.calls.items()]


@pytest.mark.parametrize(("command", "name", "calls"), CALLED, ids=[f"{one}: {two}" for one, two, _ in CALLED])
def test_what_is_read_from_the_source_is_what_python_sees(command: str, name: str, calls: Calls) -> None:
    module, _, owner = calls.place.rpartition(".")
    found = getattr(import_module(f"trialogue.{module}"), owner)
    hints = typing.get_type_hints(found, include_extras=True)
    for each in replace(calls, is_change=False).parameters():
        default = inspect.signature(found).parameters[each.name].default
        assert each.default == default or (each.default is None and isinstance(default, tuple)), each.name
        assert bounds_of(each.kind) == bounds_of(hints[each.name]), each.name
        assert each.about, each.name
        assert COMMANDS[command].parameters[each.name].kind is not None


def test_nothing_is_imported_to_read_a_command() -> None:
    code = "from tests.cli.test_surface import COMMANDS; [one.parameters for one in COMMANDS.values()]; import sys"
    shown = (
        f"{code}; print([one for one in sys.modules if one.startswith(('trialogue.subjects', 'trialogue.workflows'))])"
    )
    done = subprocess.run([sys.executable, "-c", shown], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_file_gives_pairs_and_options_of_a_model_and_mistakes_in_it_are_no_tracebacks(tmp_path: Any) -> None:
    known = kinds("judge systems")
    file = tmp_path / "s.yaml"
    file.write_text("scale: [1, 5]\nmodel: {temperature: 0, name: '1', price: null, more: {a: true}}\n")
    options = {"temperature": 0, "name": "1", "price": None, "more": {"a": True}}
    assert read_settings([str(file)], known) == {"scale": (1.0, 5.0), "model": options}
    for text in (
        "confidence: []",
        "confidence: [0.9, 0.8]",
        "confidence: {a: 1}",
        "confidence: {}",
        "model: 3",
        "- 1",
        "a: [",
        "",
    ):
        file.write_text(text)
        with pytest.raises(UsageError) as caught:
            read_settings([str(file)], known)
        assert "given 0 times" not in str(caught.value)
    assert "It has a line for each setting, such as '" in str(caught.value)


def test_limits_are_checked_as_settings_are() -> None:
    done = CliRunner().invoke(app, ["ci", "x.yaml", "--limit", "cost=-1", "--limit", "cals=2"])
    assert "cost must be a number at least 0" in str(done.exception)
    assert "Did you mean 'calls'" in str(done.exception)
    for words in (["simulate"], ["judge", "pairs", "demo"]):  # beside all other mistakes
        said = str(CliRunner().invoke(app, [*words, "--limit", "cost=nan", "--set", "no=1"]).exception)
        for part in ("--limit cost=nan: cost must be", "no setting 'no'", "give "):
            assert part in said


def test_a_number_is_finite_also_without_bounds() -> None:
    for number in ("nan", "inf", "-inf"):
        done = CliRunner().invoke(app, ["compare", "plan", "demo", "--difference", number, "--set", "power=2"])
        assert f"--difference must be finite, got {number}." in str(done.exception)
        assert "power must be" in str(done.exception)


def test_shares_of_participants_are_bounded_before_anything_is_read() -> None:
    done = CliRunner().invoke(app, ["study", "simulate", "nowhere", "--set", "dropout=5", "--set", "careless=-1"])
    for name in ("dropout", "careless"):
        assert f"{name} must be a number at least 0 and at most 1." in str(done.exception)


def test_lists_of_commands_show_names_with_signs_in_them_whole() -> None:
    shown = CliRunner().invoke(app, ["agents", "--help"], env={"COLUMNS": "200"}).output
    assert "such as reference:guided, as an HTTP server" in shown


def test_a_command_without_a_use_for_an_option_of_every_command_says_so() -> None:
    assert "trialogue check has no use for --seed" in str(
        CliRunner().invoke(app, ["check", "demo", "--seed", "1"]).exception
    )


@pytest.mark.parametrize("old", sorted(MOVED))
def test_former_names_say_what_they_are_called_now(old: str) -> None:
    done = CliRunner().invoke(app, [*old.split(), "x"])
    assert str(done.exception) == f"That is now: trialogue {MOVED[old]}"
    new = MOVED[old].split()
    assert any(" ".join(new[:count]) in COMMANDS for count in (1, 2))


def test_former_options_name_options_that_are_there() -> None:
    known = {spelling for options in OWN.values() for one in options for spelling in one.opts}
    assert not known & set(OPTIONS)
    assert {text.split()[0] for text in OPTIONS.values() if text.startswith("--")} <= known


def test_a_file_of_settings_may_hold_the_seed_and_the_option_goes_before_it(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("seed: 7\nresamples: 200\n", encoding="utf-8")
    for more, seed in (([], 7), (["--seed", "9"], 9)):
        out = tmp_path / f"run{seed}"
        done = CliRunner().invoke(
            app, ["evaluate", "demo", "-m", "length", "--set", str(file), "--out", str(out), *more]
        )
        assert done.exit_code == 0, done.output
        assert json.loads((out / "manifest.json").read_text(encoding="utf-8"))["seed"] == seed
    twice = CliRunner().invoke(app, ["evaluate", "demo", "--seed", "1", "--set", "seed=2"])
    assert str(twice.exception) == "The seed is given twice, by --seed and by --set. Give it once."
    assert "--seed x: seed must be a whole number" in str(
        CliRunner().invoke(app, ["evaluate", "demo", "--seed", "x"]).exception
    )
