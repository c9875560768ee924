"""Run one dialogue between an agent's session and a user, until one of them or a limit ends it.

No files or names here: the batch assigns a dialogue's id and seeds and stores it. Nor a clock, except to measure the
agent's latency.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar, cast

from trialogue.agents.base import Agent, Session, Turn, retries_of
from trialogue.errors import UsageError
from trialogue.records import (
    ActOrigin,
    Dialogue,
    DialogueAct,
    Ending,
    Fault,
    JsonValue,
    Mention,
    Need,
    RetryCost,
    Role,
    Utterance,
)
from trialogue.records.files.jsonl import share
from trialogue.records.kinds.acts import ACCEPTABLE, AGENT_LABELS, USERSIMCRS_AGENT
from trialogue.records.kinds.endings import regular_ending
from trialogue.records.trace import Trace, without_times
from trialogue.simulation.language.agent_turns import LabelledMessage
from trialogue.simulation.users.user import HasLabeller, SimulatedUser, Stop, UserFailure
from trialogue.transport.failures import AgentFailure

MAX_TURNS = 50  # user utterances; the longest of 75 conversations of real people has 49

LATENCY = "latency_s"
"""Key in the ``meta`` of a turn's first message for the duration of the turn in seconds."""

KNOWN = frozenset().union(*ACCEPTABLE.values(), AGENT_LABELS, USERSIMCRS_AGENT)
"""Labels of agents that measures of dialogues know."""

Result = TypeVar("Result")

JUST_SAID = {"speaker", "text"}
"""Fields of an utterance that holds nothing but words."""


@dataclass(frozen=True)
class Transcript:
    """Utterances of a dialogue, and why it ended."""

    utterances: tuple[Utterance, ...]
    """All messages in order, the history included."""
    ended_by: Ending
    """How it ended; ``detail`` explains a failure."""
    detail: str | None = None
    """The message of a failure, or the word of a user that is no regular ending."""
    retries: RetryCost = field(default_factory=RetryCost)
    """Cost of retried requests to the agent."""
    trace: Trace | None = None
    """What the agent did for the turn in which it failed, such as calls of tools; None: nothing is known."""

    def as_dialogue(
        self,
        dialogue_id: str,
        *,
        system: str | None = None,
        user: str | None = None,
        source: str | None = None,
        role: Role = Role.SYSTEM,
        need: Need | None = None,
        meta: Mapping[str, JsonValue] = MappingProxyType({}),
    ) -> Dialogue:
        """Convert to a record."""
        return Dialogue(
            id=dialogue_id,
            utterances=self.utterances,
            system=system,
            role=role,
            user=user,
            need=need,
            source=source,
            ended_by=self.ended_by,
            ending_detail=self.detail,
            retries=self.retries if self.retries.count else None,
            trace=self.trace,
            meta=dict(meta),
        )


def talk(
    session: Session,
    user: SimulatedUser,
    *,
    max_turns: int = MAX_TURNS,
    history: Sequence[Utterance] = (),
    show_acts: bool = False,
    write_labels: bool = True,
    timed: bool = False,
) -> Transcript:
    """Run a dialogue between a user and an agent until one of them ends it.

    The agent gets what was said, and nothing of what the user means by it: user utterances in its history have no acts,
    mentions or slots. Messages of a burst stay messages of their own. A failure of the agent or of the user ends the talk
    and is charged to the one who failed; what was said before it is kept.

    Args:
        session: an open session of the agent; it is not closed.
        user: made for this dialogue.
        max_turns: user utterances, those of the history included, after which the agent has the last word.
        history: what was said before; the talk goes on from there, with the agent if it ends on a user utterance.
        show_acts: let the agent see the user's acts, for replayed corpora, which answer labels and not texts.
        write_labels: write what agent messages do, as the user's labeller does (``user.HasLabeller``), on those
            that declare no acts, and before acts that are of another action space than any that is known, such as RECOMMEND:
            nobody could tell what they answer.
        timed: write how long the agent took for a turn into the ``meta`` of its first message (``latency_s``), as the agent
            measured it or else the time until it answered. No two such talks are the same.

    Raises:
        UsageError: no turn is left.
    """
    said_before = sum(utterance.speaker == "user" for utterance in history)
    if max_turns <= said_before:
        most = f"above {said_before}, the number of user utterances in the history" if history else "at least 1"
        raise UsageError(f"max_turns must be {most}, got {max_turns}. A turn is a user utterance and the reply to it.")
    conversation = _Conversation(session, user, show_acts=show_acts, write_labels=write_labels, timed=timed)
    trace = None
    try:
        ending, detail = conversation.run(history, turns=max_turns - said_before)
    except (AgentFailure, UserFailure) as failure:
        ending, detail = failure.ending, failure.detail
        trace = failure.trace if isinstance(failure, AgentFailure) else None
        trace = trace if timed or trace is None else without_times(trace)
    return Transcript(tuple(conversation.record), ending, detail, retries_of(session), trace)


def converse(
    agent: Agent,
    user: SimulatedUser,
    dialogue_id: str,
    *,
    seed: int,
    max_turns: int = MAX_TURNS,
    history: Sequence[Utterance] = (),
    timed: bool = False,
) -> Transcript:
    """Open a session, run a dialogue, and close it; an agent that cannot be opened gives an empty dialogue.

    Agents with a true attribute ``reads_acts`` (replayed corpora) see the user's acts.
    """
    shows = bool(getattr(agent, "reads_acts", False))
    try:
        session = agent.open(dialogue_id, seed=seed)
    except AgentFailure as failure:
        return Transcript(tuple(history), failure.ending, failure.detail, failure.retries)
    with session:
        return talk(session, user, max_turns=max_turns, history=history, show_acts=shows, timed=timed)


class _Conversation:
    """Two transcripts of one talk: the record, and what the agent may know of it."""

    def __init__(
        self, session: Session, user: SimulatedUser, *, show_acts: bool, write_labels: bool, timed: bool
    ) -> None:
        self.record: list[Utterance] = []
        self._shown: list[Utterance] = []
        self._session, self._user, self._show_acts, self._timed = session, user, show_acts, timed
        self._labelling = cast("HasLabeller", user) if write_labels and _is_labelling(type(user)) else None

    def run(self, history: Sequence[Utterance], *, turns: int) -> tuple[Ending, str | None]:
        """Talk; returns why it ended, and the user's word for it where that is another one."""
        said = self._resume(history) if history else self._begin()
        while not isinstance(said, Stop):
            if said is not None:
                self._user_says(said)
                turns -= 1
            turn = self._agent_says(self._reply())
            if turn.ends:
                return Ending.AGENT_ENDED, None
            if turns <= 0:
                return Ending.TURN_LIMIT, None
            said = _of_the_user(self._user.answer, turn)
        if said.last_words is not None:
            self.record.append(said.last_words)
        return regular_ending(said.reason)

    def _reply(self) -> Turn:
        if not self._timed:
            return _without_times(self._session.reply(tuple(self._shown)))
        start = time.perf_counter()
        turn = self._session.reply(tuple(self._shown))
        return _add_latency(turn, time.perf_counter() - start)

    def _begin(self) -> Utterance | Stop:
        """The user's first message, after the agent's greeting if there is one."""
        greeting = self._session.greet()
        if greeting is None:
            return _of_the_user(self._user.start)
        self._agent_says(greeting)
        return Stop(Ending.AGENT_ENDED) if greeting.ends else _of_the_user(self._user.start, greeting)

    def _resume(self, history: Sequence[Utterance]) -> Utterance | Stop | None:
        """The user's next message after the history; None if it is the agent's turn."""
        said = len(history)
        while said > 0 and history[said - 1].speaker == "system":
            said -= 1
        for utterance in history:
            self.record.append(utterance)
            self._shown.append(self._as_shown(utterance) if utterance.speaker == "user" else utterance)
        if said == 0:
            return _of_the_user(self._user.start, Turn(tuple(history)))
        _of_the_user(self._user.resume, history[:said])
        if said == len(history):
            return None
        return _of_the_user(self._user.answer, Turn(tuple(history[said:])))

    def _user_says(self, said: Utterance) -> None:
        self.record.append(said)
        self._shown.append(self._as_shown(said))

    def _as_shown(self, said: Utterance) -> Utterance:
        return said if self._show_acts else _bare(said.text)

    def _agent_says(self, turn: Turn) -> Turn:
        """Take down a turn, with what its messages do; AgentFailure if nothing was said."""
        said = turn.utterances
        if not turn.ends and not "".join([utterance.text for utterance in said]).strip():
            raise AgentFailure("empty", f"a turn of {len(said)} messages without text")
        if {utterance.speaker for utterance in said} - {"system"}:
            raise AgentFailure("malformed", "a message in the agent's turn has the user as its speaker")
        self._shown.extend(said)
        if not self._show_acts:
            said = tuple(map(_mark_declared, said))
        if self._labelling is None or all(map(self._speaks_for_itself, said)):
            self.record.extend(said)
            return turn
        try:
            labels = _of_the_user(self._labelling.labels, turn)
        except UserFailure:
            self.record.extend(said)  # it was said, whatever became of its label
            raise
        for utterance, heard in zip(said, labels, strict=True):
            self.record.append(utterance if self._speaks_for_itself(utterance) else _add_label(utterance, heard))
        return turn

    def _speaks_for_itself(self, said: Utterance) -> bool:
        """Whether a message declares acts that are known; those of a replayed corpus stay as they are, typos included."""
        if said.acts is None:
            return False
        return self._show_acts or not said.acts or any(act.intent in KNOWN for act in said.acts)


def _of_the_user(call: Callable[..., Result], *arguments: object) -> Result:
    """The user's utterance and acts.

    Users may be made of the same parts as agents, such as a client of a language model, and fail in the same way; such a
    failure must not be charged to the agent.

    Raises:
        UserFailure: the user's own, or a failure of a part that the user is made of.
    """
    try:
        return call(*arguments)
    except AgentFailure as failure:
        ending = failure.ending if failure.ending.fault is Fault.HARNESS else Ending.USER_ERROR
        raise UserFailure(failure.detail, ending=ending) from failure


def _add_latency(turn: Turn, seconds: float) -> Turn:
    """A turn with the seconds it took on its first message; those that the agent measured go before."""
    if not turn.utterances:
        return turn
    first, *rest = turn.utterances
    took = seconds if turn.latency_s is None else turn.latency_s
    marked = first.model_copy(update={"meta": {**first.meta, LATENCY: round(took, 6)}})
    return replace(turn, utterances=(marked, *rest))


def _without_times(turn: Turn) -> Turn:
    """A turn without how long its calls of tools took: the same dialogue is the same bytes."""
    if not [each for each in turn.utterances if each.trace is not None]:
        return turn
    changed = (
        each if each.trace is None else each.model_copy(update={"trace": without_times(each.trace)})
        for each in turn.utterances
    )
    return replace(turn, utterances=tuple(changed))


@lru_cache(maxsize=256)
def _is_labelling(kind: type) -> bool:
    """Whether users of a class are ``HasLabeller``: what the class says once holds for all of them."""
    return issubclass(kind, HasLabeller)


@lru_cache(maxsize=4096)
def _bare(text: str) -> Utterance:
    """A user's words as the agent gets them; records do not change, so that one serves all dialogues."""
    return Utterance(speaker="user", text=text)


def _mark_declared(said: Utterance) -> Utterance:
    """A message of the agent, whose acts are its own declaration whatever it says of them."""
    origin = None if said.acts is None else ActOrigin.DECLARED
    if said.acts_by is origin and said.acts_labeller is None and said.acts_unknown is None:
        return said
    return said.model_copy(update={"acts_by": origin, "acts_labeller": None, "acts_unknown": None})


def _add_label(said: Utterance, heard: LabelledMessage) -> Utterance:
    """A message with the label that it was taken for, before acts of its own; no act where it was not understood."""
    label, acts = heard.label, _act(heard.label, heard.confidence)
    asked = {"acts_by": ActOrigin.RECOGNISED, "acts_labeller": heard.labeller, "acts_unknown": heard.unknown}
    if said.acts:
        own = any(act.intent == label for act in said.acts)
        if own or label is None:
            return said
        return said.model_copy(update={"acts": (*acts, *said.acts), **asked})
    if heard.labeller is None and said.model_fields_set == JUST_SAID:  # nearly all; a tenth of the time of a copy
        return _make_utterance(said.text, acts, heard.mentions)
    found = {"mentions": heard.mentions} if said.model_fields_set == JUST_SAID and heard.mentions is not None else {}
    return said.model_copy(update={"acts": acts, **asked, **found})


@lru_cache(maxsize=4096)
def _make_utterance(text: str, acts: tuple[DialogueAct, ...], mentions: tuple[Mention, ...] | None) -> Utterance:
    found: dict[str, Any] = {} if mentions is None else {"mentions": mentions}
    return share(Utterance(speaker="system", text=text, acts=acts, acts_by=ActOrigin.RECOGNISED, **found))


@lru_cache(maxsize=4096)
def _act(label: str | None, confidence: float) -> tuple[DialogueAct, ...]:
    return () if label is None else (DialogueAct(intent=label, probability=round(confidence, 3)),)
