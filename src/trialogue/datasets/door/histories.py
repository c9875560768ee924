"""Rebuild conversations from calls of a language model, each of which repeats the history that it was given.

Traces hold one entry for each call of a model (a *step*): what it was given, and what it answered. A conversation is its
longest history, once, and not what all steps hold together. Steps of several conversations may be interleaved, some may be
missing, and one that failed or was regenerated is repeated with the same history.

A step continues what ends as its history begins. Where histories are cut or rewritten (a window, a summary), it continues
behind the last answer that both have. Steps without the id of a conversation are joined by their histories alone.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from trialogue.datasets.json_documents import JsonObject

SYSTEM = "assistant"


@dataclass(frozen=True)
class Piece:
    """A part of a message: a text, a call of a tool, a result, a thought."""

    role: str
    """``user``, ``assistant`` or ``tool``."""
    part: JsonObject
    """As chat formats have it."""
    opens: bool
    """Whether a message begins with it."""
    step: "Step | None" = None
    """The step that answered it; None: it is only known from the history of later ones."""
    is_beside: bool = False
    """Whether it is a text beside calls of tools, which some histories leave out."""

    def key(self) -> str | None:
        """What two pieces have in common that are the same; None: histories may leave it out, such as a thought."""
        kind = self.part.get("type")
        if kind == "reasoning" or self.is_beside:
            return None
        if kind == "text":
            return f"{self.role}: {str(self.part.get('text')).strip()}"
        return json.dumps([kind, {name: _plain(value) for name, value in self.part.items()}], sort_keys=True)


def _plain(value: object) -> object:
    """A value, decoded if it is JSON as text: calls are written either way."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


@dataclass(eq=False)
class Step:
    """One call of a language model."""

    start: float
    end: float | None
    group: str
    """Id of the conversation; "": none is recorded."""
    trace: str
    """What it was recorded with: without the id of a conversation, only steps of one trace are tried again."""
    prompt: str
    """Instructions of the system, which may change within a conversation."""
    given: Sequence[Piece]
    """The history, without instructions."""
    answer: Sequence[Piece]
    """What the model answered; (): nothing, or it failed."""
    is_apart: bool = False
    """Whether it is the work of a tool, and speaks to nobody in the conversation."""
    fields: JsonObject = field(default_factory=dict)
    """Further facts, for the reader."""
    error: str | None = None


@dataclass(eq=False)
class History:
    """A conversation as far as it is known."""

    id: str
    prompt: str = ""
    pieces: list[Piece] = field(default_factory=list)
    steps: list[tuple[int, Step]] = field(default_factory=list)
    """Steps with the number of pieces that they were given, in order of time; those that were tried again among them."""
    apart: int = 0
    """Steps that are not part of the conversation: a tool's, or of another prompt that shares nothing with it."""
    branches: list["_Branch"] = field(default_factory=list)
    """Ways in which it went on; one of them is chosen."""

    @property
    def retried(self) -> int:
        """Steps whose answer did not go on: they failed, or another one was made of the same history."""
        return len(self.steps) - self.apart - len({id(each.step) for each in self.pieces if each.step is not None})

    @property
    def unseen(self) -> int:
        """Messages of the system whose step is missing."""
        return sum(each.opens and each.role == SYSTEM and each.step is None for each in self.pieces)


@dataclass(eq=False)
class _Branch:
    """One way in which a conversation went on."""

    owner: History
    pieces: list[Piece]
    trace: str


def histories(steps: Iterable[Step]) -> list[History]:
    """The conversations that steps belong to, in the order in which they began."""
    groups: dict[str, _Group] = {}
    for step in sorted(steps, key=lambda each: each.start):
        groups.setdefault(step.group, _Group(step.group)).take(step)
    found = [history for group in groups.values() for history in group.settle()]
    found.sort(key=lambda each: each.steps[0][1].start)
    taken: Counter[str] = Counter()
    for history in found:  # without ids, several conversations may begin in one trace
        taken[history.id] += 1
        history.id += f"-{taken[history.id]}" if taken[history.id] > 1 else ""
    return found


class _Group:
    """Steps of one conversation, or all that name none."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._ends: dict[int, list[_Branch]] = {}
        self._asked: dict[int, list[_Branch]] = {}
        self._passed: dict[tuple[str, int], History] = {}
        self._histories: list[History] = []

    def take(self, step: Step) -> None:
        """Add a step to the conversation that it continues, or begin one."""
        marks = _marks(step.given)
        if step.is_apart:
            self._put_apart(step)
        elif found := self._continuation(step, marks):
            branch, place = found
            self._grow(branch, step, step.given[place:])
        elif twin := self._twin(step, marks[-1]):
            self._grow(self._branch_of(twin.owner, step), step, step.given)
        elif self._name and self._histories:
            self._align(step, self._histories[0])
        elif passed := [self._passed[at] for each in marks[:0:-1] if (at := (step.trace, each)) in self._passed]:
            self._align(step, passed[0])
        else:
            self._histories.append(History(self._name or step.trace, step.prompt))
            self._grow(self._branch_of(self._histories[-1], step), step, step.given)

    def _branch_of(self, history: History, step: Step) -> _Branch:
        history.branches.append(_Branch(history, [], step.trace))
        return history.branches[-1]

    def _continuation(self, step: Step, marks: list[int]) -> tuple[_Branch, int] | None:
        """The branch that ends as the history of a step begins, the longest first, and where it ends."""
        for place in range(len(marks) - 1, 0, -1):
            known = self._ends.get(marks[place], [])
            own = [each for each in known if each.trace == step.trace]
            known = own or [each for each in known if self._name or each.pieces[-1].role == SYSTEM]
            if known:
                return known[0], place
        return None

    def _twin(self, step: Step, mark: int) -> _Branch | None:
        known = self._asked.get(mark, [])
        return next((each for each in known if self._name or each.trace == step.trace), None)

    def _align(self, step: Step, history: History) -> None:
        """Continue a conversation whose history was cut or rewritten, or that a failed call had gone on, behind the last
        answer that is known."""
        branch = max(history.branches, key=lambda each: len(each.pieces))
        known = {each.key() for each in branch.pieces if each.role == SYSTEM} - {None}
        shared = [place for place, each in enumerate(step.given) if each.role == SYSTEM and each.key() in known]
        if not shared and step.prompt != history.prompt:
            self._put_apart(step)
            return
        self._grow(branch, step, step.given[shared[-1] + 1 if shared else 0 :])

    def _put_apart(self, step: Step) -> None:
        """What a step of no conversation took belongs to the turn in which it was made."""
        near = [each for each in self._histories if each.steps[-1][1].trace == step.trace] or self._histories[-1:]
        if near:
            near[-1].apart += 1
            near[-1].steps.append((len(near[-1].branches[-1].pieces), step))

    def _grow(self, branch: _Branch, step: Step, new: Sequence[Piece]) -> None:
        known = self._ends.get(_marks(branch.pieces)[-1], [])
        if branch in known:
            known.remove(branch)
            self._passed[branch.trace, _marks(branch.pieces)[-1]] = branch.owner
        branch.pieces += new
        branch.trace = step.trace
        self._asked.setdefault(_marks(branch.pieces)[-1], []).insert(0, branch)
        branch.owner.steps.append((len(branch.pieces), step))
        branch.pieces += step.answer
        self._ends.setdefault(_marks(branch.pieces)[-1], []).append(branch)

    def settle(self) -> Iterator[History]:
        """The conversations, each in its longest branch; of several equally long ones, the latest."""
        for history in self._histories:
            history.pieces = max(reversed(history.branches), key=lambda each: len(each.pieces)).pieces
            yield history


def _marks(pieces: Sequence[Piece]) -> list[int]:
    """A hash of every beginning of a history, the empty one first."""
    found = [0]
    for each in pieces:
        key = each.key()
        found.append(found[-1] if key is None else hash((found[-1], key)))
    return found
