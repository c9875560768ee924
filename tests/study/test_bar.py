"""The table of docs/design/study.md names tests that are there."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs" / "design" / "study.md"


def named() -> list[tuple[int, str, str]]:
    """(number, file, beginning of the function's name or "") of every test in the table."""
    found = []
    for number, cells in re.findall(r"^\| (\d+) \|.*\|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE):
        file = ""
        for given, function in re.findall(r"`([\w/]+\.py|…)(?:::(\w+)…?)?`", cells):
            file = file if given == "…" else given
            found.append((int(number), file, function))
    return found


def test_every_line_of_the_bar_names_tests_that_are_there() -> None:
    for number, file, function in named():
        path = TESTS.parent / file if file.startswith("tests/") else TESTS / "study" / file
        assert path.is_file(), (number, file)
        assert f"\ndef {function}" in path.read_text("utf-8"), (number, file, function)


def test_the_lines_of_the_bar_are_numbered() -> None:
    numbers = sorted({number for number, _, _ in named()})
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 28
