"""``trialogue tasks``: scores of recorded trials of tasks whose outcome a program checks, and of trivial agents."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.inputs import Format, Mapped
from trialogue.options import Help


def tasks(
    trials: Annotated[
        list[str] | None,
        typer.Argument(
            help="Recorded trials: results of tau-bench, tau2-bench or tau-Rec, or dialogues (default: only baselines)."
        ),
    ] = None,
    task_set: Annotated[
        str | None,
        Help(
            "Tasks: demo, a task file, or a task folder (such as tau-Rec's). With it, the tool calls of trials are scored; "
            "without it, their recorded reward.",
            ("--tasks",),
        ),
    ] = None,
    catalogue: Annotated[
        Path | None, Help("Items, as a JSON list or JSON Lines (default: the file next to the tasks).")
    ] = None,
    ends: Annotated[
        str, Help("Event that ends a trial: the first 'recommend' call, or 'accepted' by the user.")
    ] = "recommend",
    format_name: Format = None,
    mapping: Mapped = None,
    as_json: bool = False,
) -> None:
    """Score recorded trials of tasks by system, or only trivial agents: abstain, one item, any item, ask nothing or all."""
    from trialogue.errors import UsageError
    from trialogue.records.files.jsonl import to_line
    from trialogue.render.tasks import tasks_text
    from trialogue.tasks.files import read_task_set
    from trialogue.tasks.outcomes import ends_of
    from trialogue.tasks.trials import score_baselines
    from trialogue.workflows.tasks import score_tasks

    if task_set is None and not trials:
        raise UsageError("give recorded trials, or --tasks for the scores of trivial agents.")
    if task_set is None and (catalogue is not None or ends != "recommend"):
        raise UsageError("--catalogue and --ends apply only to trials that are scored again: add --tasks.")
    if not trials and (format_name is not None or mapping is not None):
        raise UsageError("--format and --mapping are for recorded trials, and none were given.")
    if trials:
        scores = score_tasks(
            *trials, tasks=task_set, catalogue=catalogue, ends=ends_of(ends), format_name=format_name, mapping=mapping
        )
    else:
        scores = score_baselines(read_task_set(str(task_set), catalogue=catalogue), ends=ends_of(ends))
    typer.echo(to_line(scores) if as_json else tasks_text(scores))
