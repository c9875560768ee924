"""``trialogue simulate`` and ``trialogue users``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.talk import steps

if TYPE_CHECKING:
    from trialogue.simulation.batch import Progress

app = typer.Typer(help="Simulated users: fit them on annotated dialogues, or look at them.", no_args_is_help=True)


def simulate(
    study: Annotated[Path | None, typer.Argument(help="A study in YAML: agents, users, n, seed, ...")] = None,
    agent: Annotated[list[str] | None, typer.Option("--agent", "-a", help="An agent; may be repeated.")] = None,
    protocol: Annotated[str | None, typer.Option(help="The protocol that a URL speaks, such as moviebot.")] = None,
    users: Annotated[list[str] | None, typer.Option("--users", "-u", help="Simulated users; may be repeated.")] = None,
    n: Annotated[int, typer.Option("-n", min=1, help="Dialogues of each agent with each users.")] = 100,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the dialogues; an interrupted run goes on.")
    ] = Path("runs/simulation"),
    catalogue: Annotated[str, typer.Option(help="What users know: demo, or a MovieLens corpus.")] = "demo",
    max_turns: Annotated[int, typer.Option(min=1, help="User utterances after which a dialogue is over.")] = 50,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    cluster: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, or local.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
) -> None:
    """Let simulated users talk to agents; interrupted or killed, the same command goes on where it was."""
    from trialogue.errors import UsageError
    from trialogue.evaluation.simulate import simulate as run_study
    from trialogue.simulation.study import read_study, study_of

    if study is not None:
        if agent or users:
            raise UsageError("give either a study file, or --agent and --users.")
        given = read_study(study)
    else:
        if not agent:
            raise UsageError("name an agent with --agent, such as --agent reference:guided, or give a study file.")
        agents = {name: {"agent": name, "protocol": protocol} if protocol else name for name in agent}
        fields = {"agents": agents, "users": users or ["cir6-pkg"], "n": n, "seed": seed, "max_turns": max_turns}
        given = study_of({**fields, "jobs": jobs, "cluster": cluster, "out": str(out)})
    with steps() as tell:
        last = [-10.0]

        def progress(now: "Progress") -> None:
            if now.elapsed_s - last[0] >= 2 or now.done == now.total:
                last[0] = now.elapsed_s
                eta = "" if now.eta_s is None else f", {now.eta_s:.0f} s to go"
                tell(f"{now.done:,} of {now.total:,} dialogues, {now.failed:,} failed{eta}")

        batch = run_study(given, catalogue=catalogue, progress=progress)
        if batch.resumed:
            tell.say(f"{batch.resumed:,} of them were there before")
    for reason, count in batch.endings.items():
        typer.echo(f"{count:,} ended by {reason or 'nothing that was said'}")
    typer.echo(f"Dialogues: {batch.dialogues}")


@app.command("fit")
def fit(
    dialogues: Annotated[list[str], typer.Option("--dialogues", "-d", help="Annotated dialogues: files or corpora.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the fitted users.")],
    method: Annotated[str, typer.Option(help="qrfa-single, cir6-single or cir6-pkg.")] = "cir6-pkg",
    catalogue: Annotated[str, typer.Option(help="The items that the dialogues are about.")] = "demo",
) -> None:
    """Learn interaction model, understanding and wording from dialogues of real users with labelled acts."""
    from trialogue.evaluation import gather
    from trialogue.evaluation.knowledge import knowledge_named
    from trialogue.simulation import fit_users
    from trialogue.simulation.options import method as options_of

    with steps() as tell:
        read = gather(dialogues).dialogues
        tell(f"fitting {method} on {len(read)} dialogues")
        model = fit_users(read, catalogue=knowledge_named(catalogue).catalogue, options=options_of(method))
        model.save(out)
    typer.echo(f"Users: {out}")


@app.command("list")
def list_users() -> None:
    """The kinds of simulated users that come with Trialogue."""
    from trialogue.simulation import METHODS

    for name, options in METHODS.items():
        typer.echo(f"{name}: agenda {options.agenda}, preferences {options.preferences}")
