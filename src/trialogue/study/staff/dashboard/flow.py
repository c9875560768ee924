"""Participant flow, item coverage and task times, for the dashboard."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext, ngettext

from trialogue.study.models import Study
from trialogue.study.services.management.counting import counts_by_item

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
