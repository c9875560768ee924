"""Pipeline steps ``read`` and ``prepare``: read records from files and make them ready for measurement."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import DataError, Problem, UsageError
from trialogue.findings.judging.records import PlannedLabel
from trialogue.records import Raters, read_records
from trialogue.records.completion import UNNAMED
from trialogue.records.runs import digests_of
from trialogue.simulation.batch.folder import DIALOGUES
from trialogue.workflows.inputs.inputs import InputRecords, gather
from trialogue.workflows.inputs.locations import Named, inputs_of
from trialogue.workflows.inputs.memory import Data, InMemory
from trialogue.workflows.simulation.simulated_folder import baselines_in, with_baselines

Step = Callable[[InputRecords], InputRecords]
"""A step that prepares records, such as a title linker or a strategy labeller."""


def read(
    given: Sequence[str | Path | InMemory | Data],
    *,
    format_name: str | None = None,
    mapping: Columns | None = None,
    origin: Raters | None = None,
    key: str | None = None,
    tell: Callable[[str], None] = lambda _line: None,
) -> InputRecords:
    """Read everything in corpora and files: dialogues, situations, replies, and human answers.

    Beside the dialogues of a simulation come those of its baselines.

    Args:
        given: names of corpora, paths, or ``"SYSTEM=path"``; or data in memory.
        format_name: format of the files (default: auto-detect).
        mapping: which column of a table is what, as fields or a YAML file that holds them.
        origin: who gave the ratings; see ``gather``.
        key: column by which tables of scores are joined; see ``gather``.
        tell: called with progress lines.

    Raises:
        UsageError: nothing was given.
        DataError: unreadable input, or no conversations and no responses in it.
        MissingDataError: a corpus that is not on this machine.
    """
    if not given:
        raise UsageError("there is nothing to evaluate: name corpora or files.")
    material = gather(given, format_name=format_name, mapping=mapping, origin=origin, key=key, tell=tell)
    files = [each for each in given if isinstance(each, Named)]
    folders = dict.fromkeys(each.path.parent for each in inputs_of(files) if each.path.name == DIALOGUES)
    baselines = (each for folder in folders for each in baselines_in(folder))
    material.dialogues = with_baselines(material.dialogues, baselines)
    if not material:
        raise DataError(
            Problem(
                "the input contains no conversations, responses or answers. Name a file or corpus that does.",
                file=", ".join(map(str, given)),
            )
        )
    return material


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


def prepare(material: InputRecords, *steps: Step) -> InputRecords:
    """Apply preparation steps to the records in turn.

    Raises:
        DataError: a step leaves nothing to measure.
    """
    for step in steps:
        material = step(material)
    if not material:
        raise DataError(Problem("neither conversations nor responses are left to measure."))
    return material
