"""A user who knows one item: answers questions about its attributes, accepts it and nothing else, and never names it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from trialogue.agents.base import Turn
from trialogue.catalogue import Catalogue
from trialogue.catalogue.item import ASKED
from trialogue.catalogue.naming import recommended_mentions
from trialogue.records import JsonValue, Mention, Need, Utterance
from trialogue.simulation.attributes.questions import Question, QuestionParser
from trialogue.simulation.attributes.wording import (
    ACCEPTANCE,
    ALREADY_SAID,
    NO_INFORMATION,
    OPENING,
    REFUSAL,
    Wordings,
    answer_with,
    join_sentences,
)
from trialogue.simulation.language.phrases import Linker
from trialogue.simulation.users.needs import known_mentions, values_of
from trialogue.simulation.users.targets import TitleDetector
from trialogue.simulation.users.user import Stop

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
