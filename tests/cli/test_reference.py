"""The page of commands names every command, and no other; the page of options is generated (``tests/docs``)."""

import re
from pathlib import Path

from tests.cli.test_surface import COMMANDS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "command.md"


def commands_named() -> set[str]:
    """The commands of the table; one after the first may leave out the words that it shares with it."""
    found = set()
    for line in PAGE.read_text("utf-8").partition("## Options and settings")[0].splitlines():
        if not line.startswith("| `"):
            continue
        group = ""
        for quoted in re.findall(r"`([^`]+)`", line.split(" | ")[0]):
            words = re.match(r"((?:[a-z][a-z0-9-]*(?: |$))+)", quoted)
            assert words, quoted
            short = words[1].strip()
            name = next(
                (
                    each
                    for each in (f"{group} {short}".strip(), short, f"{short} versions", f"{short} systems")
                    if each in COMMANDS
                ),
                "",
            )
            name = name or next(each for each in COMMANDS if each.startswith(f"{short} "))
            found.add(name)
            group = group or name.rpartition(" ")[0]
    return found


def test_every_command_is_on_the_page() -> None:
    assert commands_named() >= set(COMMANDS)
