"""How a user goes through a dialogue: the agenda, the act that an entry of it stands for, and what replaces a failed act.

Each part is an option of users (``agenda``, ``level``, ``replacement``, ``qrfa``, ``edges``), so that the models of the
paper, of its released code and ours differ in nothing else. On the level of labels, an entry is the act itself. On a coarser
level, entries are groups of labels: QRFA's classes (``class``) or the actions of CIR6 (``action``), and the act is drawn
when the entry becomes current, as often as people said it among its group (Zhang and Balog, KDD 2020, sec. 4.2.2).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from trialogue.errors import UsageError
from trialogue.records.kinds.acts import CIR6_STATES, MIXED
from trialogue.simulation.actions import ANSWER, FEEDBACK, QUERY, REQUEST, Qrfa
from trialogue.simulation.random_source import RandomSource, Weighted
from trialogue.simulation.users.agenda import CHAIN, CORPUS, LONGEST, continuation, initialiser, walk
from trialogue.simulation.users.interaction import END, Counts, InteractionModel, transition_counts

Level = Literal["label", "class", "action"]
ReplacementRule = Literal["reply", "class", "chain"]
Edge = tuple[str, str]


class Group(str):
    """An entry of an agenda that stands for any label of a group; a plain text is a label. Some have the same name."""

    __slots__ = ()


AFTER_RESUMING = 25  # entries at most that follow in a dialogue that is continued


def check_edges(edges: Sequence[Edge] | None) -> None:
    """Raise UsageError unless each edge goes from an action of CIR6 to another one or to the end."""
    known = (*CIR6_STATES, END)
    wrong = [name for edge in edges or () for name in edge if name not in known]
    wrong += [END for first, _ in edges or () if first == END]
    if wrong:
        raise UsageError(
            f"edges connect actions of CIR6 ({', '.join(CIR6_STATES)}) with each other or with {END}; given: "
            f"{', '.join(map(repr, dict.fromkeys(wrong)))}."
        )


def group_counts(counts: Counts, groups: Mapping[str, str | None]) -> dict[str, dict[str, int]]:
    """Transition counts between groups of labels; pairs with a label of no group are left out.

    >>> group_counts({"Note-yes": {"Revise": 2, END: 1}, "...": {"Revise": 1}}, {"Note-yes": "Note", "Revise": "Reveal"})
    {'Note': {'Reveal': 2, '<end>': 1}}
    """
    found: dict[str, Counter[str]] = {}
    for before, following in counts.items():
        for after, count in following.items():
            first, second = groups.get(before), END if after == END else groups.get(after)
            if first is not None and second is not None and count:
                found.setdefault(first, Counter())[second] += count
    return {first: dict(following) for first, following in found.items()}


def class_transitions(model: InteractionModel, qrfa: Qrfa) -> dict[str, dict[str, int]]:
    """Counts of consecutive QRFA classes of users and agents, with ``END`` after the last."""
    return group_counts(model.steps, _step_classes(model, qrfa))


def two_step(model: InteractionModel, qrfa: Qrfa) -> dict[str, dict[str, float]]:
    """P(next user class | user class) through the agent's class between: the sum over b of P(b | a) P(a' | b).

    This is our reading of the formula of sec. 4.2.2, which our text of the paper lacks.
    """
    counts = class_transitions(model, qrfa)
    users, agents = (QUERY, FEEDBACK), (REQUEST, ANSWER)
    found: dict[str, dict[str, float]] = {}
    for first in users:
        through = _shares(counts.get(first, {}), agents)
        after = {agent: _shares(counts.get(agent, {}), users) for agent in through}
        if through:
            found[first] = {
                last: sum(share * after[agent].get(last, 0.0) for agent, share in through.items()) for last in users
            }
    return found


def _shares(counts: Mapping[str, int], among: Sequence[str]) -> dict[str, float]:
    total = sum(counts.get(name, 0) for name in among)
    return {name: counts.get(name, 0) / total for name in among} if total else {}


def _step_classes(model: InteractionModel, qrfa: Qrfa) -> dict[str, str | None]:
    """Class of each state of the model's steps, which are user labels and the agent's classes."""
    return {state: state if state in (REQUEST, ANSWER) else qrfa.class_of("user", state) for state in model.steps}


@dataclass(frozen=True)
class Course:
    """How the users of one model go on; shared by them."""

    model: InteractionModel
    """Counts of what people do."""
    qrfa: Qrfa
    agenda: str = "cir6"
    """How agendas are drawn; a name of ``agenda.INITIALISERS``."""
    level: Level = "label"
    """What entries of the agenda are: labels, classes of QRFA or actions of CIR6."""
    replacement: ReplacementRule = "reply"
    """What a failed act is replaced by: a label drawn from P(user label | agent label); a class drawn from P(user class |
    agent class), and a label of it; or what follows the failed act in the chain of the level, but for its end."""
    edges: tuple[Edge, ...] | None = None
    """Pairs of consecutive actions that are allowed (Figure 5); None: those that occur in the dialogues."""

    def __post_init__(self) -> None:
        if self.agenda == CORPUS and not self.model.sequences:
            raise self.model.without_sequences("agenda: corpus takes agendas from")
        if self.level != "label" and not self.model.sequences:
            raise self.model.without_sequences(f"level: {self.level} counts in")

    def draw(self, rng: RandomSource) -> tuple[str, ...]:
        """Draw an agenda: the label of the opening, and the entries after it."""
        opening = self.model.opening_label
        if self.level == "label":
            return initialiser(self.agenda)(self.model, rng)
        if self.agenda == CHAIN:
            return (opening, *self._walk(opening, rng, longest=LONGEST))
        labels = initialiser(self.agenda)(self.model, rng)[1:]
        return (opening, *(Group(group) for label in labels if (group := self._group_of(label)) is not None))

    def act(self, entry: str, rng: RandomSource) -> str:
        """The label that an entry of the agenda stands for."""
        return self._members[entry].draw(rng) if isinstance(entry, Group) else entry

    def follow(self, label: str, rng: RandomSource) -> tuple[str, ...]:
        """Draw the entries that follow a label, for a dialogue that is continued; () if it is the last."""
        if self.level == "label":
            return continuation(self.model, label, rng, cap=AFTER_RESUMING)
        return self._walk(label, rng, longest=AFTER_RESUMING)

    def _walk(self, label: str, rng: RandomSource, *, longest: int) -> tuple[str, ...]:
        """Groups that follow that of a label, as drawn from their chain; () where it has none."""
        start = self._group_of(label)
        if start is None:
            return ()
        return tuple(Group(group) for group in walk(self._chain, start, rng, longest=longest)[1 : longest + 1])

    def replace(self, failed: str, heard: str | None, rng: RandomSource) -> str:
        """Draw the label that replaces a failed act.

        Args:
            failed: its label.
            heard: the agent's label; None: not understood.
            rng: what is drawn from.
        """
        if self.replacement == "chain":
            return self._after(failed, rng)
        if self.replacement == "class" and (group := self._reply_class(heard, rng)) is not None:
            return self._class_members[group].draw(rng)
        table = self.model.reply_to.get(heard) if heard is not None else None
        return (table or self.model.any_reply).draw(rng)

    def _after(self, failed: str, rng: RandomSource) -> str:
        """A label that follows another one in the chain; where only the end does, any."""
        table = self._going_on.get(self._group_of(failed) or "", self._any_group)
        following = table.draw(rng)
        return following if self.level == "label" else self.act(Group(following), rng)

    def _reply_class(self, heard: str | None, rng: RandomSource) -> str | None:
        """A user class drawn given the agent's; None where nobody ever replied to that class."""
        own = None if heard is None else self.qrfa.class_of("system", heard)
        counts = Counter[str]()
        for agent_class, following in self._replies.items():
            if own in (None, agent_class):
                counts.update(following)
        return Weighted(counts).draw(rng) if counts else None

    def _class_of(self, label: str) -> str | None:
        return self.qrfa.class_of("user", label)

    def _group_of(self, label: str) -> str | None:
        """Group of a label on the level; labels are groups of their own, and mixed initiative is in none of CIR6's."""
        if self.level == "class":
            return self._class_of(label)
        group = self.model.space.states.get(label, label) if self.level == "action" else label
        return None if self.level == "action" and group == MIXED else group

    @cached_property
    def transitions(self) -> dict[str, Mapping[str, int]]:
        """Transition counts on the level, as far as edges allow them; labels of no group (mixed initiative) are skipped."""
        if self.level == "label":
            return dict(self.model.chain)
        users = (
            [self._group_of(label) for speaker, label in each if speaker == "user"] for each in self.model.sequences
        )
        counts = dict(transition_counts([group for group in groups if group is not None] for groups in users))
        if self.level != "action" or self.edges is None:
            return counts
        allowed = set(self.edges)
        return {
            first: kept
            for first, following in counts.items()
            if (kept := {last: count for last, count in following.items() if (first, last) in allowed})
        }

    @cached_property
    def _chain(self) -> dict[str, Weighted[str]]:
        return {first: Weighted(following) for first, following in self.transitions.items()}

    @cached_property
    def _going_on(self) -> dict[str, Weighted[str]]:
        """The chain without its end."""
        on = {
            first: {last: count for last, count in following.items() if last != END}
            for first, following in self.transitions.items()
        }
        return {first: Weighted(following) for first, following in on.items() if following}

    @cached_property
    def _replies(self) -> dict[str, Counter[str]]:
        """Counts of user classes by the class of the agent's message before."""
        found: dict[str, Counter[str]] = {}
        for heard, following in self.model.replies.items():
            own = self.qrfa.class_of("system", heard)
            for label, count in following.items():
                group = self.qrfa.class_of("user", label)
                if own is not None and group is not None:
                    found.setdefault(own, Counter())[group] += count
        return found

    @cached_property
    def _members(self) -> dict[str, Weighted[str]]:
        """Labels of each group, each as often as people said it."""
        return _by_group(self.model, self._group_of)

    @cached_property
    def _any_group(self) -> Weighted[str]:
        return Weighted({group: table.total for group, table in self._members.items()})

    @cached_property
    def _class_members(self) -> dict[str, Weighted[str]]:
        return _by_group(self.model, self._class_of)


def _by_group(model: InteractionModel, group_of: Callable[[str], str | None]) -> dict[str, Weighted[str]]:
    counts: dict[str, dict[str, int]] = {}
    for label, following in model.chain.items():
        group, count = group_of(label), sum(following.values())
        if group is not None and count:
            counts.setdefault(group, {})[label] = count
    return {group: Weighted(own) for group, own in counts.items()}
