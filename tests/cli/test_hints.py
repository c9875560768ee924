"""Messages that name an option: it is there."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer.main

import trialogue
from tests.cli.test_surface import COMMANDS
from trialogue.cli.app import app
from trialogue.cli.shared.app import options_everywhere
from trialogue.metrics import get_card, metric_names
from trialogue.records import ReasonCode

SOURCE = Path(trialogue.__file__).parent
HAVE_DOCSTRINGS = (ast.Module, ast.ClassDef, ast.FunctionDef)
SET = re.compile(r"--set '?([a-z_]+)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]")
OF_OTHER_PROGRAMS = {
    "--disable-pip-version-check", "--dest", "--file", "--no-cache-dir", "--no-deps", "--only-binary", "--retries",
    "--new", "--compile",  # of trialogue.study.translations
    "--clean", "--dbname", "--if-exists", "--no-owner", "--single-transaction",  # of pg_restore
}  # fmt: skip


def options(command: Any) -> Iterator[str]:
    """Options of a command and of those below it."""
    yield "--help"
    for parameter in (*command.params, *options_everywhere()):
        yield from (*parameter.opts, *parameter.secondary_opts)
    for below in getattr(command, "commands", {}).values():
        yield from options(below)


def texts(tree: ast.AST) -> Iterator[str]:
    """Texts of a module that are no docstrings."""
    documentation = {
        id(statement.value)
        for node in ast.walk(tree)
        for statement in (node.body if isinstance(node, HAVE_DOCSTRINGS) else ())
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.value


@cache
def messages() -> list[tuple[str, str]]:
    """The texts of all modules with options, each with its module."""
    return [
        (path.name, text)
        for path in sorted(SOURCE.rglob("*.py"))
        if "--" in (source := path.read_text(encoding="utf-8"))
        for text in texts(ast.parse(source))
    ]


def test_every_option_that_a_message_names_is_one_of_some_command() -> None:
    known = {*options(typer.main.get_command(app)), *OF_OTHER_PROGRAMS}
    named = {(option, name) for name, text in messages() for option in OPTION.findall(text)}
    assert len(named) > 100
    assert {each for each in named if each[0] not in known and each[1] != "renamed.py"} == set()


def test_every_setting_that_a_message_names_is_one_of_some_command() -> None:
    known = {setting for command in COMMANDS.values() for setting in command.settings}
    named = {(setting, name) for name, text in messages() for setting in SET.findall(text)}
    assert len(named) > 20
    assert {each for each in named if each[0] not in known} == set()


def test_every_parameter_that_a_reason_names_is_one_of_a_metric() -> None:
    parameters = {key for name in metric_names() for key in get_card(name).parameters}
    named = {key for code in ReasonCode for key in re.findall(r"(?<!--set )\b([a-z_]+)=", code.text)}
    assert named
    assert named <= parameters


def test_every_measure_that_a_reason_names_is_there() -> None:
    found = [
        name
        for text in (code.text for code in ReasonCode)
        for name in re.findall(r"\b([a-z_]+)@([a-z_]+)\b", str(text))
    ]
    assert all(variant in get_card(name).variants for name, variant in found)
    assert found
