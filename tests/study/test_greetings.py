"""A system that speaks first is heard first, once, and in the conversation that is kept."""

from collections.abc import Sequence

import pytest
from django.test import Client

from tests.study.pages.studies import entered, running, sent, source
from trialogue.agents import AgentFailure, Turn
from trialogue.agents.base import SimpleSession
from trialogue.records import Utterance
from trialogue.study.models import Chat, ChatTurn
from trialogue.study.services import chatting

pytestmark = pytest.mark.usefixtures("store")
HELLO = "Hello! What do you look for?"


def says(*texts: str, ends: bool = False) -> Turn:
    return Turn(tuple(Utterance(speaker="system", text=text) for text in texts), ends=ends)


class Host(SimpleSession):
    def __init__(self, first: Turn | None, heard: list[list[str]]) -> None:
        self.first, self.heard = first, heard

    def greet(self) -> Turn | None:
        self.heard.append(["greet"])
        if self.first is not None and not self.first.utterances and not self.first.ends:
            raise AgentFailure("unreachable", "asleep")
        return self.first

    def reply(self, history: Sequence[Utterance]) -> Turn:
        self.heard.append([each.text for each in history])
        return says("I see.")


class HostAgent:
    name = "host"
    sessions_at_once = None

    def __init__(self, first: Turn | None) -> None:
        self.first = first
        self.heard: list[list[str]] = []

    def open(self, dialogue_id: str, *, seed: int) -> Host:
        return Host(self.first, self.heard)

    def close(self) -> None:
        pass


def at_chat(monkeypatch: pytest.MonkeyPatch, first: Turn | None) -> tuple[Client, str, HostAgent]:
    """The page of a conversation with an agent that says something first."""
    agent = HostAgent(first)
    monkeypatch.setattr(chatting, "TALKS", chatting.OpenConversations(lambda _: agent))
    study, client = running("chat", items=1, items_per_participant=1, phases=["consent", "tasks", "exit"]), Client()
    page = sent(client, entered(client, study))
    return client, source(page), agent


def stored() -> list[tuple[str, str]]:
    return list(ChatTurn.objects.values_list("speaker", "text"))


def test_what_a_system_says_first_is_shown_and_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    client, page, agent = at_chat(monkeypatch, says(HELLO, "I know films."))
    assert "Hello! What do you look for?" in page
    assert "I know films." in page
    assert "Say hello, or write what you are looking for" not in page
    client.get("/chat/step/")
    client.get("/chat/step/")
    assert agent.heard == [["greet"]]
    assert stored() == [("system", HELLO), ("system", "I know films.")]


def test_the_first_message_follows_the_greeting_and_the_system_receives_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client, _, agent = at_chat(monkeypatch, says(HELLO))
    page = client.get("/chat/step/")
    after = sent(client, page, say="A thriller.", act="say")  # type: ignore[arg-type]
    assert "I see." in source(after)
    assert agent.heard[-1] == [HELLO, "A thriller."]
    assert stored() == [("system", HELLO), ("user", "A thriller."), ("system", "I see.")]


def test_a_system_that_waits_for_the_user_is_asked_once_and_one_that_is_asleep_keeps_nobody_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for first in (None, Turn(())):
        client, page, agent = at_chat(monkeypatch, first)
        assert "Say hello, or write what you are looking for" in page
        client.get("/chat/step/")
        assert agent.heard == [["greet"]]
        sent(client, client.get("/chat/step/"), say="Hi", act="say")  # type: ignore[arg-type]
        assert stored()[-2:] == [("user", "Hi"), ("system", "I see.")]
        Chat.objects.all().delete()


def test_systems_that_only_say_that_it_is_over_end_their_conversations(monkeypatch: pytest.MonkeyPatch) -> None:
    _, page, _ = at_chat(monkeypatch, says("We are closed.", ends=True))
    assert [chat.ended_by for chat in Chat.objects.all()] == ["system", "system"]
    assert stored() == [("system", "We are closed.")] * 2
    assert "How was it?" in page
