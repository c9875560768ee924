"""Agents served by Trialogue, in a process of their own, each in every HTTP protocol. Prints their addresses as JSON."""

import json
import sys
import threading

from trialogue.agents.base import Agent
from trialogue.agents.baselines import Echo
from trialogue.agents.callable_agent import CallableAgent
from trialogue.agents.serving.conversations import PROTOCOLS
from trialogue.agents.serving.http_server import AgentServer


class Counting:
    """Greets, counts, and ends the dialogue after three turns; in each turn two messages, the second with an act."""

    def __init__(self, seed: int) -> None:
        self.turns = 0
        self.seed = seed

    def greet(self) -> str:
        return "Welcome!"

    def reply(self, message: str) -> object:
        self.turns += 1
        acts = [{"intent": "COUNT", "slots": [{"slot": "NUMBER", "value": str(self.turns)}]}]
        return {"messages": ["Well.", {"text": f"{message} {self.turns}", "acts": acts}], "ends": self.turns == 3}


def broken(message: str) -> str:
    raise RuntimeError("out of films")


AGENTS: dict[str, Agent] = {
    "echo": Echo(),
    "counting": CallableAgent(Counting),
    "broken": CallableAgent(broken),
}

if __name__ == "__main__":
    addresses = {}
    for name, agent in AGENTS.items():
        for protocol in PROTOCOLS:
            addresses[f"{name}/{protocol}"] = AgentServer(agent, protocol=protocol).start().url
    sys.stdout.write(json.dumps(addresses) + "\n")
    sys.stdout.flush()
    threading.Event().wait()
