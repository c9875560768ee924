"""``trialogue agents``: check, debug and serve agents."""

import json
import unicodedata
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from annotated_types import Ge

from trialogue.cli.shared.inputs import Protocol, Tools
from trialogue.cli.shared.progress import steps
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from trialogue.agents.check import AgentCheck

Given = Annotated[
    str, typer.Argument(help="An agent: a kind (see: trialogue list agents), a URL, 'module:Name', or a YAML file.")
]


def check(agent: Given, protocol: Protocol = None, tools: Tools = None, as_json: bool = False) -> None:
    """Check whether an agent answers, how fast it answers, and whether it can serve several users at once."""
    from trialogue.agents.check import check_agent
    from trialogue.agents.registry import make_agent

    made = make_agent(agent, protocol=protocol, **({"tools": tools} if tools else {}))
    try:
        found = check_agent(made)
    finally:
        made.close()
    text = json.dumps(found.to_json(), ensure_ascii=False, indent=1) if as_json else "\n".join(_check_lines(found))
    typer.echo(text)
    if not found.answers:
        raise typer.Exit(1)


def debug(
    source: Annotated[str, typer.Argument(help="Folder of a simulation, or a file of dialogues with dialogue acts.")],
    system: Annotated[str | None, Help("Analyse only this agent (default: all agents).", ("--agent", "-a"))] = None,
    decides: Annotated[
        Literal["first", "last"], Setting("If an agent sends several messages in a row, judge the first or the last.")
    ] = "first",
    most: Annotated[int, Ge(0), Setting("Number of example dialogues to list for each act.")] = 3,
    as_json: bool = False,
) -> None:
    """List the user acts that agents did not answer, most costly first, and where dialogues go wrong."""
    from trialogue.simulating.debugging import debug as reports_on
    from trialogue.simulating.debugging import report_lines

    with steps():
        reports = reports_on([source], system=system, decides=decides)
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
    host: Annotated[str, Help("Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port (0: any free port).")] = 5001,
    serves: Annotated[str, Help("Protocol to serve.", ("--protocol",))] = "trialogue",
    seed: Seed = 0,
) -> None:
    """Run any agent, such as reference:guided, as an HTTP server. Stop it with Ctrl-C."""
    from trialogue.agents.registry import make_agent
    from trialogue.agents.serving.http_server import AgentServer

    made = make_agent(agent)
    server = AgentServer(made, protocol=serves, host=host, port=port, seed=seed)
    typer.echo(f"{made.name} is listening on {server.url} (protocol: {serves}). Stop it with Ctrl-C.")
    try:
        server.run()
    except KeyboardInterrupt:
        typer.echo("ended", err=True)
    finally:
        server.close()
        made.close()
