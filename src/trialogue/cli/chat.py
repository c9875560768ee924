"""``trialogue chat``."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.agents import Given, Protocol, printable
from trialogue.cli.talk import check_folder, steps

if TYPE_CHECKING:
    from trialogue.agents import Agent
    from trialogue.records import Dialogue, JsonValue, Utterance


def chat(
    agent: Given,
    protocol: Protocol = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Add the dialogue to this JSON Lines file.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of what the agent draws at random.")] = 0,
) -> None:
    """Talk to an agent yourself; an empty line, Ctrl-D or Ctrl-C ends the conversation."""
    from trialogue.agents.registry import make_agent

    before = [] if out is None else _there(out)
    with steps() as tell:
        made = make_agent(agent, protocol=protocol)
        talk = _Talk()
        try:
            _talked(made, seed, talk)
        finally:
            made.close()
        if out is not None and talk.said:
            tell.say(f"saved to {out} as {_saved(out, before, made.name, talk)}")
    if "error" in talk.meta:
        raise typer.Exit(1)


@dataclass
class _Talk:
    """What was said, and by what it ended where that was not the person who talked."""

    said: "list[Utterance]" = field(default_factory=list)
    ended_by: str | None = None
    meta: "dict[str, JsonValue]" = field(default_factory=dict)


def _there(out: Path) -> "list[Dialogue]":
    """The dialogues that the file holds; now, and not after the talk, it is said if it cannot be added to."""
    from trialogue.records import Dialogue, read_records

    check_folder(out.parent)
    return list(read_records(out, Dialogue)) if out.exists() else []


def _talked(agent: "Agent", seed: int, talk: _Talk) -> None:
    """Talk, and take it down."""
    from trialogue.agents import AgentFailure
    from trialogue.records import Utterance
    from trialogue.records.endings import AGENT_ENDED, AGENT_ERROR, TIMEOUT

    try:
        with agent.open("chat", seed=seed) as session:
            turn = session.greet()
            while True:
                for message in turn.utterances if turn else ():
                    talk.said.append(message)
                    typer.echo(f"{agent.name}: {printable(message.text)}")
                if turn is not None and turn.ends:
                    talk.ended_by = AGENT_ENDED
                    return
                text = _heard()
                if not text:
                    return
                talk.said.append(Utterance(speaker="user", text=text))
                turn = session.reply(talk.said)
    except AgentFailure as failure:
        talk.ended_by = TIMEOUT if failure.kind == "timeout" else AGENT_ERROR
        talk.meta["error"] = {"kind": failure.kind, "detail": failure.detail}
        typer.echo(printable(str(failure)), err=True)
    except KeyboardInterrupt:
        typer.echo("", err=True)


def _heard() -> str:
    """A line of the user's; "" at the end. Bytes that are no text are shown as such and not passed on."""
    try:
        return input("you: ").encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
    except EOFError:
        return ""


def _saved(path: Path, before: "list[Dialogue]", system: str, talk: _Talk) -> str:
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
        meta=talk.meta,
    )
    write_records(path, [*before, dialogue])
    return dialogue.id
