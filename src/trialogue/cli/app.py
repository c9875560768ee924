"""Assemble the ``trialogue`` commands.

Each command imports the package that does the work only when it is called, so that ``--help`` is quick.
"""

from typing import Annotated

import typer

from trialogue.cli import (
    agents,
    agreement,
    comparison,
    data,
    evaluation,
    judging,
    lists,
    reproduce,
    runs,
    simulate,
    users,
)
from trialogue.cli.shared.app import App
from trialogue.cli.strategies import evaluating, labelling, training
from trialogue.cli.study import planning, recruit, serving

app = App(
    name="trialogue",
    help="Evaluate conversational recommender systems with metrics, simulated users and people.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
study = App(
    help="Human studies: create, preview, serve, export, analyse. To check a study folder: trialogue check FOLDER."
)
study.command("new")(planning.new)
study.command("simulate")(planning.simulate)
study.command("power")(planning.power)
study.command("serve")(serving.serve)
study.command("state")(serving.state)
study.command("staff")(serving.staff)
study.command("recruit")(recruit.recruit)
study.command("erase")(serving.erase)
study.command("backup")(serving.backup)
study.command("restore")(serving.restore)
study.command("export")(serving.export)
study.command("rate")(serving.rate)
study.command("report")(serving.report)
strategies = App(
    help="The thirteen recommendation strategies: label utterances, train and evaluate models, predict the next one."
)
strategies.command("label")(labelling.label)
strategies.command("evaluate")(evaluating.evaluate)
strategies.command("next")(evaluating.next_strategy)
strategies.command("train")(training.train)
EVALUATE, SIMULATE, PEOPLE, EXPLAIN, DATA = "Evaluate", "Simulate", "Ask people", "Explain", "Data"
"""Panels of ``trialogue --help``, in the order of their first command below."""

app.command("demo", panel=EVALUATE)(runs.demo)
app.command("evaluate", panel=EVALUATE)(evaluation.evaluate)
app.add_typer(comparison.app, name="compare", panel=EVALUATE)
app.command("ci", panel=EVALUATE)(comparison.ci)
app.command("board", panel=EVALUATE)(comparison.board)
app.command("score", panel=EVALUATE)(evaluation.score)
app.command("tasks", panel=EVALUATE)(evaluation.tasks)
app.command("run", panel=EVALUATE)(runs.run)
app.command("report", panel=EVALUATE)(runs.report)
app.command("rerun", panel=EVALUATE)(runs.rerun)
app.command("view", panel=EVALUATE)(runs.view)
app.command("simulate", panel=SIMULATE)(simulate.simulate)
app.add_typer(users.app, name="users", panel=SIMULATE)
app.add_typer(agents.app, name="agents", panel=SIMULATE)
app.add_typer(study, name="study", panel=PEOPLE)
app.command("agree", panel=PEOPLE)(agreement.agree)
app.add_typer(judging.app, name="judge", panel=PEOPLE)
app.command("align", panel=EXPLAIN)(agreement.align)
app.add_typer(strategies, name="strategies", panel=EXPLAIN)
app.add_typer(reproduce.app, name="reproduce", panel=EXPLAIN)
app.command("list", panel=DATA)(lists.list_names)
app.command("check", panel=DATA)(data.check)
app.add_typer(data.app, name="data", panel=DATA)


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
