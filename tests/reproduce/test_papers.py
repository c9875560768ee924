"""References to the three papers name sections that exist, wherever they are written."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
PAPERS = {
    paper["name"]: paper
    for paper in yaml.safe_load((ROOT / "docs" / "background" / "papers.yaml").read_text(encoding="utf-8"))
}
FILES = [
    path
    for folder in ("src", "docs", "examples", "benchmarks")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".md", ".yaml", ".txt") and "rooms" not in path.parts and path.is_file()
]
SECTION = re.compile(r"\bsec(?:t?\.|tions?) ?(?P<first>\d(?:\.\d)*)(?:(?: and |, )(?P<second>\d(?:\.\d)+))?")
OURS = {
    "kdd2020": re.compile(r"KDD 2020|Zhang (?:and|&) Balog|UserSimConvRec"),
    "behavior-alignment": re.compile(r"SIGIR 2024|Yang et al\.|Behavior Alignment"),
    "infact": re.compile(r"KaRS 2022|INFACT"),
}
OTHER = re.compile(r"\b(?:19|20)\d\d\b")
ROOMS = {"simulation": "kdd2020", "kdd2020": "kdd2020", "alignment": "behavior-alignment"}
"""Folders in which a section without a paper is one of this paper."""


def cited_sections(text: str, path: Path) -> list[tuple[str, str]]:
    """(paper, section) of each reference; the paper is the last one named in the 200 characters before it."""
    found = []
    for match in SECTION.finditer(text):
        before = text[max(0, match.start() - 200) : match.start()]
        last = {name: max((one.end() for one in rule.finditer(before)), default=-1) for name, rule in OURS.items()}
        paper = max(last, key=lambda name: last[name])
        others = [one for one in OTHER.finditer(before) if one.end() > last[paper]]
        if last[paper] < 0:
            paper = next((ROOMS[part] for part in path.parts if part in ROOMS and not others), "")
        elif others:
            paper = ""  # somebody else's
        found += [(paper, section) for section in match.groups() if section is not None and paper]
    return found


def test_every_section_that_is_cited_exists() -> None:
    cited = {
        (str(path.relative_to(ROOT)), paper, section)
        for path in FILES
        for paper, section in cited_sections(path.read_text(encoding="utf-8"), path)
    }
    assert len(cited) > 25
    assert {
        (path, paper, section) for path, paper, section in cited if section not in PAPERS[paper]["sections"]
    } == set()
    assert {paper for _, paper, _ in cited} == set(PAPERS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yang et al. (SIGIR 2024), section 3.2: pairs", [("behavior-alignment", "3.2")]),
        ("Zhang and Balog (KDD 2020, sec. 4.3 and 5.2)", [("kdd2020", "4.3"), ("kdd2020", "5.2")]),
        ("INFACT, KaRS 2022, sec. 2", [("infact", "2")]),
        ("as in KDD 2020. Efron (1982), sec. 6.2", []),
    ],
)
def test_a_reference_is_attributed_to_the_paper_before_it(text: str, expected: list[tuple[str, str]]) -> None:
    assert cited_sections(text, Path("x.py")) == expected


@pytest.mark.parametrize(
    ("file", "section"),
    [
        ("metrics/alignment/implicit_alignment.py", "5.1"),
        ("strategies/pairs/protocols.py", "5.1"),
        ("strategies/pairs/crossencoder.py", "5.1"),
        ("strategies/base.py", "3.1"),
        ("simulation/debug.py", "6.2"),
        ("study/staff/forms.py", "7"),
        ("records/situation.py", "3"),
    ],
)
def test_sections_that_were_wrong_once_are_right(file: str, section: str) -> None:
    path = ROOT / "src" / "trialogue" / file
    assert section in {each for _, each in cited_sections(path.read_text(encoding="utf-8"), path)}
