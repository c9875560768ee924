"""Interface of simulated users, and the agenda-based user of Zhang and Balog (KDD 2020).

A user is created for one dialogue. It starts, and after each turn of the agent answers or stops with a reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from trialogue.agents.base import Turn
from trialogue.errors import TrialogueError, UnknownNameError, UsageError
from trialogue.records import Ending, Mention, Need, Utterance
from trialogue.simulation.language.agent_turns import NOTHING, AgentTurnParser, LabelledMessage, Message
from trialogue.simulation.language.nlg import UtteranceGenerator, UtteranceState
from trialogue.simulation.language.nlu import START
from trialogue.simulation.language.phrases import ANY, DISLIKE, INDIFFERENT, LIKE, OPENING, PLAIN, SEEN, UNSEEN
from trialogue.simulation.language.styles import PersonalStyle
from trialogue.simulation.preferences import NeedPreferences, Preferences
from trialogue.simulation.profiles import DISLIKED, LIKED
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.agenda import UpdateRule, draw_near
from trialogue.simulation.users.course import Course
from trialogue.simulation.users.needs import without_attribute


@dataclass(frozen=True, slots=True)
class Stop:
    """The user ends the dialogue."""

    reason: str
    """Why: one of the regular endings, such as ``agenda_empty`` or ``user_gave_up``, or another word of another user's,
    which is kept as it is."""
    last_words: Utterance | None = None
    """What the user says in leaving, to which the agent does not reply; None: nothing."""


class UserFailure(TrialogueError):  # noqa: N818 - a failure of the simulated user, recorded, not an error of ours
    """Failure of a simulated user, such as a model that does not answer; never charged to the agent."""

    def __init__(self, detail: str, *, ending: Ending = Ending.USER_ERROR) -> None:
        super().__init__(f"simulated user failed: {detail}")
        self.detail = detail
        self.ending = ending
        """Ending of the dialogue: ``user_error``, or an environment failure."""


class SimulatedUser(Protocol):
    """Protocol of one user in one dialogue. If it has a ``need`` (see ``HasNeed``), the dialogue's record includes it."""

    def start(self, greeting: Turn | None = None) -> Utterance | Stop:
        """The user's first utterance, after the agent's greeting if there is one, with the user's acts."""
        ...

    def answer(self, turn: Turn) -> Utterance | Stop:
        """The user's answer to the agent's turn, with the user's acts; or why they stop."""
        ...

    def resume(self, history: Sequence[Utterance]) -> None:
        """Continue a dialogue from a history, instead of ``start``."""
        ...


@runtime_checkable
class HasNeed(Protocol):
    """A user with a known need."""

    @property
    def need(self) -> Need:
        """The user's need, never shown to the agent."""
        ...


@runtime_checkable
class HasLabeller(Protocol):
    """A user that comes with a labeller of the agent's messages.

    These acts are what measures of success read, so the labeller must not know what the user did or wanted:
    else they hear an answer where there is none.
    """

    def labels(self, turn: Turn) -> Sequence[LabelledMessage]:
        """Act label of each message of a turn, with its confidence; has no side effects."""
        ...


class HearsQuestions(Protocol):
    """Understanding of which attributes an agent asks about."""

    def question_in(self, turn: Turn, mentions: Sequence[Sequence[Mention]]) -> "HasAttributes":
        """The question of a turn, whose messages name these items."""
        ...


class HasAttributes(Protocol):
    """A question."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """What it asks about."""
        ...


AfterLiking = Literal["stop", "goodbye", "go-on"]
AFTER_LIKING = ("stop", "goodbye", "go-on")
SeenRule = Literal["profile", "agenda"]


@dataclass(frozen=True)
class BehaviorOptions:
    """Behavior options of an agenda-based user; extensions of the paper are off by default."""

    update: UpdateRule = field(default_factory=UpdateRule)
    """Update rule for the agent's reply."""
    after_liking: AfterLiking = "stop"
    """Agenda of a user with a knowledge graph after finding a liked item: emptied, as in the paper; only a goodbye left;
    or unchanged."""
    patience: int | None = None
    """Replies in a row that do not answer the user, after which they give up; None: any number."""
    seen: SeenRule = "profile"
    """Whether a user says to know an item if it is in their profile, as in the paper, or as the agenda has it, which is
    what the released code comes to."""
    takes_unnamed: bool = False
    """Whether a user may take an item where none was named, as the paper's agendas have it."""

    def __post_init__(self) -> None:
        if self.patience is not None and self.patience < 1:
            raise UsageError(
                f"Patience must be a number of failed replies (at least 1) or None; given: {self.patience}."
            )
        if self.after_liking not in AFTER_LIKING:
            raise UnknownNameError("value of after_liking", self.after_liking, AFTER_LIKING)
        if self.seen not in ("profile", "agenda"):
            raise UnknownNameError("value of seen", self.seen, ("profile", "agenda"))


class AgendaUser:
    """Agenda-based user (Zhang and Balog, KDD 2020, sec. 4.1).

    After each turn: nothing left on the agenda, stop. A reply that answers the user's action pulls the next one; any
    other is met with a replacement (``Course``). Preferences then have a say where an item is
    put forward: what was seen is said to be seen, what is reviewed is reviewed as it was liked, and a user with a
    knowledge graph takes or turns down an item as they like it.
    """

    __slots__ = (
        "_agenda",
        "_conduct",
        "_course",
        "_current",
        "_failures",
        "_has",
        "_heard",
        "_listening",
        "_model",
        "_need",
        "_offered",
        "_questions",
        "_revises",
        "_rng",
        "_satisfied",
        "_speech",
        "_telling",
    )  # fmt: skip

    def __init__(
        self,
        *,
        course: Course,
        listening: AgentTurnParser,
        speech: UtteranceGenerator,
        preferences: Preferences,
        rng: RandomSource,
        conduct: BehaviorOptions,
        has: frozenset[str],
        need: Need | None = None,
        style: PersonalStyle | None = None,
        questions: HearsQuestions | None = None,
        revises: bool = False,
    ) -> None:
        """Create a user; normally called by ``Users.new``.

        Args:
            course: how people go on.
            listening: how the agent is understood.
            speech: how acts are worded.
            preferences: what this user wants.
            rng: this user's own randomness.
            conduct: how they behave.
            has: user labels of the model, so that nobody says what no real user of this agent ever did.
            need: what they are after; None: nothing that was drawn beforehand.
            style: how they write; None: phrases as they are.
            questions: understands which attributes the agent asks about; None: they have one to talk about.
            revises: give up what they can do without once the agent says that nothing fits.
        """
        self._course, self._model, self._listening, self._speech = course, course.model, listening, speech
        self._rng, self._conduct, self._has = rng, conduct, has
        self._need, self._questions, self._revises = need, questions, revises
        self._offered = False
        self._telling = UtteranceState(preferences, style=style)
        self._agenda: list[str] = []
        self._current = START
        self._failures = 0
        self._satisfied = False
        self._heard: tuple[Turn, str, tuple[Message, ...]] | None = None

    @property
    def agenda(self) -> tuple[str, ...]:
        """Remaining actions, the next one first."""
        return tuple(reversed(self._agenda))

    def start(self, greeting: Turn | None = None) -> Utterance | Stop:
        """Opening action of a new agenda, or the one after it if the agent's greeting has already answered it."""
        style = self._telling.style
        if style is None:
            labels = self._course.draw(self._rng)
        else:
            label = self._model.space.roles.complete
            labels = draw_near(self._course.draw, style.answered, self._rng, label=label, goodbye=style.goodbye)
        self._agenda = list(labels[:0:-1])
        self._current = labels[0]
        if greeting is None or not greeting.utterances:
            return self._say(self._current, OPENING)
        heard = self._listening.hear(greeting)
        judged = self._notice(heard)
        if self._agenda and self._model.space.accepts(self._current, judged.label):
            return self._act(self._pull(), judged)
        return self._say(self._current, OPENING)

    def resume(self, history: Sequence[Utterance]) -> None:
        """Continue a dialogue: the agenda is drawn from what follows the user's last act, which counts as unanswered.

        Without an act that is known on the user's last utterance, the opening counts as the last one, and what follows it is
        drawn where nobody ever went on from the act. What the user said and which items were named is known.
        """
        known = {*self._has, *self._model.space.labels}
        for utterance in history:
            if utterance.speaker == "user":
                acts = (act.intent for act in utterance.acts or ())
                self._current = next((intent for intent in acts if intent in known), self._model.opening_label)
                self._telling.said.add(utterance.text)
                self._telling.named.update(m.item_id for m in utterance.mentions or () if m.item_id is not None)
            else:
                self._notice(self._listening.hear(Turn((utterance,)), self._current))
        if self._current == START:
            self._current = self._model.opening_label
        start = self._current if self._current in self._model.next_label else self._model.opening_label
        self._agenda = list(reversed(self._course.follow(start, self._rng)))

    @property
    def need(self) -> Need | None:
        """The user's need; None if none was sampled."""
        return self._need

    def labels(self, turn: Turn) -> list[LabelledMessage]:
        """Act label of each message of a turn, from its words alone, ignoring the preceding user act."""
        return self._listening.labels(turn)

    def answer(self, turn: Turn) -> Utterance | Stop:
        """The next action in words; ``agenda_empty`` if there is none, ``user_gave_up`` when patience runs out."""
        judged = self._notice(self._hear(turn))
        had_offer, self._offered = self._offered, bool(judged.items)
        may_revise = self._revises and judged.finds_nothing and not judged.items and not had_offer
        if may_revise and (revision := self._relax()) is not None:
            return revision
        self._telling.asked = self._attributes_asked(turn)
        answered = self._model.space.accepts(self._current, judged.label)
        if not self._agenda and (answered or self._satisfied or self._conduct.update.stop == "released"):
            return self._take_leave() or Stop("agenda_empty")
        if answered:
            self._failures = 0
            return self._act(self._pull(), judged)
        self._failures += 1
        if self._conduct.patience is not None and self._failures >= self._conduct.patience:
            return Stop("user_gave_up")
        if self._conduct.update.failed == "retry":
            self._agenda.append(self._current)
        return self._act(self._course.replace(self._current, judged.label, self._rng), judged)

    def _relax(self) -> Utterance | None:
        """Give up what the user can do without, and say so; None where that is nothing, or was given up before.

        An agent gains nothing by saying that nothing fits: outcomes stay on the need as it was.
        """
        need, preferences = self._need, self._telling.preferences
        if need is None or not isinstance(preferences, NeedPreferences):
            return None
        name = next((each.attribute for each in need.constraints if each.relaxable), None)
        if name is None or name in need.relaxed:
            return None
        self._need = without_attribute(need, name, self._speech.catalogue)
        preferences.relax(self._need)
        self._current = self._first_of(self._model.space.roles.disclose)
        return self._speech.say_relaxed(name, self._current, self._rng)

    def _attributes_asked(self, turn: Turn) -> tuple[str, ...]:
        """Attributes that a turn asks about."""
        if self._questions is None:
            return ()
        return self._questions.question_in(turn, self._listening.mentions(turn)).attributes

    def _pull(self) -> str:
        """The label of the next action on the agenda, which leaves it."""
        return self._course.act(self._agenda.pop(), self._rng)

    def _take_leave(self) -> Utterance | None:
        """A goodbye of somebody who writes like a person who said one, and has not yet; None otherwise."""
        style, goodbye = self._telling.style, self._model.space.roles.complete
        if style is None or not style.goodbye or goodbye not in self._has or self._current == goodbye:
            return None
        return self._say(goodbye, PLAIN)

    def _hear(self, turn: Turn) -> tuple[Message, ...]:
        """Interpretation of a turn given the user's last act; cached for a second request."""
        if self._heard is None or self._heard[0] is not turn or self._heard[1] != self._current:
            self._heard = (turn, self._current, self._listening.hear(turn, self._current))
        return self._heard[2]

    def _notice(self, heard: Sequence[Message]) -> Message:
        """The deciding message, with all items of the turn; the last named item becomes the topic."""
        if not heard:
            return NOTHING
        if len(heard) == 1:
            judged = heard[0]
        else:
            chosen = heard[-1] if self._conduct.update.decides == "last" else heard[0]
            items = tuple(item for message in heard for item in message.items)
            asks = any(message.asks_if_known for message in heard)
            nothing = any(message.finds_nothing for message in heard)
            judged = Message(chosen.label, items, asks_if_known=asks, finds_nothing=nothing)
        if judged.items:
            self._telling.focus = self._telling.preferences.focus(judged.items)
        return judged

    def _act(self, action: str, heard: Message) -> Utterance:
        return self._say(*self._consider(action, heard))

    def _say(self, action: str, stance: str) -> Utterance:
        self._current = action
        return self._speech.say(action, self._telling, self._rng, stance=stance)

    def _consider(self, action: str, heard: Message) -> tuple[str, str]:
        """(the action, what it says of the item) once preferences have had their say."""
        roles, item = self._model.space.roles, self._telling.focus
        if self._telling.asked and not heard.items and action not in (*self._model.space.informs, roles.complete):
            action = self._first_of(roles.disclose, action)
        if action == roles.like and item is None and not self._conduct.takes_unnamed:
            return self._first_of(roles.disclose, roles.another), PLAIN
        if action == roles.review:
            return action, self._view(item)
        if item is not None and self._is_about_knowing(action, heard):
            return self._known_or_not(self._telling.preferences.has_seen(item))
        if item is not None and self._telling.preferences.decides and self._is_decision(action, heard):
            return self._decide(action, item)
        return action, UNSEEN if heard.asks_if_known and action == roles.unseen else PLAIN

    def _is_about_knowing(self, action: str, heard: Message) -> bool:
        """Whether an action says if an item is known: it does where the agent has asked, or has put one forward."""
        roles = self._model.space.roles
        if self._conduct.seen == "agenda":
            return False
        if action == roles.seen:
            return heard.asks_if_known or bool(heard.items)
        return action == roles.unseen and heard.asks_if_known

    def _is_decision(self, action: str, heard: Message) -> bool:
        """Whether an action takes or turns down an item.

        A goodbye does where one has just been put forward. So does, of users in a personal style, taking note of something:
        where no item was named, the agent asked for something else, such as a time for a reminder.
        """
        roles = self._model.space.roles
        if action == roles.complete:
            return bool(heard.items) and heard.label in self._model.space.shows
        if action == roles.unseen:
            return roles.seen not in self._has and (self._telling.style is None or bool(heard.items))
        return action in (roles.like, roles.dislike)

    def _known_or_not(self, knows: bool) -> tuple[str, str]:
        """The answer to whether an item is known, consistent with the profile."""
        roles = self._model.space.roles
        if knows and roles.seen in self._has:
            return self._first_of(roles.seen), ANY
        return (self._first_of(roles.another), SEEN) if knows else (self._first_of(roles.unseen), UNSEEN)

    def _view(self, item: str | None) -> str:
        """The stance to an item that is reviewed; of an unknown one, any."""
        if item is None:
            return PLAIN
        opinion = self._telling.preferences.opinion(item, self._rng)
        return LIKE if opinion == LIKED else DISLIKE if opinion == DISLIKED else INDIFFERENT

    def _decide(self, action: str, item: str) -> tuple[str, str]:
        """Taking or turning down an item by what the user thinks of it; one they know already is not taken."""
        roles = self._model.space.roles
        opinion = self._telling.preferences.opinion(item, self._rng)
        if opinion == DISLIKED:
            return self._first_of(roles.dislike, roles.another, action), DISLIKE
        if self._telling.preferences.has_seen(item):
            return (action, PLAIN) if action == roles.complete else (self._first_of(roles.another, action), SEEN)
        if opinion == LIKED:
            self._after_liking()
            return self._first_of(roles.like, roles.unseen, action), LIKE
        if action == roles.complete:
            return action, PLAIN
        if action == roles.unseen and self._telling.style is not None and roles.dislike not in self._has:
            return action, INDIFFERENT  # with no word for dislike, people take note of most suggestions
        return self._first_of(roles.neutral, roles.another, action), INDIFFERENT

    def _after_liking(self) -> None:
        self._satisfied = self._conduct.after_liking != "go-on"
        if self._conduct.after_liking == "stop":
            self._agenda.clear()
        elif self._conduct.after_liking == "goodbye":
            goodbye = self._model.space.roles.complete
            self._agenda[:] = [goodbye] if goodbye else []

    def _first_of(self, *labels: str | None) -> str:
        """The first of the labels that real users of the model ever used."""
        return next((label for label in labels if label in self._has), self._current) or self._current
