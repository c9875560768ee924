"""``trialogue simulate``: run dialogues between agents and simulated users."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import AsIn, Limited, Protocol, Tools, UserOptions, limits_of, workers_of
from trialogue.cli.shared.parameters import Call, Calls, Given
from trialogue.cli.shared.progress import exit_if_failed, find_modules_beside, steps
from trialogue.errors import TrialogueError, UsageError
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trialogue.simulation.batch.batch import Batch
    from trialogue.simulation.batch.plan import Opening
    from trialogue.simulation.batch.simulation_file import SimulationFile

DEFAULT = "runs/simulation"


def _check(given: Given) -> Iterator[str]:
    if given["continue_from"] is not None:
        yield from given.why_unused("--continue-from", "study user as_in")
        return
    if given["dialogue"] is not None or given["turn"] is not None:
        yield "--turn and --set dialogue=ID require --continue-from FILE."
    if given["study"] is not None:
        yield from given.why_unused("A study file", "agent users protocol tools user as_in")
    elif not given["agent"]:
        yield "give an agent with --agent, such as --agent reference:guided, or a study file."


@reads(
    check=_check,
    fields=Calls(
        "simulation.batch.simulation_file.SimulationFile",
        options="n catalogue needs",
        settings="ratings max_turns at_once stop_after max_failed",
    ),
)
def simulate(
    study: Path | None = None,
    *,
    agent: Annotated[list[str] | None, Help("An agent (repeatable).", ("--agent", "-a"))] = None,
    users: Annotated[list[str] | None, Help("A kind of simulated user (repeatable).", ("--users", "-u"))] = None,
    fields: "Call[SimulationFile]",
    out: Path | None = None,
    jobs: Annotated[str | None, Help(flags=("--jobs", "-j"))] = None,
    retry_failed: bool = False,
    limit: Limited = None,
    continue_from: str | None = None,
    turn: int | None = None,
    protocol: Protocol = None,
    tools: Tools = None,
    user: UserOptions = None,
    as_in: AsIn = None,
    save_needs: Annotated[Path | None, Setting()] = None,
    retry: Annotated[list[str] | None, Setting()] = None,
    latency: Annotated[bool, Setting()] = False,
    dialogue: Annotated[str | None, Setting("Id of the dialogue to continue, if the file has several.")] = None,
    seed: Seed | Literal["fresh"] | None = None,
) -> None:
    """Run agents against simulated users. Repeat the command to resume an interrupted run.

    Options override the study file. --seed fresh draws a new, recorded seed: use it for verdicts, because an agent can be
    tuned to the users of a known seed.

    Args:
        study: Study file in YAML: agents, users, n, seed, ...
        out: Output folder (default: runs/...). An interrupted run in this folder is resumed.
        jobs: Number of processes, the address of a Dask scheduler, or local:4 (default: 1).
        retry_failed: Repeat the failed dialogues of an earlier run, except failures caused by the agent's replies.
        continue_from: Continue a dialogue from this file instead of starting new ones.
        turn: User turn (from 1) that the agent answers again; the dialogue continues from there.
        save_needs: Write the users' needs to this file, so that later versions meet the same needs.
        retry: Repeat failed dialogues with this ending, such as agent_timeout.
        latency: Record the agents' response times. The output is then not reproducible byte for byte.
    """
    own = {
        "seed": seed,
        "out": None if out is None else str(out),
        "retry_failed": tuple(retry or ()) or retry_failed or None,
    }
    options = {
        **fields.given,
        **{name: value for name, value in own.items() if value is not None},
        **limits_of(limit),
        **({} if jobs is None else workers_of(jobs)),
    }
    if continue_from is not None:
        more: dict[str, Any] = {"out": "runs/continuations", **options, **({"users": users} if users else {})}
        _continue_dialogue(continue_from, dialogue, turn, agent, protocol, more, timed=latency)
        return
    if study is not None:
        from trialogue.simulation.batch.simulation_file import read_study

        find_modules_beside(study)
        _finish(read_study(study, **options), timed=latency, save_needs=save_needs)
        return
    options = {"users": _with_options(users or ["cir6-pkg"], user or {}, as_in), "out": DEFAULT, **options}
    _finish(_study(agent or [], protocol, options, tools=tools), timed=latency, save_needs=save_needs)


def _with_options(users: list[str], given: dict[str, Any], as_in: str | None) -> list[str] | dict[str, Any]:
    """Users by name, each with the options that were given."""
    options = {**({} if as_in is None else {"as": as_in}), **given}
    return {name: {"users": name, **options} for name in users} if options else users


def _study(
    agents: list[str],
    protocol: str | None,
    fields: dict[str, Any],
    *,
    known: "Mapping[str, Any] | None" = None,
    tools: list[str] | None = None,
) -> "SimulationFile":
    """Simulation settings for the given agents; ``known``: definitions of names."""
    from trialogue.simulation.batch.simulation_file import study_of

    given: dict[str, Any] = {}
    for agent in agents:
        if known and agent in known:
            name, spec = agent, known[agent]
        else:
            options = {"protocol": protocol, "tools": tools}
            own = {option: value for option, value in options.items() if value}
            name, spec = _name_in(agent), {"agent": agent, **own} if own else agent
        if given.get(name, spec) != spec:
            raise UsageError(f"Two agents are called {name!r}: rename one of them in its file.")
        given[name] = spec
    return study_of({"agents": given, **fields})


def _is_agent(name: str) -> bool:
    """Whether a system's name says how it can be talked to, as ``reference:guided`` does."""
    from trialogue.agents.registry import spec_of

    try:
        spec_of(name)
    except TrialogueError:
        return False
    return True


def _name_in(agent: str) -> str:
    """The name that a file gives its agent, else the agent as it was given; mistakes in a file are reported by the study."""
    from trialogue.agents.registry import is_file, spec_of

    try:
        return (spec_of(agent).name if is_file(agent) else None) or agent
    except TrialogueError:
        return agent


def _run_study(
    study: "SimulationFile", *, timed: bool, openings: "tuple[Opening, ...]" = (), save_needs: Path | None = None
) -> "Batch":
    from trialogue.simulating.model_usage import Meter, usage_text
    from trialogue.simulating.simulate import PrintedProgress, notes_of
    from trialogue.simulating.simulate import simulate as run_study

    meter = Meter(study.resolve_paths().out)
    with steps() as tell:
        try:
            batch = run_study(
                study, openings=openings, timed=timed, save_needs=save_needs, progress=PrintedProgress(tell)
            )
        finally:  # what was asked is paid for, however it ends
            for agent, usage in meter.usage_by_agent().items():
                tell.say(usage_text(agent, usage))
        for note in notes_of(batch):
            tell.say(f"note: {note}")
        if batch.resumed:
            tell.say(f"{batch.resumed:,} of them from the earlier run")
    return batch


def _finish(study: "SimulationFile", *, timed: bool, save_needs: Path | None) -> None:
    batch = _run_study(study, timed=timed, save_needs=save_needs)
    if save_needs is not None:
        typer.echo(f"Needs: {save_needs}")
    _tell(batch)
    _exit_if_useless(batch, study)


def _tell(batch: "Batch") -> None:
    from trialogue.simulation.failure_counts import retries_in, retries_in_a_line

    for ending, count in batch.endings.items():
        typer.echo(f"{count:,} ended by {ending.words if ending else 'an unrecorded cause'}")
    if batch.failure_count:
        from trialogue.records import Dialogue, read_records
        from trialogue.simulation.failure_counts import failed_in, in_a_line

        for failed in failed_in(read_records(batch.dialogues, Dialogue)):
            typer.echo(f"  {in_a_line(failed)}")
    for agent, (dialogues, cost) in retries_in(batch.dialogues).items():
        typer.echo(retries_in_a_line(agent, dialogues, cost))
    typer.echo(f"Dialogues: {batch.dialogues}")


def _exit_if_useless(batch: "Batch", study: "SimulationFile") -> None:
    """Exit with 1 if an agent failed in too many of its dialogues for a conclusion about it."""
    if not batch.failure_count:
        return
    from trialogue.records import Dialogue, read_records
    from trialogue.simulating.failed_agents import find_failed_agents

    exit_if_failed(find_failed_agents(read_records(batch.dialogues, Dialogue), most=study.max_failed))


def _continue_dialogue(
    source: str,
    dialogue_id: str | None,
    turn: int | None,
    agents: list[str] | None,
    protocol: str | None,
    fields: dict[str, Any],
    *,
    timed: bool,
) -> None:
    from trialogue.inputs.simulation_origin import origin_of
    from trialogue.records import Dialogue, read_records
    from trialogue.simulating.debugging import continuation_lines, dialogue_to_continue
    from trialogue.simulation.debug import opening_of

    dialogue = dialogue_to_continue(source, dialogue_id)
    if turn is None:
        raise UsageError("choose the user turn to continue from, such as --turn 4 (see: trialogue agents debug).")
    opening = opening_of(dialogue, turn)
    if not agents and not dialogue.system:
        raise UsageError("the dialogue does not name its agent: give one with --agent.")
    origin = origin_of(source)
    for folder in (origin.folder, origin.run_in):
        find_modules_beside(folder / "agent.py")
    if not agents and not (dialogue.system in origin.agents or _is_agent(str(dialogue.system))):
        what = f"the dialogue was with {dialogue.system!r}, which is not a known agent"
        raise UsageError(f"{what}: give an agent with --agent, such as module:Name, a file or a URL.")
    fields = {"users": origin.users_of(dialogue) or ["cir6-pkg"], **origin.fields, **fields}
    study = _study(agents or [str(dialogue.system)], protocol, fields, known=origin.agents)
    batch = _run_study(study, openings=(opening,), timed=timed)
    _tell(batch)
    for line in continuation_lines(dialogue, turn, read_records(batch.dialogues, Dialogue)):
        typer.echo(line)
    _exit_if_useless(batch, study)
