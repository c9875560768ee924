"""Progress and interim summaries of answers with their agreement. The analysis reads the export."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median
from typing import Any, TypeAlias

import numpy as np
from django.db.models import Count
from django.utils.translation import gettext, ngettext

from trialogue.records import Estimate, Reason, ReasonCode
from trialogue.stats.raters.alpha import Level, krippendorff_alpha
from trialogue.stats.raters.kappa import cohen_kappa
from trialogue.study.design.file import SIDES
from trialogue.study.design.questions import Question
from trialogue.study.models import Assignment, Participant, Study, Submission
from trialogue.study.services.deciding import counting_people, counts_by_item

STAGES = ("arrived", "consented", "screened", "active", "completed")
EDGES = (5, 10, 20, 40, 80, 160)  # seconds


def stage_names() -> dict[str, str]:
    """Names of the stages and ends."""
    return {
        "arrived": gettext("Arrived"),
        "consented": gettext("Consented"),
        "screened": gettext("Passed the questions at the start"),
        "active": gettext("Began the tasks"),
        "completed": gettext("Completed"),
        "failed": gettext("failed"),
        "withdrew": gettext("withdrew"),
        "returned": gettext("returned"),
        "timed_out": gettext("timed out"),
        "no_consent": gettext("did not consent"),
        "screened_out": gettext("screened out"),
        "comprehension": gettext("failed the comprehension check"),
        "training": gettext("failed the training"),
        "attention": gettext("failed attention checks"),
        "full": gettext("found no place"),
        "unavailable": gettext("recommender unavailable"),
    }


def bar(name: str, count: int, most: int, **more: Any) -> dict[str, Any]:
    """A row with a bar of 0 to 100."""
    width = round(100 * count / most) if most else 0
    return {"name": name, "count": count, "width": max(width, 1) if count else 0, "percent": width, **more}


def flow(study: Study) -> list[dict[str, Any]]:
    """One row a stage: how many came so far, and how those ended that went no further."""
    names = stage_names()
    counts = Counter[tuple[str, str]]()
    for reached, state, reason, count in (
        study.participants.values_list("reached", "state", "reason").annotate(n=Count("id")).order_by()
    ):
        counts[reached, reason or state] += count
    total = sum(counts.values())
    rows, left_before = [], 0
    for stage in STAGES:
        here = {end: count for (reached, end), count in counts.items() if reached == stage}
        left = [
            {"name": names.get(end, end), "count": count} for end, count in sorted(here.items()) if end not in STAGES
        ]
        rows.append(bar(names[stage], total - left_before, total, left=left))
        left_before += sum(here.values())
    return rows


def coverage(study: Study, *, most: int = 300) -> dict[str, Any]:
    """Number of items by number of answers that count; the items themselves, up to ``most``."""
    items = counts_by_item(study)
    counts = Counter((each.counted, each.needed) for each in items)
    rows = [
        bar(gettext("%(done)s of %(needed)s") % {"done": done, "needed": needed}, count, len(items))
        for (done, needed), count in sorted(counts.items(), reverse=True)
    ]
    totals = {
        "items": len(items),
        "needed": sum(each.needed for each in items),
        "done": sum(each.counted for each in items),
        "leased": sum(each.running for each in items),
        "left_out": sum(each.left_out for each in items),
    }
    summary = gettext("%(items)s items; %(done)s of %(needed)s answers count, %(leased)s in progress.") % totals
    if totals["left_out"]:
        more = ngettext(
            "%(left_out)s more is of a participant who is left out and not replaced.",
            "%(left_out)s more are of participants who are left out and not replaced.",
            totals["left_out"],
        )
        summary = f"{summary} {more % totals}"
    cells = [
        {
            "key": each.key,
            "needed": each.needed,
            "done": each.counted,
            "leased": each.running,
            "look": _look(each.counted, each.needed),
        }
        for each in items[:most]
    ]
    return {"rows": rows, "summary": summary, "cells": cells, **totals}


def _look(done: int, needed: int) -> str:
    return "full" if done >= needed else "part" if done else "none"


def times(seconds: Iterable[float]) -> list[dict[str, Any]]:
    """A histogram of the seconds that tasks took; empty without any."""
    values = list(seconds)
    low = (0, *EDGES)
    high: Sequence[float] = (*EDGES, float("inf"))
    counts = [sum(a <= value < b for value in values) for a, b in zip(low, high, strict=True)]
    labels = [f"< {EDGES[0]}", *(f"{a}–{b}" for a, b in pairwise(EDGES)), f"≥ {EDGES[-1]}"]
    return [bar(label, count, max(counts)) for label, count in zip(labels, counts, strict=True)] if values else []


def count_by_state(study: Study) -> Counter[str]:
    """Number of participants in each state."""
    counted = study.participants.values_list("state").annotate(n=Count("id")).order_by()
    return Counter({str(state): int(count) for state, count in counted})


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
