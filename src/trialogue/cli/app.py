"""Assemble the ``trialogue`` commands.

Each command imports the package that does the work only when it is called, so that ``--help`` is quick.
"""

from typing import Annotated

import typer

from trialogue.cli import (
    agree,
    align,
    board,
    check,
    compare,
    data,
    demo,
    evaluate,
    lists,
    report,
    reproduce,
    run,
    score,
    tasks,
    view,
)
from trialogue.cli.judging.app import app as judge_app
from trialogue.cli.shared.app import App
from trialogue.cli.simulation import ci, simulate
from trialogue.cli.simulation.app import agents_app, users_app
from trialogue.cli.strategies.app import app as strategies_app
from trialogue.cli.study.app import app as study_app

app = App(
    name="trialogue",
    help="Evaluate conversational recommender systems with metrics, simulated users and people.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
EVALUATE, SIMULATE, PEOPLE, EXPLAIN, DATA = "Evaluate", "Simulate", "Ask people", "Explain", "Data"
"""Panels of ``trialogue --help``, in the order of their first command below."""

app.command("demo", rich_help_panel=EVALUATE)(demo.demo)
app.command("evaluate", rich_help_panel=EVALUATE)(evaluate.evaluate)
app.add_typer(compare.app, name="compare", rich_help_panel=EVALUATE)
app.command("ci", rich_help_panel=EVALUATE)(ci.ci)
app.command("board", rich_help_panel=EVALUATE)(board.board)
app.command("score", rich_help_panel=EVALUATE)(score.score)
app.command("tasks", rich_help_panel=EVALUATE)(tasks.tasks)
app.command("run", rich_help_panel=EVALUATE)(run.run)
app.command("report", rich_help_panel=EVALUATE)(report.report)
app.command("rerun", rich_help_panel=EVALUATE)(report.rerun)
app.command("view", rich_help_panel=EVALUATE)(view.view)
app.command("simulate", rich_help_panel=SIMULATE)(simulate.simulate)
app.add_typer(users_app, name="users", rich_help_panel=SIMULATE)
app.add_typer(agents_app, name="agents", rich_help_panel=SIMULATE)
app.add_typer(study_app, name="study", rich_help_panel=PEOPLE)
app.command("agree", rich_help_panel=PEOPLE)(agree.agree)
app.add_typer(judge_app, name="judge", rich_help_panel=PEOPLE)
app.command("align", rich_help_panel=EXPLAIN)(align.align)
app.add_typer(strategies_app, name="strategies", rich_help_panel=EXPLAIN)
app.add_typer(reproduce.app, name="reproduce", rich_help_panel=EXPLAIN)
app.command("list", rich_help_panel=DATA)(lists.list_names)
app.command("check", rich_help_panel=DATA)(check.check)
app.add_typer(data.app, name="data", rich_help_panel=DATA)


def _version(wanted: bool) -> None:
    if wanted:
        from trialogue import __version__

        typer.echo(f"trialogue {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Options of ``trialogue`` itself."""
