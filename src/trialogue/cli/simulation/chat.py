"""``trialogue agents chat``: talk to an agent in the terminal."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.shared.inputs import Protocol, Tools
from trialogue.cli.shared.progress import check_folder, steps
from trialogue.cli.simulation.agents import Given, printable
from trialogue.options import Help, Seed

if TYPE_CHECKING:
    from trialogue.agents import Agent, Session
    from trialogue.records import Dialogue, Ending, RetryCost, Utterance


def chat(
    agent: Given,
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
