"""What a person reads of a run has no names that only the code knows: terminal, page, Markdown, names of JUnit cases."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.words import trialogue

EXAMPLE = Path(__file__).parents[2] / "examples" / "compare-in-ci" / "ci.yaml"
INTERNAL = re.compile(
    r"\b[a-z]\w*\([a-z_]+=[^)]*\)|\|v\d\b|@[a-z]\w*\||\b[a-z]+(?:_[a-z0-9]+)+\b|\b[a-z_]+=[\w.]+|(?<!/)\bcir6-pkg\b(?!/)"
)
"""A signature, a part of one, a name of Python, a parameter, the users' short name; ids of dialogues are data."""


class Page(HTMLParser):
    """What a page says and what its labels say; code, citations and scripts are left out."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._left_out: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._left_out or tag in ("script", "style", "code", "pre") or ("class", "by") in attrs:
            self._left_out += [] if tag in ("br", "img", "input", "wbr") else [tag]
            return
        self.texts += [value for name, value in attrs if name in ("aria-label", "title", "alt") and value]

    def handle_endtag(self, tag: str) -> None:
        if self._left_out:
            self._left_out.pop()

    def handle_data(self, data: str) -> None:
        if not self._left_out and data.strip():
            self.texts.append(data.strip())


def texts_of(page: Path) -> list[str]:
    parser = Page()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser.texts


def without_code(text: str) -> str:
    """Markdown without transcripts, errors of agents and paths, which are quoted."""
    return re.sub(r"```.*?```|`[^`]*`|\(ended by [^)]*\(.*\)", "", text, flags=re.DOTALL)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    agents = ("-a", "reference:guided", "-a", "reference:popular")
    words = {
        "simulate": ("simulate", *agents, "-n", "6", "--out", folder / "sim"),
        "evaluate": ("evaluate", folder / "sim", "--set", "resamples=200", "--out", folder / "page"),
        "ci": ("ci", EXAMPLE, "-n", "6", "--out", folder / "ci"),
    }
    for name, command in words.items():
        done = trialogue(*command)
        said = (done.stdout + done.stderr).replace(str(folder), "")
        (folder / f"{name}.txt").write_text(said, encoding="utf-8")
    return folder


def seen_in(run: Path) -> Iterator[tuple[str, str]]:
    """(Where, what is read there)."""
    for name in ("simulate", "evaluate", "ci"):
        yield name, (run / f"{name}.txt").read_text(encoding="utf-8")
    for page in (run / "page" / "report.html", run / "ci" / "comparison" / "report.html"):
        yield from ((str(page.relative_to(run)), text) for text in texts_of(page))
    yield "comparison.md", without_code((run / "ci" / "comparison.md").read_text(encoding="utf-8"))
    cases = ElementTree.parse(run / "ci" / "junit.xml").getroot().iter("testcase")
    for case in cases:
        yield "junit.xml", f"{case.get('classname')}: {case.get('name')}"
        yield from (("junit.xml", f"{each.get('message', '')} {each.text or ''}") for each in case)


def test_no_name_of_the_code_is_read(run: Path) -> None:
    found = {(where, name[0]) for where, text in seen_in(run) for name in INTERNAL.finditer(text)}
    assert found == set()


def test_full_names_stay_where_programs_read_them(run: Path) -> None:
    assert "need_met(turns=10)@named|v1" in (run / "page" / "summary.csv").read_text(encoding="utf-8")
    cases = ElementTree.parse(run / "ci" / "junit.xml").getroot().iter("property")
    assert any(each.get("value") == "lift(turns=10)@named|v2" for each in cases)
