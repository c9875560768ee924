"""The command's words. Each imports the room that does the work when it is called, so that ``--help`` is quick."""

from typing import Annotated

import typer

from trialogue.cli import agree, align, compare, data, demo, evaluate, metrics, report, reproduce, run, score
from trialogue.cli.simulation import agents, chat, simulate, users
from trialogue.cli.strategies.app import app as strategies_app
from trialogue.cli.study.app import app as study_app

app = typer.Typer(
    name="trialogue",
    help="Find out whether a conversational recommender is any good: measured, simulated, judged.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("evaluate")(evaluate.evaluate)
app.command("run")(run.run)
app.command("score")(score.score)
app.command("compare")(compare.compare)
app.command("report")(report.report)
app.command("metrics")(metrics.metrics)
app.add_typer(data.app, name="data")
app.command("simulate")(simulate.simulate)
app.add_typer(users.app, name="users")
app.command("align")(align.align)
app.add_typer(reproduce.app, name="reproduce")
app.command("agree")(agree.agree)
app.add_typer(strategies_app, name="strategies")
app.add_typer(agents.app, name="agents")
app.add_typer(study_app, name="study")
app.command("serve-agent")(agents.serve)
app.command("chat")(chat.chat)


def _version(wanted: bool) -> None:
    if wanted:
        from trialogue import __version__

        typer.echo(f"trialogue {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options of the command itself."""
