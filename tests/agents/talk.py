"""What tests say to agents."""

from trialogue.agents import Agent, Turn
from trialogue.records import Utterance


def user(text: str) -> Utterance:
    return Utterance(speaker="user", text=text)


def texts(turn: Turn | None) -> list[str]:
    return [] if turn is None else [said.text for said in turn.utterances]


def said_to(agent: Agent, *messages: str, dialogue_id: str = "d", seed: int = 0) -> list[list[str]]:
    """What the agent says first and after each message."""
    with agent.open(dialogue_id, seed=seed) as session:
        greeting = session.greet()
        history = list(greeting.utterances) if greeting else []
        said = [texts(greeting)]
        for message in messages:
            history.append(user(message))
            turn = session.reply(history)
            history.extend(turn.utterances)
            said.append(texts(turn))
    return said


def turn_of(agent: Agent, message: str = "hi") -> Turn:
    """The agent's first turn."""
    with agent.open("d", seed=0) as session:
        return session.reply([user(message)])
