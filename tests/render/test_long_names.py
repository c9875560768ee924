"""Names of systems that nobody could read in a sentence: cut in the middle where they are shown, and never alike."""

import json
import re
from pathlib import Path

import pytest

from trialogue.analysis import choose
from trialogue.inputs.inputs import InputRecords
from trialogue.records import Dialogue, Ending, Rating, Utterance
from trialogue.render.long_names import LONGEST
from trialogue.render.media.terminal import document_text
from trialogue.render.text import columns, short_names
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.comparison.pages.document import comparison_document
from trialogue.subjects.evaluation.commands.evaluate import Run, conclude_records, estimate_records
from trialogue.subjects.evaluation.pages.write import render_html, text_table

START, END = "s" * 150, "e" * 150
NAMES = [f"{START}{letter}{END}" for letter in "ab"]
"""Two names of 301 characters that differ in the middle, where they are cut."""


def talk(system: str, number: int, liked: bool, *, failed: bool) -> Dialogue:
    said = (
        Utterance(speaker="user", text="please recommend me a quiet film for this evening"),
        Utterance(speaker="system", text=f"how about the film with the number {number} this evening"),
    )
    return Dialogue(
        id=f"{system[-3:]}{system[150]}{number}",
        system=system,
        user=f"{system[150]}{number}",
        utterances=said,
        ended_by=Ending.AGENT_ERROR if failed else Ending.USER_ENDED,
        ratings=(Rating(name="satisfaction", value=float(liked), rater="user", low=0, high=1),),
    )


@pytest.fixture(scope="module")
def run() -> Run:
    """One of the two fails in one of four dialogues, so that threats name it."""
    talks = [
        talk(name, n, n % 5 < 1 + 2 * p, failed=p == 1 and n % 4 == 0)
        for p, name in enumerate(NAMES)
        for n in range(24)
    ]
    material = InputRecords(dialogues=talks)
    inferred = estimate_records(material, choose(material, ["failures@all"]), resamples=200)
    return conclude_records(inferred, title="long")


def test_a_terminal_shows_no_line_of_a_name_alone_and_keeps_two_names_two(run: Run) -> None:
    text = text_table(run.findings, width=100)
    assert START not in re.sub(r"\s", "", text)
    shown = {word.strip(".,;:()") for word in text.split() if "…" in word}
    assert {"#2" in text, len(shown) >= 2} == {True}
    assert max(map(columns, shown)) <= LONGEST


def test_the_page_shows_short_names_and_the_files_hold_them_whole(run: Run, tmp_path: Path) -> None:
    page = render_html(run.findings)
    assert START not in page
    run.write(tmp_path)
    systems = json.loads((tmp_path / "findings.json").read_text())["systems"]
    assert [each["system"] for each in systems] == NAMES
    assert NAMES[1] in (tmp_path / "summary.csv").read_text()


def test_a_comparison_of_two_long_names_shows_two_names(run: Run) -> None:
    text = document_text(comparison_document(compare(run, run, systems=NAMES, resamples=200).comparison))
    assert START not in text
    assert "#2" in text


def test_short_names_stay_as_they_are() -> None:
    names = ["kbrd", "unicrs-redial", "x" * LONGEST]
    assert list(short_names(names, LONGEST).values()) == names


def test_a_short_name_that_is_another_systems_own_is_not_taken() -> None:
    long = "a" * 40 + "b" * 40
    (cut,) = short_names([long], 20).values()
    found = short_names([long, cut], 20)
    assert found[cut] == cut
    assert len(set(found.values())) == 2
    assert all(columns(text) <= 20 for text in found.values())


def test_a_thousand_names_that_differ_in_the_middle_stay_a_thousand() -> None:
    names = [f"{START}{n:04}{END}" for n in range(1000)]
    found = short_names(names, 28)
    assert len(set(found.values())) == 1000
    assert max(map(columns, found.values())) <= 28
