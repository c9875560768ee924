"""``trialogue agents``: check, debug, chat with and serve agents."""

import json
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from annotated_types import Ge

from trialogue.cli.shared.app import App
from trialogue.cli.shared.inputs import Protocol, Tools
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.options import Help, Port, Seed, Setting

if TYPE_CHECKING:
    from trialogue.agents import Agent, Session
    from trialogue.agents.check import AgentCheck
    from trialogue.records import Dialogue, Ending, RetryCost, Utterance

app = App(help="Agents, the systems under test: check one, find out where it fails, chat with it, serve it.")
Given = Annotated[
    str, typer.Argument(help="An agent: a kind (see: trialogue list agents), a URL, 'module:Name', or a YAML file.")
]


@app.command("check")
def check(agent: Given, *, protocol: Protocol = None, tools: Tools = None, as_json: bool = False) -> None:
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


@app.command("debug")
def debug(
    source: str,
    *,
    system: Annotated[str | None, Help("Analyse only this agent (default: all agents).", ("--agent", "-a"))] = None,
    decides: Annotated[Literal["first", "last"], Setting()] = "first",
    most: Annotated[int, Ge(0), Setting("Number of example dialogues to list for each act.")] = 3,
    as_json: bool = False,
) -> None:
    """List the user acts that agents did not answer, most costly first, and where dialogues go wrong.

    Args:
        source: Folder of a simulation, or a file of dialogues with dialogue acts.
        decides: If an agent sends several messages in a row, judge the first or the last.
    """
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


@app.command("chat")
def chat(
    agent: Given,
    *,
    protocol: Protocol = None,
    tools: Tools = None,
    out: Annotated[Path | None, Help("Append the dialogue to this JSON Lines file.", ("--out", "-o"))] = None,
    seed: Seed = 0,
) -> None:
    """Chat with an agent in the terminal. An empty line, Ctrl-D or Ctrl-C ends the conversation."""
    from trialogue.agents.registry import make_agent

    before = [] if out is None else _earlier_dialogues(out)
    with steps() as tell:
        made = make_agent(agent, protocol=protocol, **({"tools": tools} if tools else {}))
        talk = _ChatTranscript()
        try:
            _converse(made, seed, talk)
        finally:
            made.close()
        if out is not None and talk.said:
            tell.say(f"saved to {out} as {_save(out, before, made.name, talk)}")
    if talk.ended_by is not None and talk.ended_by.is_failure:
        raise typer.Exit(1)


@dataclass
class _ChatTranscript:
    """Transcript, with the ending unless the person ended the conversation."""

    said: "list[Utterance]" = field(default_factory=list)
    ended_by: "Ending | None" = None
    detail: str | None = None
    """The message of a failure."""
    retries: "RetryCost | None" = None


def _earlier_dialogues(out: Path) -> "list[Dialogue]":
    """The dialogues that the file holds; now, and not after the talk, it is said if it cannot be added to."""
    from trialogue.records import Dialogue, read_records

    check_folder(out.parent)
    return list(read_records(out, Dialogue)) if out.exists() else []


def _converse(agent: "Agent", seed: int, talk: _ChatTranscript) -> None:
    """Talk, and take it down."""
    from trialogue.agents import AgentFailure
    from trialogue.agents.base import retries_of

    try:
        with agent.open("chat", seed=seed) as session:
            try:
                _take_turns(agent.name, session, talk)
            finally:
                talk.retries = retries_of(session)
    except AgentFailure as failure:
        talk.ended_by, talk.detail = failure.ending, failure.detail
        typer.echo(printable(str(failure)), err=True)
    except KeyboardInterrupt:
        typer.echo("", err=True)


def _take_turns(name: str, session: "Session", talk: _ChatTranscript) -> None:
    from trialogue.agents.tools.toolbox import call_text
    from trialogue.records import Ending, Utterance
    from trialogue.records.trace import calls_in

    turn = session.greet()
    while True:
        for message in turn.utterances if turn else ():
            talk.said.append(message)
            for call in calls_in([message]):
                typer.echo(f"  calls {printable(call_text(call))}")
            typer.echo(f"{name}: {printable(message.text)}")
        if turn is not None and turn.ends:
            talk.ended_by = Ending.AGENT_ENDED
            return
        text = _read_line()
        if not text:
            talk.ended_by = Ending.USER_ENDED
            return
        talk.said.append(Utterance(speaker="user", text=text))
        turn = session.reply(talk.said)


def _read_line() -> str:
    """A line of the user's; "" at the end. Bytes that are no text are shown as such and not passed on."""
    try:
        return input("you: ").encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
    except EOFError:
        return ""


def _save(path: Path, before: "list[Dialogue]", system: str, talk: _ChatTranscript) -> str:
    """Written whole; the id is the next free number."""
    from trialogue.records import Dialogue, write_records

    taken = {dialogue.id for dialogue in before}
    number = next(number for number in range(len(before) + 1, 2 * len(before) + 2) if f"chat-{number}" not in taken)
    dialogue = Dialogue(
        id=f"chat-{number}",
        system=system,
        utterances=tuple(talk.said),
        source="trialogue chat",
        ended_by=talk.ended_by,
        ending_detail=talk.detail,
        retries=talk.retries if talk.retries and talk.retries.count else None,
    )
    write_records(path, [*before, dialogue])
    return dialogue.id


@app.command("serve")
def serve(
    agent: Given,
    *,
    host: str = "127.0.0.1",
    port: Port = 5001,
    serves: Annotated[str, Help("Protocol to serve.", ("--protocol",))] = "trialogue",
    seed: Seed = 0,
) -> None:
    """Run any agent, such as reference:guided, as an HTTP server. Stop it with Ctrl-C.

    Args:
        host: Address to listen on.
    """
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
