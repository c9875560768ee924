"""``trialogue tasks``: tasks whose outcome a program checks, their baselines, and scores of recorded trials."""

from pathlib import Path
from typing import Annotated

import typer

from trialogue.cli.shared.app import App
from trialogue.cli.shared.inputs import Mapped

app = App(no_args_is_help=True, help="Tasks that a program can check: baselines, and scores of recorded trials.")
Catalogue = Annotated[
    Path | None, typer.Option(help="Items, as a JSON list or JSON Lines (default: the file next to the tasks).")
]
EndsGiven = Annotated[
    str, typer.Option("--ends", help="Event that ends a trial: the first 'recommend' call, or 'accepted' by the user.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")]


@app.command()
def baselines(
    tasks: Annotated[str, typer.Argument(help="'demo', a task file, or a task folder (such as tau-Rec's).")],
    catalogue: Catalogue = None,
    ends: EndsGiven = "recommend",
    as_json: AsJson = False,
) -> None:
    """Compute the scores of trivial agents: abstain, always offer one item, offer any item, ask nothing, ask everything."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.tasks import tasks_text
    from trialogue.tasks.files import read_task_set
    from trialogue.tasks.outcomes import ends_of
    from trialogue.tasks.trials import score_baselines

    scores = score_baselines(read_task_set(tasks, catalogue=catalogue), ends=ends_of(ends))
    typer.echo(to_line(scores) if as_json else tasks_text(scores))


@app.command()
def score(
    trials: Annotated[
        list[str], typer.Argument(help="Recorded trials: results of tau-bench, tau2-bench or tau-Rec, or dialogues.")
    ],
    tasks: Annotated[
        str | None,
        typer.Option(help="Tasks of the trials, to score their tool calls (default: use the recorded reward)."),
    ] = None,
    catalogue: Catalogue = None,
    ends: EndsGiven = "recommend",
    format_name: Annotated[str | None, typer.Option("--format", help="Input format (default: auto-detect).")] = None,
    mapping: Mapped = None,
    as_json: AsJson = False,
) -> None:
    """Score recorded trials by system, next to the baselines, with intervals over tasks."""
    from trialogue.errors import UsageError
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.tasks import tasks_text
    from trialogue.tasks.outcomes import ends_of
    from trialogue.workflows.tasks import score_tasks

    if tasks is None and (catalogue is not None or ends != "recommend"):
        raise UsageError("--catalogue and --ends apply only to trials that are scored again: add --tasks.")
    scores = score_tasks(
        *trials, tasks=tasks, catalogue=catalogue, ends=ends_of(ends), format_name=format_name, mapping=mapping
    )
    typer.echo(to_line(scores) if as_json else tasks_text(scores))
