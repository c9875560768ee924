"""A recommender that calls tools, over any OpenAI-compatible endpoint; without OPENAI_API_KEY, over a scripted model.

Trialogue hands it ``tools``: their JSON Schemas, and ``call``, which executes a call and returns its result or error.
"""

import json
import os
import urllib.request

import fake_model

PROMPT = (
    "Recommend films. Search the catalogue first, recommend what you found with the tool, then say its title and year."
)
URL = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1")
MOST = 6  # answers of the model in one turn


def ask(messages, schemas, prompt):
    """The model's next message."""
    messages = [{"role": "system", "content": prompt}, *messages]
    key = os.environ.get("OPENAI_API_KEY")
    if not key:
        return fake_model.answer(messages)
    body = {"model": os.environ.get("MODEL", "gpt-4o-mini"), "messages": messages, "tools": schemas}
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{URL}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)["choices"][0]["message"]


class Agent:
    """The version in use. One object for each dialogue, so that it keeps what was said and found."""

    prompt = PROMPT

    def __init__(self, tools):
        """Trialogue offers the tools that ``ci.yaml`` names."""
        self.tools, self.messages = tools, []

    def reply(self, message):
        """Ask the model, execute what it calls, until it says something."""
        self.messages.append({"role": "user", "content": message})
        for _ in range(MOST):
            answer = ask(self.messages, self.tools.schemas, self.prompt)
            self.messages.append(answer)
            if not answer.get("tool_calls"):
                return answer["content"]
            for call in answer["tool_calls"]:
                made = self.tools.call(call["function"]["name"], call["function"]["arguments"], call_id=call["id"])
                content = made.error or json.dumps(made.result)
                self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        return "Sorry, I could not find anything."


class NewAgent(Agent):
    """The version of this branch: somebody shortened the prompt."""

    prompt = "Recommend films."
