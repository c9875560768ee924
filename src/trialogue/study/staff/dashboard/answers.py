"""Interim summaries of answers and their agreement, for the dashboard. The analysis reads the export."""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import Any, TypeAlias

import numpy as np

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.raters.alpha import Level, krippendorff_alpha
from trialogue.stats.raters.kappa import cohen_kappa
from trialogue.study.design.file import SIDES
from trialogue.study.design.questions import Question
from trialogue.study.models import Assignment, Participant, Study, Submission
from trialogue.study.services.management.counting import counting_people

Given: TypeAlias = tuple[Hashable, Hashable, int | float | str]
"""Rated unit, rater and criterion."""
RECENT = 20_000  # answers that the dashboard looks at, the latest
PLACE = re.compile(r"r(\d+)-(.+)")
RESAMPLES = 1_000  # of a glance; the dashboard is loaded often


def of_tasks(study: Study) -> list[Submission]:
    """Answers about items that count, or will when their participants complete; latest first."""
    found = Submission.objects.filter(assignment__state=Assignment.State.DONE, participant__study=study)
    recent = found.select_related("assignment__slot", "participant").order_by("-pk")[:RECENT]
    counting = counting_people(study)
    completed = Participant.State.COMPLETED
    return [each for each in recent if each.participant_id in counting or each.participant.state != completed]


def judgements(answers: Iterable[Submission]) -> dict[str, list[Given]]:
    """Judgements with their raters, by name of the question.

    A judgement of a position is one of the system that stood there.
    """
    found: dict[str, list[Given]] = defaultdict(list)
    for each in answers:
        if each.assignment is None:
            continue
        order = list(each.assignment.slot.order)
        for name, value in each.answers.items():
            place = PLACE.fullmatch(name)
            what: Hashable = (each.assignment.item_id, order[int(place[1]) - 1]) if place else each.assignment.item_id
            if isinstance(value, int | float | str):
                found[place[2] if place else name].append(
                    (what, each.participant_id, _chosen_system(name, value, order))
                )
    return dict(found)


def _chosen_system(name: str, value: float | str, order: list[str]) -> float | str:
    """The system that the choice of a side means, and other answers as they are."""
    return dict(zip(SIDES[::2], order, strict=False)).get(str(value), value) if name == "choice" else value


def numbers_so_far(questions: Iterable[Question], given: Mapping[str, Sequence[Given]]) -> list[dict[str, Any]]:
    """A row for each question that is answered with a number: how many answers, the middle one, the ends.

    Args:
        questions: questions about items.
        given: answers by question name, without skipped ones.
    """
    asked = [question for question in questions if question.number is not None or question.slider is not None]
    return [_row(question, [value for _, _, value in given.get(question.name, ())]) for question in asked]


def _row(question: Question, values: Sequence[float | str]) -> dict[str, Any]:
    numbers = [value for value in values if isinstance(value, int | float)]
    row = {"name": question.name.replace("_", " "), "count": len(numbers)}
    if not numbers:
        return row
    return {
        **row,
        "median": _render_number(median(numbers)),
        "range": f"{_render_number(min(numbers))} – {_render_number(max(numbers))}",
    }


def _render_number(number: float) -> str:
    return f"{number:,.10g}"


def alpha_so_far(given: Iterable[Given], *, level: Level) -> Estimate:
    """Krippendorff's alpha of all answers so far, with a bootstrap interval over units.

    Undefined, with the reason, as long as nothing was judged twice. If somebody judged something twice, the last counts.
    """
    return _alpha(tuple(sorted(set(given), key=repr)), level)


@lru_cache(maxsize=32)
def _alpha(given: tuple[Given, ...], level: Level) -> Estimate:
    table: dict[Hashable, dict[Hashable, int | float | str]] = {}
    for judged, rater, value in given:
        table.setdefault(judged, {})[rater] = value
    twice = [row for row in table.values() if len(row) > 1]
    if not twice:
        return Estimate(value=None, n=0, why=Reason.of(ReasonCode.NOTHING_JUDGED_TWICE_YET))
    raters = sorted({rater for row in twice for rater in row}, key=repr)
    ratings = [[row.get(rater) for rater in raters] for row in twice]
    return krippendorff_alpha(ratings, level=level, rng=np.random.default_rng(0), resamples=RESAMPLES)


def kappa_of_two(first: dict[str, str], second: dict[str, str]) -> Estimate:
    """Cohen's kappa of two coders over what both have coded, with a bootstrap interval.

    Args:
        first: the first coder's label of each explanation.
        second: the second coder's labels.
    """
    both = sorted(first.keys() & second.keys())
    if not both:
        return Estimate(value=None, n=0, why=Reason.of(ReasonCode.NOTHING_CODED_TWICE_YET))
    a, b = [first[key] for key in both], [second[key] for key in both]
    return cohen_kappa(a, b, rng=np.random.default_rng(0), resamples=RESAMPLES)
