"""Validity cards: the known agreement of a measure with people, shown wherever the measure is reported.

``agree`` writes them beside a run; a set computed on CRSArena-Dial ships with Trialogue. The numbers are facts about that
corpus, whose texts are not shipped.
"""

import importlib.resources
import json
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.findings.wording import render_estimate
from trialogue.records import Estimate, MeasureName, Record
from trialogue.records.files.opening import open_bytes, write_text
from trialogue.records.files.validation import dotted_path, mistakes_of

FILE = "validity.json"

Where = Literal["turn", "dialogue", "system"]


class Validity(Record):
    """Known agreement of one measure with people, shown wherever it is reported."""

    kind: ClassVar[str] = "validity"

    measure: str
    """Full name of the measure."""
    data: str
    """Whose answers, in words."""
    question: str
    """Name of the question to people that it was compared with."""
    level: Where
    """What the compared values are of: single replies (``turn``), dialogues or systems."""
    auc: Estimate | None = None
    """Pooled AUC for a yes-or-no question."""
    auc_within: Estimate | None = None
    """The same inside systems."""
    spearman: Estimate | None = None
    """Spearman's rank correlation over all units, systems pooled."""
    spearman_within: Estimate | None = None
    """The same inside systems."""
    votes: Estimate | None = None
    """Share of decisive votes it shares."""
    coverage: float = 1.0
    """Share of the rated units that have a value."""
    remark: str | None = None
    """Caveat on these numbers."""
    source: str
    """Provenance: command, version and data hash."""


def write_validity(cards: Iterable[Validity], path: Path | str) -> None:
    """Write cards as JSON."""
    content = [card.to_json() for card in cards]
    write_text(Path(path), json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def read_validity(path: Path | str) -> tuple[Validity, ...]:
    """Read cards written by ``write_validity``.

    Raises:
        DataError: these are none; every mistake at once.
    """
    with open_bytes(Path(path)) as stream:
        return _parse_cards(stream.read().decode("utf-8", "replace"), str(path))


def _parse_cards(text: str, file: str) -> tuple[Validity, ...]:
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(Problem(f"this is not JSON ({error.msg} at column {error.colno}).", file=file)) from error
    if not isinstance(content, list):
        raise DataError(Problem("validity cards must be a list.", file=file, hint="Run trialogue agree again."))
    cards, problems = [], []
    for place, entry in enumerate(content):
        try:
            cards.append(Validity.model_validate(entry))
        except ValidationError as error:
            problems += [
                Problem(one.what, file=file, field=dotted_path((place, *one.place)), hint=one.hint)
                for one in mistakes_of(error)
            ]
    if problems:
        raise DataError(problems, hint="Run trialogue agree again.")
    return tuple(cards)


@cache
def bundled_validity() -> tuple[Validity, ...]:
    """Bundled cards, computed on CRSArena-Dial by ``benchmarks/agreement.py``."""
    resource = importlib.resources.files("trialogue.findings") / "bundled" / FILE
    return _parse_cards(resource.read_text("utf-8"), FILE) if resource.is_file() else ()


def known_validity(measure: str, *, more: Sequence[Validity] = ()) -> tuple[Validity, ...]:
    """Cards of a measure by full name, user-supplied ones (``more``) first."""
    return tuple(card for card in (*more, *bundled_validity()) if card.measure == measure)


def chance_card(measure: str) -> Validity | None:
    """Card that shows a measure to agree with people no better than chance; None if there is none."""
    for card in known_validity(measure):
        if card.auc is not None and card.auc.interval is not None and card.auc.interval.contains(0.5):
            return card
    return None


def validity_lines(card: Validity) -> list[str]:
    """Render a card as text, one fact per line.

    Empty numbers are left out; what is there is said with its interval and what it rests on.
    """
    units = f"{card.level}s"
    found = []
    for name, estimate, is_auc in (
        ("AUC", card.auc, True),
        ("AUC within systems", card.auc_within, True),
        ("ρ", None if card.auc else card.spearman, False),
        ("ρ within systems", None if card.auc else card.spearman_within, False),
        ("decisive votes shared", card.votes, False),
    ):
        if estimate is not None:
            chance = is_auc and estimate.interval is not None and estimate.interval.contains(0.5)
            found.append(
                f"{name} {render_estimate(estimate)} (n = {estimate.n:,}{', no better than chance' if chance else ''})"
            )
    asked = MeasureName(card.question).prose
    lines = [f"against people's {asked} ({units}), {card.data}: " + ("; ".join(found) or "nothing could be computed")]
    if card.coverage < 1:
        lines[0] += f"; it has a value for {card.coverage:.1%} of them"
    if card.remark:
        lines.append(card.remark)
    lines.append(f"computed by {card.source}")
    return lines
