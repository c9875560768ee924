"""Agendas: the sequence of acts a user intends to go through, sampled before a dialogue.

Named initialisers (``INITIALISERS``), after the paper (Zhang and Balog, KDD 2020) and its released code; numbers are
mean lengths on the three annotated files, agents A / B / C:

``corpus``          user labels of one of the annotated dialogues, all equally likely, as in the paper, sec. 4.2.2
                    (9.2 / 14.8 / 20.2)
``chain``           chain over user labels, or over the actions or classes of the level, without conditions; over CIR6's
                    actions as in the paper, sec. 4.2.3
``cir6``            chain over user labels, Disclose among the first 5, at most 25 long (8.8 / 12.1 / 12.9): what
                    agrees with the paper's tables on agent C
``cir6-released``   the same, at most 12 long, as in the released code (6.9 / 8.3 / 8.1)
``cir6-any``        the same of any length (9.5 / 15.3 / 20.7)
``qrfa-chain``      chain over user labels with the agent's QRFA classes between, as in the released code: what
                    agrees with the paper's Table 4 (9.5 / 12.2 / 13.0)
``qrfa-chain-40``   the same, always tested on the user's labels: Disclose among the first 10, at most 40
                    (11.0 / 15.3 / 16.1)
``qrfa-top10``      the labels of one of the ten most usual dialogues (11.1 / 18.6 / 21.2)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from trialogue.errors import UnknownNameError, UsageError
from trialogue.simulation.actions import ANSWER, REQUEST
from trialogue.simulation.random_source import RandomSource, Weighted
from trialogue.simulation.users.interaction import END, InteractionModel

ATTEMPTS = 1000  # draws before a condition is given up; in the annotated files every third draw or more meets it
LONGEST = 1000  # labels; a chain that hardly ever ends is cut here
MAX_USUAL = 10
DRAWS = 4  # agendas of which the nearest in length is taken

Draw = Callable[[InteractionModel, RandomSource], tuple[str, ...]]
"""Draws the labels of an agenda in the order in which they are done, the opening first; at least one."""


@dataclass(frozen=True)
class Cir6:
    """Samples from the chain over user labels until two conditions hold (released code, CIR6)."""

    cap: int | None = 25
    """Labels at most; None: any number."""
    disclose_within: int = 5
    """``Disclose`` is among the first so many; a model that never discloses is spared."""

    def __call__(self, model: InteractionModel, rng: RandomSource) -> tuple[str, ...]:
        """Sample an agenda; after 1,000 rejected draws the last one, truncated to the cap."""
        disclose = _disclose(model)
        for _ in range(ATTEMPTS):
            labels = walk(model.next_label, model.opening_label, rng, longest=self.cap or LONGEST)
            fits = self.cap is None or len(labels) <= self.cap
            if fits and (disclose is None or disclose in labels[: self.disclose_within]):
                return tuple(labels[:LONGEST])
        return tuple(labels[: self.cap])


@dataclass(frozen=True)
class QrfaChain:
    """Samples from the chain over user labels with agent classes between (released code, QRFA, second variant)."""

    cap: int = 40
    """Labels at most."""
    disclose_within: int = 10
    """``Disclose`` is among the first so many."""
    as_released: bool = True
    """Test the first draw on its user labels, and later ones with the agent's classes among them, as the released code
    does by an oversight; that is the variant that agrees with the paper. Else always on the user labels."""

    def __call__(self, model: InteractionModel, rng: RandomSource) -> tuple[str, ...]:
        """Sample an agenda; after 1,000 rejected draws the last one, truncated to the cap."""
        disclose = _disclose(model)
        for attempt in range(ATTEMPTS):
            steps = walk(model.next_step or model.next_label, model.opening_label, rng, longest=LONGEST)
            labels = [step for step in steps if step not in (REQUEST, ANSWER)]
            tested = steps if self.as_released and attempt else labels
            if len(tested) <= self.cap and (disclose is None or disclose in tested[: self.disclose_within]):
                return tuple(labels)
        return tuple(labels[: self.cap])


def qrfa_top10(model: InteractionModel, rng: RandomSource) -> tuple[str, ...]:
    """Labels of one of the ten most usual dialogues (released code, QRFA, first variant); one label if there are none."""
    traces = model.traces[:MAX_USUAL]
    return rng.pick(traces).labels if traces else (model.opening_label,)


def corpus(model: InteractionModel, rng: RandomSource) -> tuple[str, ...]:
    """The opening, and the user labels of an annotated dialogue after its first one; only the opening if none were kept."""
    dialogue = rng.pick(model.sequences or ((),))
    return (model.opening_label, *[label for speaker, label in dialogue if speaker == "user"][1:])


def chain(model: InteractionModel, rng: RandomSource) -> tuple[str, ...]:
    """A walk through the chain over user labels from the opening to its end."""
    return tuple(walk(model.next_label, model.opening_label, rng, longest=LONGEST)[:LONGEST])


CORPUS, CHAIN = "corpus", "chain"
INITIALISERS: Mapping[str, Draw] = MappingProxyType(
    {
        CORPUS: corpus,
        CHAIN: chain,
        "cir6": Cir6(),
        "cir6-released": Cir6(cap=12),
        "cir6-any": Cir6(cap=None),
        "qrfa-chain": QrfaChain(),
        "qrfa-chain-40": QrfaChain(as_released=False),
        "qrfa-top10": qrfa_top10,
    }
)


QRFA_AGENDAS = frozenset({CORPUS, "qrfa-chain", "qrfa-chain-40", "qrfa-top10"})
"""Agendas of the interaction model QRFA; the others are those of CIR6."""


def initialiser(name: str) -> Draw:
    """Get an agenda initialiser by name.

    Raises:
        UnknownNameError: none does.
    """
    if name not in INITIALISERS:
        raise UnknownNameError("agenda initialiser", name, INITIALISERS)
    return INITIALISERS[name]


def draw_near(
    draw: Callable[[RandomSource], tuple[str, ...]], length: int, rng: RandomSource, *, label: str | None, goodbye: bool
) -> tuple[str, ...]:
    """Draw some agendas and take the one most like a real user's: with a goodbye or without, then nearest in length.

    Entries still follow one another as in the chain. A chain alone ends with about the same probability after every label,
    so that its lengths scatter more than people's.

    Args:
        draw: draws an agenda.
        length: that of the person.
        rng: what is drawn from.
        label: the label of a goodbye; None: there is none.
        goodbye: whether the person said one.
    """
    drawn = [draw(rng) for _ in range(DRAWS)]
    return min(drawn, key=lambda entries: ((label in entries) != goodbye, abs(len(entries) - length)))


def continuation(model: InteractionModel, label: str, rng: RandomSource, *, cap: int = 25) -> tuple[str, ...]:
    """Sample what follows a label in the chain, without the label, at most ``cap`` long; () if it is the last."""
    return tuple(walk(model.next_label, label, rng, longest=cap + 1)[1 : cap + 1])


def walk(tables: Mapping[str, Weighted[str]], start: str, rng: RandomSource, *, longest: int) -> list[str]:
    """States from ``start`` to the end of the chain, at most ``longest`` + 1; a state without a table is the last."""
    states, state = [start], start
    for _ in range(longest):
        if (table := tables.get(state)) is None or (state := table.draw(rng)) == END:
            break
        states.append(state)
    return states


def _disclose(model: InteractionModel) -> str | None:
    label = model.space.roles.disclose
    return label if label in model.chain else None


@dataclass(frozen=True)
class UpdateRule:
    """Reaction to the agent's reply: pull the next action, or push a replacement (paper, sec. 4.1).

    The reply answers the user's action if its label is acceptable; then the next action is pulled off the agenda. Else
    a replacement is drawn (``Course.replace``) and done at once.
    """

    decides: Literal["last", "first"] = "last"
    """Judged message of a burst. The paper's simulator takes the last, its success rate the first."""
    failed: Literal["replace", "retry"] = "replace"
    """Treatment of an unanswered action: dropped for the replacement, as in the released code, or pushed back and tried
    again after it."""
    stop: Literal["released", "paper"] = "released"
    """When an empty agenda ends the dialogue: at once, whether or not the last action was answered; or only when it was,
    since in the paper an action leaves the agenda only when it is answered."""

    def __post_init__(self) -> None:
        if self.decides not in ("last", "first") or self.failed not in ("replace", "retry"):
            raise UsageError(
                "An update rule needs decides='last' or 'first' and failed='replace' or 'retry'; given: "
                f"{self.decides!r}, {self.failed!r}."
            )
