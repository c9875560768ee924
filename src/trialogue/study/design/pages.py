"""Content of pages: texts in an order, questions, a token. No Django.

It contains no system names and no item ids.

Expand the phases of a study file into a participant's plan, a list of step keys. Pure.

======================  ==============================================================================================
``consent``             the text, and a yes or no
``screening``           questions with answers that let people in
``before:1``, ...       pages of questionnaires
``instructions``        prose
``training:1``, ...     items with right answers, each followed by ``feedback:1``, ...
``comprehension:1``     questions about the instructions; ``comprehension:2`` is put behind it after a wrong answer
``tasks``               stands for all tasks until they are given out; then ``task:1``, ``check:1``, ``task:2``, ...
``after:1``, ...        pages of questionnaires
``exit``                thanks and code
======================  ==============================================================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from trialogue.records import JsonValue
from trialogue.study.design.questions import Answers, Question, Words

StepKind: TypeAlias = Literal[
    "consent", "screening", "questions", "instructions", "training", "feedback", "comprehension", "task", "chat", "exit"
]
ItemKind: TypeAlias = Literal["rating", "preference", "realism", "labelling", "chat"]


@dataclass(frozen=True)
class Line:
    """One message."""

    speaker: str
    """``user`` or ``system``."""
    text: str


@dataclass(frozen=True)
class RatingShown:
    """A situation and replies; those are rated one by one."""

    context: tuple[Line, ...]
    replies: tuple[str, ...]
    """In the order shown."""


@dataclass(frozen=True)
class ConversationShown:
    """A whole conversation, which is rated."""

    lines: tuple[Line, ...]


@dataclass(frozen=True)
class PairShown:
    """Two replies to a situation, or two dialogues."""

    context: tuple[Line, ...]
    """Empty for dialogues."""
    sides: tuple[str, ...] | tuple[tuple[Line, ...], ...]
    """Two texts, or two dialogues, in the order shown."""


@dataclass(frozen=True)
class LabelShown:
    """A dialogue, and the place of the message that is labelled."""

    lines: tuple[Line, ...]
    asked_about: int
    """Position of that message, from 0."""


@dataclass(frozen=True)
class ChatShown:
    """A conversation that is going on, or is over and to be judged."""

    number: int
    """1, or 2 for the second one."""
    of: int
    """How many there are."""
    task: Words
    """What the participant is to talk about."""
    lines: tuple[Line, ...]
    """Messages so far."""
    turn: int
    """Number of the participant's messages so far; a posted message names the turn it belongs to."""
    turns_left: int
    """Messages that the participant may still send."""
    turns_needed: int
    """Number of further messages required before it may be ended."""
    ended: bool
    """Whether nothing more can be said; the step's ``parts`` are asked then."""
    waiting: bool
    """Whether the system has yet to answer the last message: ask again with ``chats.answer``."""
    turn_questions: tuple[Question, ...] = ()
    """Asked with each message of the participant, about the reply before it."""


@dataclass(frozen=True)
class Row:
    """An answer to a training item, next to the right one."""

    place: int | None
    """Position of the reply it is about; None: of the whole."""
    question: Question
    given: JsonValue
    expected: JsonValue


@dataclass(frozen=True)
class FeedbackShown:
    """A training item, with the participant's answers and the right ones."""

    item: "Shown"
    right: bool
    """Whether all answers are right."""
    explanation: Words
    rows: tuple[Row, ...]
    """Answers beside the right ones."""


Shown: TypeAlias = RatingShown | ConversationShown | PairShown | LabelShown
Content: TypeAlias = Shown | ChatShown | FeedbackShown | None


@dataclass(frozen=True, eq=False)  # compared by identity: questions are large, and shared by many steps
class Part:
    """Questions that are asked together; their fields are named ``prefix`` and the question's name."""

    prefix: str
    """"" or ``r1-``, ``r2-``, ... for the reply at a position."""
    questions: tuple[Question, ...]


@dataclass(frozen=True)
class Step:
    """A participant's current step, with all content of its page."""

    key: str
    """Its key in the plan. Not for the page: it may say that this is a check."""
    kind: StepKind
    """Content of the page. Attention checks look like other tasks."""
    number: int
    """From 1."""
    of: int
    """Number of steps, as far as known."""
    token: str
    """Value of the form's hidden field, by which a submitted form is matched with its step."""
    parts: tuple[Part, ...] = ()
    item: ItemKind | None = None
    """The type of item, of tasks, chats, training and feedback."""
    content: Content = None
    heading: Words = ""
    """The author's, "" for the page's own."""
    text: Words = ""
    """Prose of the author: consent, instructions, introduction of a questionnaire, thanks."""
    attempt: int = 1
    """Number of this attempt at the comprehension check, from 1."""
    attempts: int = 1
    """Attempts that are allowed."""
    page_key: str = ""
    """Key of the page for its browser: the same at every load, and as opaque as the token."""
    task: int = 0
    """Number of the task, from 1; 0: not a task."""
    tasks: int = 0
    """Number of tasks in all."""
    hidden: str = ""
    """An instruction that people do not see; "": none."""

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of all parts."""
        return tuple(question for part in self.parts for question in part.questions)


OutcomeKind: TypeAlias = Literal["stored", "repeated", "kept", "late", "stale", "refused", "invalid"]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a form.

    ``stored``: on disk; go on. ``repeated``: the same was stored before, nothing done; go on. ``kept``: other answers were
    stored before, and stay. ``late``: the task went to somebody else meanwhile, nothing is stored. ``stale``: not the
    current step, nothing done; show the current one. ``refused``: somebody else's or a forged token; 403. ``invalid``: show
    ``parts`` again.
    """

    kind: OutcomeKind
    parts: dict[str, Answers] = field(default_factory=dict)
    """Answers by prefix, with their errors and the submitted values; set if ``invalid``."""


Phase: TypeAlias = Literal[
    "consent", "screening", "before", "instructions", "training", "comprehension", "tasks", "after", "exit"
]
PHASES: tuple[Phase, ...] = (
    "consent",
    "screening",
    "before",
    "instructions",
    "training",
    "comprehension",
    "tasks",
    "after",
    "exit",
)
TASKS = "tasks"


def plan_of(phases: Sequence[Phase], *, before: int, training: int, after: int) -> list[str]:
    """Step keys of the phases, in order.

    Args:
        phases: phases of the study.
        before: number of questionnaire pages before the tasks.
        training: number of training items.
        after: number of questionnaire pages after the tasks.

    >>> plan_of(["consent", "training", "tasks", "after", "exit"], before=0, training=1, after=1)
    ['consent', 'training:1', 'feedback:1', 'tasks', 'after:1', 'exit']
    """
    keys: dict[str, list[str]] = {
        "before": [f"before:{number}" for number in range(1, before + 1)],
        "training": [f"{word}:{number}" for number in range(1, training + 1) for word in ("training", "feedback")],
        "comprehension": ["comprehension:1"],
        "after": [f"after:{number}" for number in range(1, after + 1)],
    }
    return [key for phase in phases for key in keys.get(phase, [phase])]


def with_tasks(plan: Sequence[str], tasks: int, checks: Sequence[int], rng: np.random.Generator) -> list[str]:
    """The plan with tasks in place of ``tasks``, and checks (their numbers) among them at random places.

    A check is never the first, so that nobody meets one before they know what an ordinary task looks like, and no two
    checks stand side by side where there is room.

    >>> with_tasks(["tasks", "exit"], 2, [], np.random.default_rng(0))
    ['task:1', 'task:2', 'exit']
    """
    gaps = min(len(checks), tasks)
    places = sorted(rng.choice(np.arange(1, tasks + 1), size=gaps, replace=False).tolist()) if gaps else []
    steps: list[str] = []
    for number in range(1, tasks + 1):
        steps.append(f"task:{number}")
        if number in places:
            steps.append(f"check:{checks[places.index(number)]}")
    at = list(plan).index(TASKS)
    return [*plan[:at], *steps, *plan[at + 1 :]]


def phase_of(key: str) -> str:
    """The word of a step key.

    >>> phase_of("task:4")
    'task'
    """
    return key.partition(":")[0]


def number_of(key: str) -> int:
    """The number of a step key; 1 where it has none.

    >>> number_of("task:4"), number_of("consent")
    (4, 1)
    """
    return int(key.partition(":")[2] or 1)
