"""``trialogue agents`` and ``trialogue serve-agent``: list, check, debug and serve agents."""

import json
import unicodedata
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.app import App
from trialogue.cli.shared.progress import steps
from trialogue.options import Seed

if TYPE_CHECKING:
    from trialogue.agents.check import AgentCheck

app = App(
    help="Agents (the systems under test): list the kinds, check an agent, find out where it fails.",
    no_args_is_help=True,
)

Given = Annotated[
    str, typer.Argument(help="An agent: a kind (see: trialogue agents list), a URL, 'module:Name', or a YAML file.")
]
Tools = Annotated[
    list[str] | None,
    typer.Option(
        help="Tools that the agent is offered: catalogue, catalogue:FILE, or module:function (repeatable). Default: none."
    ),
]
Protocol = Annotated[
    str | None, typer.Option(help="Protocol (for example moviebot) if the agent is the URL of a server.")
]


@app.command("list")
def kinds() -> None:
    """List the kinds of agents."""
    from trialogue.agents.registry import GROUP
    from trialogue.plugins import plugins_of

    names = sorted(plugins_of(GROUP))
    width = max(map(len, names))
    for name in names:
        about = (plugins_of(GROUP)[name].load().__doc__ or "").strip().splitlines()[0]
        typer.echo(f"{name:<{width}}  {about.removeprefix(f'``{name}``: ')}")


@app.command("check")
def check(
    agent: Given,
    protocol: Protocol = None,
    tools: Tools = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Check whether an agent answers, how fast it answers, and whether it can serve several users at once."""
    from trialogue.agents.check import check_agent
    from trialogue.agents.registry import make_agent

    made = make_agent(agent, protocol=protocol, **({"tools": tools} if tools else {}))
    try:
        found = check_agent(made)
    finally:
        made.close()
    if as_json:
        typer.echo(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
    else:
        for line in _check_lines(found):
            typer.echo(line)
    if not found.answers:
        raise typer.Exit(1)


@app.command("debug")
def debug(
    source: Annotated[str, typer.Argument(help="Folder of a simulation, or a file of dialogues with dialogue acts.")],
    system: Annotated[
        str | None, typer.Option("--agent", help="Analyse only this agent (default: all agents).")
    ] = None,
    decides: Annotated[
        str, typer.Option(help="If an agent sends several messages in a row, judge the first or the last.")
    ] = "first",
    most: Annotated[int, typer.Option(min=0, help="Number of example dialogues to list for each act.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """List the user acts that agents did not answer, most costly first, and where dialogues go wrong."""
    from trialogue.errors import UnknownNameError
    from trialogue.workflows.simulation.debugging import debug as reports_on
    from trialogue.workflows.simulation.debugging import report_lines

    if decides not in ("first", "last"):
        raise UnknownNameError("message of a burst", decides, ["first", "last"])
    with steps():
        reports = reports_on([source], system=system, decides=decides)  # type: ignore[arg-type]
    if as_json:
        typer.echo(json.dumps([report.to_json() for report in reports], ensure_ascii=False, indent=1))
        return
    typer.echo("\n\n".join(report_lines(report, source=source, most=most) for report in reports))


def printable(text: str) -> str:
    """An agent's words for a terminal: control characters, which could do anything to it, are shown and not obeyed.

    >>> printable("Hello\\n\\x1b[2J")
    'Hello\\n\\\\x1b[2J'
    """
    return "".join(
        letter if letter in "\n\t" or unicodedata.category(letter) != "Cc" else f"\\x{ord(letter):02x}"
        for letter in text
    )


def _check_lines(found: "AgentCheck") -> list[str]:
    from trialogue.agents.tools.toolbox import call_text

    lines = [f"{found.agent}: {'reachable' if found.reachable else 'not reachable'}"]
    if found.detail:
        lines.append(f"  failure ({found.failure}): {found.detail}")
    if found.latency_p50_s is not None:
        lines.append(f"  {found.turns} turns, median {found.latency_p50_s * 1e3:.1f} ms, 95% under {_ms(found)} ms")
    lines += [f"  says first: {printable(text)}" for text in found.greeting]
    for calls, replies in zip(found.calls, found.replies, strict=True):
        lines += [f"  calls: {printable(call_text(call))}" for call in calls]
        lines += [f"  replies: {printable(text)}" for text in replies]
    for name in ("deterministic", "keeps_state", "isolated"):
        value = getattr(found, name)
        answer = {True: "yes", False: "no", None: f"unknown ({found.why.get(name, 'not tried')})"}[value]
        lines.append(f"  {name.replace('_', ' ')}: {answer}")
    return lines


def _ms(found: "AgentCheck") -> str:
    return f"{(found.latency_p95_s or 0) * 1e3:.1f}"


def serve(
    agent: Given,
    protocol: Annotated[str, typer.Option(help="Protocol to serve.")] = "trialogue",
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port (0: any free port).")] = 5001,
    seed: Seed = 0,
) -> None:
    """Run any agent, such as reference:guided, as an HTTP server. Stop it with Ctrl-C."""
    from trialogue.agents.registry import make_agent
    from trialogue.agents.serving.http_server import AgentServer

    made = make_agent(agent)
    server = AgentServer(made, protocol=protocol, host=host, port=port, seed=seed)
    typer.echo(f"{made.name} is listening on {server.url} (protocol: {protocol}). Stop it with Ctrl-C.")
    try:
        server.run()
    except KeyboardInterrupt:
        typer.echo("ended", err=True)
    finally:
        server.close()
        made.close()
