"""Diagnose an agent: which user acts it fails to answer, most costly first.

A turn is a user utterance, numbered from 1, with the agent's response. It fails if the agent does not answer as the
user's act requires (the map of acceptable responses of an action space), which is the turn-level success of Zhang and Balog
(KDD 2020, sec. 6.2), per turn. A failure costs the turns until the user is answered again; they are charged to the
failure at which they began, so that all costs sum to all failed turns.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records import Dialogue, Utterance
from trialogue.records.trace import ToolCall, calls_in
from trialogue.simulation.batch.plan import Opening

Accepts = Callable[[str, str | None], bool]
"""Whether an agent's label answers a user's label, such as ``KDD2020.accepts``; None: no label, or no answer."""

Decides = Literal["first", "last"]
"""Judged message of a burst: the first, as in the success measure, or the last, as for the paper's users."""


@dataclass(frozen=True)
class Failure:
    """One turn in which the agent did not answer the user."""

    dialogue: str
    """Id of the dialogue to open."""
    turn: int
    """The turn in it."""
    act: str
    """The user's act; "" if not annotated."""
    answer: str | None
    """The agent's act; None: no reply, or no label."""
    said: str
    """The user's words."""
    answered: str
    """The agent's words; "" if it said nothing."""
    cost: int
    """Turns until the user was answered again, this one included; 0 for a failure right after another one, to which it is
    charged."""
    final: bool
    """Whether the user was not answered any more in this dialogue."""
    calls: tuple[ToolCall, ...] = ()
    """Calls of tools that the agent made for its answer."""


@dataclass(frozen=True)
class ActFailures:
    """Failures of an agent on one user act."""

    act: str
    """The user's act."""
    times: int
    """Number of occurrences."""
    failed: int
    """Number of these without an appropriate answer."""
    cost: int
    """Turns lost by that, in all."""
    final: int
    """Failures after which the user was not answered any more."""
    answers: tuple[tuple[str | None, int], ...]
    """The agent's acts instead, most frequent first."""
    failures: tuple[Failure, ...]
    """All of them, the most costly first: the dialogues to open."""

    @property
    def share(self) -> float:
        """Share of failures, from 0 to 1."""
        return self.failed / self.times


@dataclass(frozen=True)
class WrongTurn:
    """Turn from which a dialogue fails."""

    dialogue: str
    """Id of the dialogue."""
    turn: int
    """The turn: a failed one."""
    drop: int
    """By how much failures outnumber successes from there to the end, at least 1."""


def failures_by_act(
    dialogues: Iterable[Dialogue], *, accepts: Accepts, decides: Decides = "first"
) -> list[ActFailures]:
    """User acts that an agent fails, most costly first; acts that never fail are omitted.

    Args:
        dialogues: dialogues of one agent, with acts on both sides (simulated ones have them).
        accepts: whether an agent's label answers a user's.
        decides: which message of a burst is judged.

    Raises:
        DataError: no user utterance, or no agent utterance, has an act.
    """
    times: Counter[str] = Counter()
    found: dict[str, list[Failure]] = {}
    spoke: set[str] = set()
    labelled: set[str] = set()
    for dialogue in dialogues:
        spoke.update(said.speaker for said in dialogue.utterances)
        labelled.update(said.speaker for said in dialogue.utterances if said.acts)
        turns = _turns(dialogue, accepts, decides)
        times.update(turn.act for turn in turns)
        for failure in _failures(dialogue, turns):
            found.setdefault(failure.act, []).append(failure)
    _check_acts(spoke - labelled)
    reports = [_of_act(act, times[act], failures) for act, failures in found.items()]
    return sorted(reports, key=lambda report: (-report.cost, -report.final, -report.failed, report.act))


def first_failed_turn(dialogue: Dialogue, *, accepts: Accepts, decides: Decides = "first") -> WrongTurn | None:
    """Turn at which a dialogue starts to fail; None if it does not.

    It is the turn after the last high of the balance that every answered turn raises by 1 and every failed one lowers by 1:
    the cut that best parts a dialogue into answered turns before it and failed ones after it.
    """
    balance, high, place = 0, 0, 0
    for number, turn in enumerate(_turns(dialogue, accepts, decides), start=1):
        balance += 1 if turn.success else -1
        if balance >= high:
            high, place = balance, number
    return WrongTurn(dialogue.id, place + 1, high - balance) if balance < high else None


def wrong_turns(
    dialogues: Iterable[Dialogue], *, accepts: Accepts, decides: Decides = "first", least: int = 1
) -> list[WrongTurn]:
    """Turns at which dialogues start to fail, worst first; drops below ``least`` are omitted."""
    found = [first_failed_turn(dialogue, accepts=accepts, decides=decides) for dialogue in dialogues]
    return sorted((turn for turn in found if turn and turn.drop >= least), key=lambda turn: (-turn.drop, turn.dialogue))


def opening_of(dialogue: Dialogue, turn: int) -> Opening:
    """Dialogue up to and including the user utterance of a turn, for the agent to continue.

    Raises:
        UsageError: it has no such turn.
    """
    places = [place for place, said in enumerate(dialogue.utterances) if said.speaker == "user"]
    if not 1 <= turn <= len(places):
        raise UsageError(
            f"The dialogue {dialogue.id!r} has {len(places)} user turns, numbered from 1; there is no turn {turn}."
        )
    return Opening(dialogue.id, turn, dialogue.utterances[: places[turn - 1] + 1])


@dataclass(frozen=True)
class _Turn:
    """A user utterance and what the agent said to it."""

    act: str
    answer: str | None
    said: str
    answered: str
    success: bool
    calls: tuple[ToolCall, ...]


def _turns(dialogue: Dialogue, accepts: Accepts, decides: Decides) -> list[_Turn]:
    turns = []
    for place, said in enumerate(dialogue.utterances):
        if said.speaker == "user":
            burst = _burst(dialogue.utterances, place + 1)
            judged = burst[0 if decides == "first" else -1] if burst else None
            act, answer = _label(said), _label(judged)
            success = act is not None and accepts(act, answer)
            words = " ".join(message.text for message in burst)
            turns.append(_Turn(act or "", answer, said.text, words, success, tuple(calls_in(burst))))
    return turns


def _burst(utterances: Sequence[Utterance], start: int) -> Sequence[Utterance]:
    end = start
    while end < len(utterances) and utterances[end].speaker == "system":
        end += 1
    return utterances[start:end]


def _label(said: Utterance | None) -> str | None:
    return next((act.intent for act in said.acts or () if act.intent), None) if said else None


def _failures(dialogue: Dialogue, turns: Sequence[_Turn]) -> list[Failure]:
    """The failed turns, from the last to the first."""
    failures = []
    run, final = 0, True  # failed turns right after this one, and whether none is answered after it
    for number in range(len(turns), 0, -1):
        turn = turns[number - 1]
        if turn.success:
            run, final = 0, False
            continue
        run += 1
        begins = number == 1 or turns[number - 2].success
        cost = run if begins else 0
        failures.append(
            Failure(
                *(dialogue.id, number, turn.act, turn.answer, turn.said, turn.answered, cost),
                final=final,
                calls=turn.calls,
            )
        )
    return failures


def _of_act(act: str, times: int, failures: Sequence[Failure]) -> ActFailures:
    return ActFailures(
        act=act,
        times=times,
        failed=len(failures),
        cost=sum(failure.cost for failure in failures),
        final=sum(failure.final for failure in failures),
        answers=tuple(Counter(failure.answer for failure in reversed(failures)).most_common()),
        failures=tuple(sorted(failures, key=lambda failure: (-failure.cost, failure.dialogue, failure.turn))),
    )


def _check_acts(without: set[str]) -> None:
    problems = [
        Problem(
            f"no utterance of the {speaker} has an act, so it is unknown which acts were answered.",
            hint="Simulated dialogues have acts, and so do annotated corpora such as kdd2020.",
        )
        for speaker in sorted(without, reverse=True)
    ]
    if problems:
        raise DataError(problems)
