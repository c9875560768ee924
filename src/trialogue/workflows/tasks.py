"""Score recorded trials of tasks: read the trials and the tasks, score, and say what was left out."""

from pathlib import Path

from trialogue.datasets.tables.mapping import Columns
from trialogue.inputs.inputs import gather
from trialogue.tasks.files import read_task_set
from trialogue.tasks.outcomes import Ends
from trialogue.tasks.scores import TrialScores
from trialogue.tasks.trials import score_trials


def score_tasks(
    *given: str | Path,
    tasks: str | Path | None = None,
    catalogue: str | Path | None = None,
    ends: Ends = Ends.RECOMMEND,
    format_name: str | None = None,
    mapping: Columns | None = None,
) -> TrialScores:
    """Score trials by system, beside the baselines.

    Args:
        given: files with dialogues that have a task each, or ``"SYSTEM=file"``.
        tasks: tasks: demo, a task file, or a task folder (such as tau-Rec's); with them, the tool calls of trials are
            scored, and without, their recorded reward.
        catalogue: items, as a JSON list or JSON Lines (default: the file next to the tasks).
        ends: how a trial ends, if it is scored anew.
        format_name: input format (default: auto-detect).
        mapping: which field is what, as fields or a YAML file that holds them.

    Raises:
        DataError: a file cannot be read, or no trial can be scored.
        UsageError: there are no tasks, or no catalogue.
    """
    task_set = None if tasks is None else read_task_set(tasks, catalogue=catalogue)
    material = gather(given, format_name=format_name, mapping=mapping)
    found = score_trials(material.dialogues, task_set, ends=ends)
    return found.model_copy(update={"notes": (*found.notes, *material.warnings)})
