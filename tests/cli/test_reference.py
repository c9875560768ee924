"""The page of options names what the commands take, neither less nor more."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import typer

from trialogue.cli.app import app

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "command.md"
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
Options: TypeAlias = tuple[frozenset[str], ...]
"""Of each option its spellings."""


@dataclass(frozen=True)
class Row:
    """A line of the table: its commands, and the options that stand there."""

    commands: tuple[str, ...]
    options: frozenset[str]
    borrowed: tuple[str, ...]
    """Commands whose options it takes, too: "those of `train`"."""


def taken() -> dict[str, Options]:
    """The options of every command, by its words: ``strategies train``."""
    found: dict[str, Options] = {}
    waiting = [("", typer.main.get_command(app))]
    while waiting:
        words, command = waiting.pop()
        inside = getattr(command, "commands", None)
        if inside is None:
            options = [one for one in command.params if one.param_type_name == "option"]
            found[words] = tuple(frozenset((*one.opts, *one.secondary_opts)) for one in options)
        for name, one in (inside or {}).items():
            waiting.append((f"{words} {name}".strip(), one))
    return found


def rows(commands: Sequence[str]) -> Iterator[Row]:
    """The lines of the table; a command after the first may leave out the words that it shares with it."""
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("| `trialogue "):
            first, second = line.strip("| ").split(" | ")
            names, cells = list(_commands(first, commands)), f"{first} {second}"
            yield Row(tuple(names), frozenset(OPTION.findall(cells)), tuple(_borrowed(second, names[0], commands)))


def _commands(cell: str, commands: Sequence[str]) -> Iterator[str]:
    group = ""
    for quoted in re.findall(r"`([^`]+)`", cell):
        words = re.match(r"(?:trialogue )?((?:[a-z][a-z0-9-]*(?: |$))+)", quoted)
        assert words, quoted
        short = words[1].strip()
        full = f"{group} {short}".strip()
        yield full if full in commands else short
        group = group or short.rpartition(" ")[0]


def _borrowed(cell: str, first: str, commands: Sequence[str]) -> Iterator[str]:
    for name in re.findall(r"those of `([a-z-]+)`", cell):
        full = f"{first.rpartition(' ')[0]} {name}".strip()
        assert full in commands, full
        yield full


def test_every_command_and_option_is_on_the_page_and_every_one_on_the_page_is_there() -> None:
    commands = taken()
    table = list(rows(list(commands)))
    assert {name for row in table for name in row.commands} == set(commands)
    said = {name: {one for row in _of(name, table) for one in row.options} for name in commands}
    for row in table:
        there = {spelling for name in row.commands for one in commands[name] for spelling in one}
        assert row.options <= there, f"{row.commands} do not take {set(row.options) - there}"
    for name, options in commands.items():
        borrowed = {one for row in _of(name, table) for other in row.borrowed for one in said[other]}
        missing = [sorted(one) for one in options if not one & (said[name] | borrowed)]
        assert not missing, f"{name} also takes {missing}"


def _of(name: str, table: Sequence[Row]) -> list[Row]:
    return [row for row in table if name in row.commands]
