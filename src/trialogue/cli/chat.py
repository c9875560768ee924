"""``trialogue chat``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.cli.agents import Given, Protocol
from trialogue.cli.talk import check_folder, steps

if TYPE_CHECKING:
    from trialogue.agents import Agent
    from trialogue.records import Dialogue, Utterance


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
        said: list[Utterance] = []
        try:
            answered = _talked(made, seed, said)
        finally:
            made.close()
        if out is not None and said:
            tell.say(f"saved to {out} as {_saved(out, before, made.name, said)}")
    if not answered:
        raise typer.Exit(1)


def _there(out: Path) -> "list[Dialogue]":
    """The dialogues that the file holds; now, and not after the talk, it is said if it cannot be added to."""
    from trialogue.records import Dialogue, read_records

    check_folder(out.parent)
    return list(read_records(out, Dialogue)) if out.exists() else []


def _talked(agent: "Agent", seed: int, said: "list[Utterance]") -> bool:
    """Talk; what is said is added to a list. Whether the agent answered to the end."""
    from trialogue.agents import AgentFailure
    from trialogue.records import Utterance

    try:
        with agent.open("chat", seed=seed) as session:
            turn = session.greet()
            while True:
                for message in turn.utterances if turn else ():
                    said.append(message)
                    typer.echo(f"{agent.name}: {message.text}")
                text = "" if turn is not None and turn.ends else _heard()
                if not text:
                    return True
                said.append(Utterance(speaker="user", text=text))
                turn = session.reply(said)
    except AgentFailure as failure:
        typer.echo(str(failure), err=True)
        return False
    except KeyboardInterrupt:
        typer.echo("", err=True)
        return True


def _heard() -> str:
    """A line of the user's; "" at the end. Bytes that are no text are shown as such and not passed on."""
    try:
        return input("you: ").encode("utf-8", "surrogateescape").decode("utf-8", "replace").strip()
    except EOFError:
        return ""


def _saved(path: Path, before: "list[Dialogue]", system: str, said: "list[Utterance]") -> str:
    """Written whole; the id is the next free number."""
    from trialogue.records import Dialogue, write_records

    taken = {dialogue.id for dialogue in before}
    number = next(number for number in range(len(before) + 1, 2 * len(before) + 2) if f"chat-{number}" not in taken)
    dialogue = Dialogue(id=f"chat-{number}", system=system, utterances=tuple(said), source="trialogue chat")
    write_records(path, [*before, dialogue])
    return dialogue.id
