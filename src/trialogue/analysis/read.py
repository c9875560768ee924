"""Pipeline steps ``read`` and ``prepare``: read records from files and make them ready for measurement."""

from collections.abc import Callable, Sequence
from pathlib import Path

from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.inputs.locations import Named, inputs_of
from trialogue.inputs.memory import Data, InMemory
from trialogue.inputs.simulated_folder import baselines_in, with_baselines
from trialogue.records import Raters
from trialogue.simulation.batch.folder import DIALOGUES

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
