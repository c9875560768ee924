"""Judged units as read from files: the rows of the table to be corrected."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trialogue.errors import DataError, Problem
from trialogue.inputs.inputs import InputRecords
from trialogue.records import read_records
from trialogue.records.completion import UNNAMED
from trialogue.records.runs import digests_of
from trialogue.stats.correction.table import JudgedTable, RaterLabel, judged_table
from trialogue.subjects.judging.records import PlannedLabel

Key = tuple[str, str | None, str | None, int | None]
"""(system, dialogue, situation, utterance)."""


@dataclass(frozen=True)
class JudgedUnit:
    """One unit with the judge's score and human labels."""

    key: Key
    """Key of the dialogue or reply."""
    judge: float | None
    """The judge's score; None: it gave none."""
    answers: tuple[tuple[str, float], ...] = ()
    """(rater, label) of each who labelled it."""
    cluster: Hashable = None
    """Cluster; None: independent of other units."""
    chance: float | None = None
    """Chance that it was to be labelled; None: the same for all of a system."""
    length: int | None = None
    """Characters of the system's text in it; None: the text is not known."""


def table_of(units: Sequence[JudgedUnit], *, aggregate: str) -> JudgedTable:
    """Build the table of judged units.

    Args:
        units: units with at least one label.
        aggregate: the code of a rater who is nobody in particular; what such say is one label and no rater's.
    """
    raters = {rater for unit in units for rater, _ in unit.answers} - {aggregate}
    known = len(raters) > 1
    rows = [RaterLabel(row, rater, value) for row, unit in enumerate(units) for rater, value in unit.answers]
    labels = [sum(value for _, value in unit.answers) / len(unit.answers) if unit.answers else None for unit in units]
    clustered = any(unit.cluster is not None for unit in units)
    chances = any(unit.chance is not None for unit in units)
    return judged_table(
        [unit.key[0] for unit in units],
        [unit.judge for unit in units],
        None if known else labels,
        clusters=[unit.key if unit.cluster is None else unit.cluster for unit in units] if clustered else None,
        chances=[unit.chance for unit in units] if chances else None,
        rater_labels=rows if known else (),
    )


def with_chances(plan: Path, material: InputRecords) -> InputRecords:
    """With the chances with which units were drawn to be rated.

    Args:
        plan: file of a label plan.
        material: what was read.

    Raises:
        DataError: it is no plan, or it has units that are not among the records.
    """
    chances = {
        (each.system, each.dialogue_id or each.situation_id or ""): each.chance
        for each in read_records(plan, PlannedLabel)
    }
    lost = chances.keys() - {(each.system or UNNAMED, each.id) for each in material.dialogues}
    lost -= {(each.system, each.situation_id) for each in material.responses}
    if lost or not chances:
        system, unit = min(lost, default=("", ""))
        found = f"{len(lost)} of its {len(chances)} units are not in the data, such as {unit!r} of {system}."
        hint = "Give the plan of these data, as trialogue judge plan wrote it."
        raise DataError(Problem(found if lost else "it plans no unit.", file=str(plan), hint=hint))
    return replace(material, chances=chances, hashes={**material.hashes, plan.name: digests_of([plan])[plan]})
