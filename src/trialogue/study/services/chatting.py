"""Chats with systems, saved as they happen: a message is stored before the system is asked, and its reply after.

The agent's session stays open in the process that opened it. Another process opens a new one and
passes it the whole conversation, so that any process may answer, except for agents with internal memory.

Open agent sessions of chats, held in memory; the conversations themselves are in the database.

A session stays open in the process that opened it. Another process, or this one after a restart, opens a new one and
passes it the whole history: agents whose state is the history do not notice. Agents with internal memory do, so a
study with such an agent is served by one process (with any number of threads).
"""

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, TypeAlias

from django.db import IntegrityError, transaction
from django.utils import timezone

from trialogue.agents import Agent, AgentFailure, Session, Turn, make_agent
from trialogue.errors import TrialogueError
from trialogue.records import JsonValue, Speaker, Utterance
from trialogue.seeds import seed_for
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import AnyItem, ChatItem
from trialogue.study.design.pages import ChatShown, Line
from trialogue.study.design.questions import Answers, answers_to, clean
from trialogue.study.models import Chat, ChatTurn, Participant
from trialogue.study.services.rows import file_of

if TYPE_CHECKING:
    from trialogue.agents import Turn

LONGEST = 2_000  # characters of a message
WAIT_S = 90  # seconds after which an answer that was asked for is asked for again
SaidKind = Literal["said", "repeated", "ended", "invalid", "down"]
_log = logging.getLogger("trialogue.study")


@dataclass(frozen=True)
class MessageOutcome:
    """The outcome of a message."""

    kind: SaidKind
    """``said``: stored (and answered). ``repeated``: it was there. ``ended``: the conversation is over. ``invalid``: empty,
    too long, or an answer is missing. ``down``: the system does not answer; what was said is kept."""
    answers: Answers | None = None
    """Answers to the questions of each turn, with their errors."""


def shown_chat(participant: Participant, key: str, record: AnyItem, order: Sequence[str], file: StudyFile) -> ChatShown:
    """The conversation that is going on in a step, or the last one if all are over."""
    assert isinstance(record, ChatItem)
    chats = list(Chat.objects.filter(participant=participant, step=key).order_by("number"))
    over = [chat for chat in chats if chat.ended_at is not None]
    number = min(len(over) + 1, len(order))
    chat = next((each for each in chats if each.number == number), None)
    turns = list(chat.turns.all()) if chat else []
    mine = sum(turn.speaker == "user" for turn in turns)
    done = len(over) == len(order)
    return ChatShown(
        number=number,
        of=len(order),
        task=record.task,
        lines=tuple(Line(turn.speaker, turn.text) for turn in turns),
        turn=mine,
        turns_left=max(0, file.chat.turns - mine),
        turns_needed=max(0, file.chat.at_least - mine),
        ended=done,
        waiting=bool(turns) and turns[-1].speaker == "user" and not done,
        turn_questions=file.chat.each_turn if mine and turns[-1].speaker == "system" else (),
    )


def current_chat(participant: Participant, key: str, order: Sequence[str]) -> Chat | None:
    """The conversation that is going on in a step, begun if it is not; None if all are over."""
    chats = {chat.number: chat for chat in Chat.objects.filter(participant=participant, step=key)}
    for number, system in enumerate(order, start=1):
        chat = chats.get(number)
        if chat is None:
            try:
                with transaction.atomic():
                    chat = Chat.objects.create(participant=participant, step=key, number=number, system=system)
            except IntegrityError:
                chat = Chat.objects.get(participant=participant, step=key, number=number)
        if chat.ended_at is None:
            return chat
    return None


def begin(participant: Participant, key: str, order: Sequence[str]) -> bool:
    """Begin the conversation whose turn it is in a step, if it has not begun, and keep what its system says first.

    Whether there is something new to be shown. A system that cannot be reached now says nothing, and is asked again with the
    first message.
    """
    chats = {chat.number: chat for chat in Chat.objects.filter(participant=participant, step=key)}
    number = next((n for n in range(1, len(order) + 1) if n not in chats or chats[n].ended_at is None), None)
    if number is None or number in chats:
        return False
    chat = current_chat(participant, key, order)
    return chat is not None and _greet(participant, chat)


def _greet(participant: Participant, chat: Chat) -> bool:

    file = file_of(participant.study)
    try:
        turn = TALKS.greet(_name(chat), _spec(file, chat), seed=_seed(participant, chat))
    except TrialogueError as failure:
        _log.warning("system %s did not start a dialogue in study %s: %s", chat.system, participant.study.slug, failure)
        return False
    if turn is not None and _store(chat, 0, turn, limit=file.chat.turns):
        _close_session(chat)
    return turn is not None


def say(participant: Participant, chat: Chat, text: str, *, turn: int, posted: dict[str, list[str]]) -> MessageOutcome:
    """Store a message of the participant, and ask the system for its answer.

    Args:
        participant: who speaks.
        chat: the conversation.
        text: the message.
        turn: number of their messages when it was written; a message that is sent twice is stored once.
        posted: the submitted form, for questions asked at each turn.
    """
    file = file_of(participant.study)
    message = clean(text)
    answers = answers_to(file.chat.each_turn if turn else (), posted)
    if chat.ended_at is not None:
        return MessageOutcome("ended")
    if not message or len(message) > LONGEST or answers.wrong:
        return MessageOutcome("invalid", answers)
    with transaction.atomic():
        locked = Chat.objects.select_for_update().get(pk=chat.pk)
        turns = list(locked.turns.all())
        if sum(each.speaker == "user" for each in turns) != turn or (turns and turns[-1].speaker == "user"):
            return MessageOutcome("repeated")
        if answers.values and turns:
            turns[-1].answers = answers.values
            turns[-1].save(update_fields=["answers"])
        ChatTurn.objects.create(chat=locked, number=len(turns) + 1, speaker="user", text=message)
    return answer(participant, chat)


def answer(participant: Participant, chat: Chat) -> MessageOutcome:
    """Request the system's reply to the last message, unless another request is running."""
    file = file_of(participant.study)
    now = timezone.now()
    with transaction.atomic():
        locked = Chat.objects.select_for_update().get(pk=chat.pk)
        turns = list(locked.turns.all())
        if locked.ended_at is not None or not turns or turns[-1].speaker != "user":
            return MessageOutcome("repeated")
        if locked.waiting_since is not None and locked.waiting_since > now - timedelta(seconds=WAIT_S):
            return MessageOutcome("repeated")
        locked.waiting_since = now
        locked.save(update_fields=["waiting_since"])
    try:
        turn = _ask_agent(participant, chat, turns, file)
    except TrialogueError as failure:  # an AgentFailure, or an agent that cannot be made
        _log.warning("system %s did not answer in study %s: %s", chat.system, participant.study.slug, failure)
        Chat.objects.filter(pk=chat.pk).update(waiting_since=None)
        return MessageOutcome("down")
    if _store(chat, len(turns), turn, limit=file.chat.turns):
        _close_session(chat)
    return MessageOutcome("said")


def _ask_agent(participant: Participant, chat: Chat, turns: Sequence[ChatTurn], file: StudyFile) -> "Turn":

    history = [Utterance(speaker=_speaker(turn.speaker), text=turn.text) for turn in turns]
    return TALKS.reply(_name(chat), _spec(file, chat), history, seed=_seed(participant, chat))


def _spec(file: StudyFile, chat: Chat) -> dict[str, JsonValue]:
    """Arguments of ``make_agent``."""
    spec = file.agents[chat.system]
    options: dict[str, JsonValue] = dict(spec) if isinstance(spec, dict) else {"agent": spec}
    return {"name": chat.system, **options}


def _seed(participant: Participant, chat: Chat) -> int:
    return seed_for(participant.study.seed, participant.code, f"{chat.step}/{chat.number}")


def _name(chat: Chat) -> str:
    """Conversation id passed to the agent."""
    return f"{chat.participant.code}/{chat.pk}"


def _close_session(chat: Chat) -> None:
    """Close the agent's session, so that others may talk to one who talks to few."""

    TALKS.close(_name(chat))


def _speaker(name: str) -> Speaker:
    return "user" if name == "user" else "system"


def _store(chat: Chat, known: int, turn: "Turn", *, limit: int) -> bool:
    """Keep what the system said; whether the conversation is over: the system ended it, or the limit is reached."""
    with transaction.atomic():
        locked = Chat.objects.select_for_update().get(pk=chat.pk)
        if locked.turns.count() != known:
            return False
        for number, utterance in enumerate(turn.utterances, start=known + 1):
            ChatTurn.objects.create(chat=locked, number=number, speaker="system", text=utterance.text[:20_000])
        locked.waiting_since = None
        if turn.ends or locked.turns.filter(speaker="user").count() >= limit:
            locked.ended_at, locked.ended_by = timezone.now(), "system" if turn.ends else "limit"
        locked.save(update_fields=["waiting_since", "ended_at", "ended_by"])
        return locked.ended_at is not None


def end(chat: Chat, *, by: str = "user", at_least: int = 0) -> bool:
    """End a conversation, if it has gone on for long enough; whether it is over."""
    with transaction.atomic():
        locked = Chat.objects.select_for_update().get(pk=chat.pk)
        if locked.ended_at is None and locked.turns.filter(speaker="user").count() >= at_least:
            locked.ended_at, locked.ended_by = timezone.now(), by
            locked.save(update_fields=["ended_at", "ended_by"])
        over = locked.ended_at is not None
    if over:
        _close_session(locked)
    return over


Spec: TypeAlias = Mapping[str, JsonValue]
"""Arguments of ``make_agent``: the agent and its options."""
MAX_OPEN = 500  # sessions; the one that was silent longest is closed first


@dataclass
class _Open:
    session: Session
    agent: str
    lock: threading.Lock = field(default_factory=threading.Lock)


class OpenConversations:
    """The conversations of one process."""

    def __init__(self, make: Callable[[Spec], Agent] = make_agent, *, most: int = MAX_OPEN) -> None:
        self._make, self._most = make, most
        self._agents: dict[str, Agent] = {}
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._lock = threading.Lock()

    def greet(self, key: str, agent: Spec, *, seed: int) -> Turn | None:
        """Greeting of an agent; None if it waits for the user.

        Raises:
            AgentFailure: it cannot be reached, or is busy with others.
        """
        with self._talk(key, agent, seed) as session:
            return session.greet()

    def reply(self, key: str, agent: Spec, history: Sequence[Utterance], *, seed: int) -> Turn:
        """An agent's turn after a history that ends on the user.

        Args:
            key: key of the conversation.
            agent: what ``make_agent`` takes.
            history: everything said so far.
            seed: seed of the conversation, for agents that draw at random.

        Raises:
            AgentFailure: there is no usable reply; the conversation's session is closed, and a new one opened next time.
        """
        with self._talk(key, agent, seed) as session:
            return session.reply(history)

    def close(self, key: str) -> None:
        """The conversation is over."""
        with self._lock:
            talk = self._open.pop(key, None)
        if talk:
            talk.session.close()

    @contextmanager
    def _talk(self, key: str, agent: Spec, seed: int) -> Iterator[Session]:
        talk = self._open_session(key, agent, seed)
        try:
            with talk.lock:
                yield talk.session
        except AgentFailure:
            self.close(key)
            raise

    def _open_session(self, key: str, agent: Spec, seed: int) -> _Open:
        with self._lock:
            if key in self._open:
                self._open.move_to_end(key)
                return self._open[key]
            name = json.dumps(agent, sort_keys=True)
            made = self._agents.get(name)
            if made is None:
                made = self._agents[name] = self._make(agent)
            limit = made.sessions_at_once
            if limit is not None and sum(each.agent == name for each in self._open.values()) >= limit:
                raise AgentFailure("unreachable", "it has reached its limit of concurrent conversations.")
        # Opened outside the lock: an agent that is slow to open would keep all other conversations waiting. Of two threads
        # that open the same one the first stays.
        talk = _Open(made.open(key, seed=seed), name)
        with self._lock:
            earlier = self._open.setdefault(key, talk)
            silent = self._open.popitem(last=False)[1] if len(self._open) > self._most else None
        for left in [talk] if earlier is not talk else [silent] if silent else []:
            left.session.close()
        return earlier


TALKS = OpenConversations()
"""Conversations of this process."""
