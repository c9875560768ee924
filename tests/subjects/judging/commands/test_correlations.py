"""Correlations of the run's other measures with people's answers stand in a judge's findings, corrected."""

from pathlib import Path

import numpy as np
import pytest

from tests.subjects.judging.commands.test_judge import World
from trialogue.records import Score, write_records
from trialogue.records.files.jsonl import parse_line, to_line
from trialogue.render.media.page import document_page
from trialogue.render.media.terminal import document_text
from trialogue.subjects.judging.commands.judge import judge
from trialogue.subjects.judging.pages.document import judging_document
from trialogue.subjects.judging.records import JudgedCorrelation, JudgingFindings

GOOD, BAD, HALF = "good_metric@probe|v1", "bad_metric@probe|v1", "half_metric@probe|v1"


@pytest.fixture
def found(tmp_path: Path) -> JudgingFindings:
    world = World(tmp_path)
    files = world.files()
    rng = np.random.default_rng(1)
    scores = []
    for number, (name, quality) in enumerate(world.truth.items()):
        values = {GOOD: quality + 0.5 * float(rng.normal()), BAD: float(rng.normal())}
        if number % 2:
            values[HALF] = quality
        scores += [Score(measure=m, level="dialogue", value=v, dialogue_id=name) for m, v in values.items()]
    write_records(tmp_path / "metrics.jsonl", scores)
    return judge(
        files["dialogues"],
        str(tmp_path / "metrics.jsonl"),
        aspect="overall",
        scores=files["scores"],
        labels=files["labels"],
    )


def of(found: JudgingFindings, measure: str, statistic: str = "spearman") -> JudgedCorrelation:
    return next(each for each in found.correlations if (str(each.measure), each.statistic) == (measure, statistic))


def test_every_other_measure_is_held_against_people_by_three_statistics(found: JudgingFindings) -> None:
    assert len(found.correlations) == 3 * 3
    assert {each.statistic for each in found.correlations} == {"pearson", "spearman", "kendall"}
    good, bad = of(found, GOOD), of(found, BAD)
    assert (good.corrected.value or 0) > 0.7
    assert abs(bad.corrected.value or 0) < 0.5
    assert good.judge is not None
    assert bad.corrected.interval is not None
    assert bad.corrected.interval.contains(0.0)
    assert good.corrected.n == 24
    assert str(found.correlations[0].measure) == GOOD  # the best first
    assert parse_line(to_line(found), {JudgingFindings.kind: JudgingFindings}) == found


def test_the_judge_is_not_held_against_the_people_who_correct_it(found: JudgingFindings) -> None:
    assert all(each.measure != found.judge for each in found.correlations)


def test_units_without_a_value_are_left_out_and_too_few_labels_say_so(found: JudgingFindings) -> None:
    half = of(found, HALF)
    assert (half.units, half.corrected.n) == (40, 12)
    assert half.corrected.value is None
    assert "labels" in str(half.corrected.why)


def test_page_and_terminal_show_them_and_the_methods_say_what_they_leave_out(found: JudgingFindings) -> None:
    assert GOOD in document_text(judging_document(found), width=120)
    assert "Other measures and people" in document_page(judging_document(found))
    assert "disagreement between raters" in " ".join(found.methods)


def test_without_labels_there_are_none(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert judge(world.files()["dialogues"], aspect="overall", scores=world.files()["scores"]).correlations == ()
