"""The kind ``target-item:attributes``: a user who knows one item and answers about it, its options, and users in a world."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from trialogue.agents.base import Turn
from trialogue.agents.registry import OptionsError
from trialogue.catalogue import OTHER_TITLES, Catalogue
from trialogue.catalogue.domains import domain_of
from trialogue.catalogue.item import ASKED, names_of
from trialogue.catalogue.naming import recommended_mentions
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.records import JsonValue, Mention, Need, Record, Utterance
from trialogue.records.files.validation import Mistake, mistakes_of
from trialogue.simulation.attributes.questions import (
    ACCEPTANCE,
    ALREADY_SAID,
    MAX_ATTRIBUTES,
    NO_INFORMATION,
    OPENING,
    REFUSAL,
    Question,
    QuestionParser,
    Wordings,
    answer_with,
    join_sentences,
    wordings_hash,
)
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.users.needs import DECADE, decade_of, known_mentions, values_of
from trialogue.simulation.users.user import Stop
from trialogue.simulation.users.world import NeedsByCase, TitleDetector, World, target_need

WITHHELD = "withheld_values"
"""Key in a message's ``meta``: the number of values left out because they would have named the target."""
TIMES = 2  # that a question is answered; the same answer a third time would look like a user in a loop


class AttributeUser:
    """User of one dialogue who answers questions about the attributes of a target."""

    def __init__(
        self,
        need: Need,
        parser: QuestionParser,
        title: TitleDetector,
        catalogue: Catalogue,
        linker: Linker,
        *,
        turns: int,
        titles: int,
        ranked: int,
        opening: Sequence[str],
        domain: str,
    ) -> None:
        """Create a user.

        Args:
            need: whose first target is the item.
            parser: understands questions.
            title: the target's.
            catalogue: holds the target.
            linker: finds titles in texts of agents that do not say which items they name.
            turns: replies of the agent after which the dialogue is over.
            titles: new recommended items of a turn that are considered, in order.
            ranked: places of the agent's ranked list that are considered where it asks no question.
            opening: attributes whose values the first message tells.
            domain: noun for items, in the plural.
        """
        self._need, self._parser, self._title = need, parser, title
        self._item = catalogue[need.targets[0]]
        self._catalogue, self._linker = catalogue, linker
        self._turns, self._titles, self._ranked = turns, titles, ranked
        self._opening, self._greeting = tuple(opening), tuple(each.replace("{domain}", domain) for each in OPENING)
        self._replies = 0
        self._answers: Counter[str] = Counter()
        self._named: set[str] = set()  # by either side

    @property
    def need(self) -> Need:
        """The user's need, met by the target alone."""
        return self._need

    def start(self, greeting: Turn | None = None) -> Utterance | Stop:
        """Fixed first message, or the answer to a greeting that asks about an attribute or recommends the target."""
        if greeting is None:
            return self._open()
        mentions = self._mentions_in(greeting.utterances)
        if self._is_found(greeting, self._note_recommended(greeting.utterances, mentions)):
            return self._accept()
        question = self._parser.question_in(greeting, mentions)
        return self._reply(question, refuses=False) if question.attributes else self._open()

    def answer(self, turn: Turn) -> Utterance | Stop:
        """Acceptance of the target, else the next message, or the end after the last turn."""
        self._replies += 1
        mentions = self._mentions_in(turn.utterances)
        recommended = self._note_recommended(turn.utterances, mentions)
        question = self._parser.question_in(turn, mentions)
        if self._is_found(turn if not question.attributes else None, recommended):
            return self._accept()
        if self._replies >= self._turns:
            return Stop("turn_limit")
        return self._reply(question, refuses=bool(recommended) or question.is_recommendation)

    def resume(self, history: Sequence[Utterance]) -> None:
        """Continue a dialogue: what was named in it is known, and its turns do not count."""
        for said in history:
            if said.speaker == "user":
                self._note_own(said)
            else:
                self._note_recommended([said], self._mentions_in([said]))

    def _mentions_in(self, utterances: Sequence[Utterance]) -> list[tuple[Mention, ...]]:
        return [known_mentions(said, self._catalogue, self._linker) or () for said in utterances]

    def _note_recommended(self, utterances: Sequence[Utterance], mentions: Sequence[Sequence[Mention]]) -> list[str]:
        """Keys of items that a turn recommends and that nobody has named before; from now on they are named.

        These are the items that outcomes by needs count, so that the user accepts what meets the need.
        """
        new: list[str] = []
        for said, items in zip(utterances, mentions, strict=True):
            for mention in recommended_mentions(said.text, items):
                key = _key_of(mention)
                if key not in self._named:
                    self._named.add(key)
                    new.append(key)
        return new

    def _note_own(self, said: Utterance) -> None:
        self._named.update(map(_key_of, known_mentions(said, self._catalogue, self._linker) or ()))

    def _is_found(self, turn: Turn | None, recommended: Sequence[str]) -> bool:
        """Whether the target is among the considered items of a turn; None: its lists are not looked at."""
        lists = [said.ranking or () for said in turn.utterances] if turn is not None and self._ranked else []
        considered = {*recommended[: self._titles], *(key for ranking in lists for key in ranking[: self._ranked])}
        return not considered.isdisjoint(self._need.acceptable)

    def _open(self) -> Utterance:
        values = {name: values_of(self._item, name) for name in self._opening}
        told = [answer_with(values, self._title).wordings] if any(values.values()) else []
        return self._say([self._greeting, *told])

    def _accept(self) -> Stop:
        return Stop("user_ended", Utterance(speaker="user", text=ACCEPTANCE))

    def _reply(self, question: Question, *, refuses: bool) -> Utterance:
        parts: list[Wordings] = [REFUSAL] if refuses else []
        meta: dict[str, JsonValue] = {}
        if question.attributes:
            meta[ASKED] = list(question.attributes)
            values = self._values(question.attributes)
            if values:
                answer = answer_with(values, self._title)
                parts.append(answer.wordings)
                meta |= {WITHHELD: answer.withheld} if answer.withheld else {}
            elif not refuses:
                parts.append(ALREADY_SAID)
        return self._say(parts or [NO_INFORMATION], meta)

    def _values(self, attributes: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """The target's values of attributes that were not answered too often; notes that they are answered now."""
        due = [name for name in attributes if self._answers[name] < TIMES]
        self._answers.update(due)
        return {name: values_of(self._item, name) for name in due}

    def _say(self, parts: Sequence[Wordings], meta: Mapping[str, JsonValue] | None = None) -> Utterance:
        said = Utterance(speaker="user", text=join_sentences(parts, self._title), meta=dict(meta or {}))
        self._note_own(said)
        return said


def _key_of(mention: Mention) -> str:
    return mention.item_id if mention.item_id is not None else mention.title.casefold()


VERSION = "v1"
NAME = "target-item:attributes"
SUMMARIES: Mapping[str, str] = {
    "attributes": "knows one item, answers questions about its attributes and accepts nothing else (iEvaLM); five turns"
}
FIRST = ("genre", "star", "director", "writer")
"""iEvaLM's order of questions, which is the order of the options A, B, C, ..."""


def _as_list(names: Any) -> Any:
    """Names as a list; one alone may be given as a text, as on a command line."""
    return [names] if isinstance(names, str) else names


def _check_distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(names)) < len(names):
        raise ValueError(f"each attribute must be named once, got {', '.join(names)}.")
    return names


class AttributeOptions(Record):
    """Options of users who answer questions about attributes."""

    attributes: (
        Annotated[
            tuple[str, ...],
            Field(min_length=1, max_length=MAX_ATTRIBUTES),
            BeforeValidator(_as_list),
            AfterValidator(_check_distinct),
        ]
        | None
    ) = None
    """Attributes that can be asked about, in the order of the options A, B, C, ...; the letter after the last one stands for
    recommending. ``decade`` is that of an item's year. None: those of the catalogue, iEvaLM's (genre, star, director,
    writer) first."""
    turns: Annotated[int, Field(ge=1)] = 5
    """Replies of the agent after which a dialogue is over."""
    titles: Annotated[int, Field(ge=1)] = 3
    """New recommended items of a turn that are considered: the first three, as in ``need_met``."""
    ranked: Annotated[int, Field(ge=0)] = 0
    """Places of the agent's ranked list that are considered in a turn without a question; 0: the user reads the text alone.
    iEvaLM: 50."""
    opening: Annotated[tuple[str, ...], BeforeValidator(_as_list), AfterValidator(_check_distinct)] = ()
    """Attributes whose values the first message tells, in place of the human dialogue that iEvaLM's users go on from;
    (): none."""
    domain: Annotated[str, Field(pattern=r"\S")] | None = None
    """Kind of items, in the plural; None: told by the catalogue's attributes."""


class AttributeKind:
    """The kind of users who answer questions about attributes."""

    name = NAME
    """Name of these users in tables."""

    def __init__(self, given: Mapping[str, Any] | None = None) -> None:
        """``given``: options, possibly wrong."""
        self._given = dict(given or {})

    @property
    def signature(self) -> str:
        """Kind, version, and a hash of the fixed sentences."""
        return f"{NAME}|{VERSION}|{wordings_hash()}"

    def with_options(self, **changes: Any) -> "AttributeKind":
        """Copy with some options changed.

        Raises:
            OptionsError: unknown options, or values that they cannot have.
        """
        kind = AttributeKind(self._given | changes)
        if wrong := kind.mistakes():
            raise OptionsError(NAME, wrong, what="users")
        return kind

    def mistakes(self) -> list[Mistake]:
        """Invalid options."""
        try:
            AttributeOptions.model_validate(self._given)
        except ValidationError as error:
            return mistakes_of(error, self._given, AttributeOptions)
        return []

    def settle(self, world: World) -> "AttributeUsers":
        """Create users of this kind in a world.

        Raises:
            OptionsError: options are wrong.
            UnknownNameError: the options name an attribute that no item has.
            DataError: the catalogue has no attribute to talk about.
        """
        if wrong := self.mistakes():
            raise OptionsError(NAME, wrong, what="users")
        return AttributeUsers(self.signature, AttributeOptions.model_validate(self._given), world)


class AttributeUsers:
    """Users of this kind in one world; thread-safe."""

    name = NAME

    def __init__(self, signature: str, options: AttributeOptions, world: World) -> None:
        """Prepare what users share; see ``AttributeKind.settle``."""
        self.signature, self.options, self.world = signature, options, world
        main = world.attributes[0]
        self.attributes = options.attributes or askable_attributes(world.catalogue)
        """Attributes that can be asked about, in the order of the options."""
        if strange := [name for name in (*self.attributes, *options.opening) if not _is_held(world.catalogue, name)]:
            raise UnknownNameError("attribute of the catalogue", strange[0], askable_attributes(world.catalogue))
        self._parser = QuestionParser(world.catalogue, self.attributes, main=main)
        self.cases = NeedsByCase.of_world(world, attributes=world.attributes)

    def new(self, case: str, *, seed: int) -> AttributeUser:
        """Create the user of a case, with the need of ``llm:target-item`` users in this case."""
        need = target_need(self.cases.draw(case, seed=seed).need)
        options, world = self.options, self.world
        return AttributeUser(
            need,
            self._parser,
            TitleDetector(need.targets, world, with_other_titles=True),
            world.catalogue,
            world.linker,
            turns=options.turns,
            titles=options.titles,
            ranked=options.ranked,
            opening=options.opening,
            domain=options.domain or domain_of(world.catalogue).things,
        )


def askable_attributes(catalogue: Catalogue) -> tuple[str, ...]:
    """A catalogue's attributes without other titles: those that iEvaLM asks about first, then by name.

    Raises:
        DataError: it has none.
    """
    names = [name for name in catalogue.attributes if name != OTHER_TITLES]
    if not names:
        what = f"none of the {len(catalogue)} items has an attribute to ask about."
        raise DataError(Problem(what, hint="Give items a genre, director, cuisine or similar attribute."))
    order = {word: place for place, first in enumerate(FIRST) for word in names_of(first)}
    return tuple(sorted(names, key=lambda name: (order.get(name, len(FIRST)), name)))


def _is_held(catalogue: Catalogue, attribute: str) -> bool:
    """Whether items have an attribute that can be asked about; other titles cannot."""
    if attribute == DECADE and any(decade_of(item) is not None for item in catalogue.values()):
        return True
    return attribute in catalogue.attributes and attribute != OTHER_TITLES


class TargetItemKinds:
    """Family of kinds behind the entry point ``target-item``."""

    members = SUMMARIES

    def member(self, name: str) -> AttributeKind:
        """Get a kind by name.

        Raises:
            UnknownNameError: there is none.
        """
        if name not in SUMMARIES:
            hint = f"Give it as {NAME}. A language model that knows its target is llm:target-item."
            raise UnknownNameError("kind of users target-item:", name, SUMMARIES, hint=hint)
        return AttributeKind()


KINDS = TargetItemKinds()
