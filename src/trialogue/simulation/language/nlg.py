"""Generate user utterances: a phrase for the act, its slots filled from the user's preferences or the dialogue.

Every label has a phrase: one of real users, else a hand-written one, else a declared fallback. A user avoids repeating a
phrase while there is an alternative, and repeats it, rather than getting stuck, when there is none.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from trialogue.catalogue import Catalogue
from trialogue.catalogue.domains import Domain, WordClass, spoken_name, word_class
from trialogue.errors import UsageError
from trialogue.records import ActOrigin, DialogueAct, Mention, MentionedBy, SlotValue, Utterance
from trialogue.simulation.actions import KDD2020, ActionSpace
from trialogue.simulation.language.phrases import (
    ANY,
    INDIFFERENT,
    ITEM,
    OPENING,
    PLAIN,
    SEEN,
    UNSEEN,
    Phrase,
    Phrasebook,
)
from trialogue.simulation.language.rewording import is_long, rewordings
from trialogue.simulation.language.styles import STEP, PersonalStyle, add_typos, check_rate, preference_for
from trialogue.simulation.language.wordings import (
    FALLBACK,
    VALUE,
    Choice,
    Template,
    no_preference_phrases,
    phrases_of_class,
    preference_phrases,
    written_for,
)
from trialogue.simulation.preferences import Preferences
from trialogue.simulation.random_source import RandomSource
from trialogue.simulation.users.needs import DECADE

FILM_TALK = re.compile(
    r"\b(?:watch\w*|seen|saw|see (?:it|that|them)|director|directed|directs|actors?|acting|actress\w*|cast|"
    r"star(?:s|red|ring)|films?|movies?|cinema|screen|scenes?|trailer|imdb|oscars?|popcorn|musical|who is in|who plays|"
    r"released?|saturday|sunday)\b",
    re.IGNORECASE,
)
"""Words specific to films: phrases with them are excluded for items that are not watched."""
STORY_TALK = re.compile(
    r"\b(?:bor(?:ing|ed)|gave up|halfway|tonight|plot|overview|stor(?:y|ies)|about it|is about|it about|about\?|it by|"
    r"c[oa]me out|action|who (?:made|wrote)|(?:which|what) year|genres?|fun|funny|scary|scared|sad|recent|classics?|years?|"
    r"moved|mood|sequel|part two|laugh\w*|characters?|feels true|relaxed|warm|evening|afternoon|long|old|newer|"
    r"kids|children)(?!\w)",
    re.IGNORECASE,
)
"""Words for items with a plot and a year: phrases with them are excluded for jackets and restaurants."""
AGE_TALK = re.compile(
    r"\b(?:newe?r?|newest|latest|recent|modern|olde?r?|oldest|classics?|(?:19|20)?\d0 ?s|(?:19|20)\d\d|"
    r"(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ies)\b",
    re.IGNORECASE,
)
"""Wishes of one user for a time, which another one who wants films of another decade would not say."""
_ARTICLE = re.compile(r"\b([aA])n? $")
TRIES = 6  # draws for a phrase that was not said yet and can be filled, before all of them are gone through
FEW = 3  # phrases of real users with the stance that is wanted; with fewer, hand-written ones are said, too
Preferring = tuple[int, int, int] | None
"""``PersonalStyle.preferences``; None without a style."""
DECADES = {
    f"19{tens}s": word
    for tens, word in (
        (20, "twenties"),
        (30, "thirties"),
        (40, "forties"),
        (50, "fifties"),
        (60, "sixties"),
        (70, "seventies"),
        (80, "eighties"),
        (90, "nineties"),
    )
}
RARE = 0.1  # count of a hand-written phrase that is of a length no real user's is
HINTS = 0.25  # wishes for a time beside what real users said of their preferences, in users who write like them
ORIGIN = "simulated user"
MAX_VERBOSE = 5.0


@dataclass(frozen=True)
class WritingStyle:
    """Writing style of a user."""

    typos: float = 0.0
    """Share of words (of four letters or more, none of titles) with a slip of the finger, 0 to 1."""
    verbosity: float = 0.0
    """Above 0 longer phrases are likelier, below 0 shorter ones: a phrase one standard deviation longer than the mean of
    its act, in words, is exp(verbosity) times as likely."""
    persona: str = ""
    """Self-description, said with the first preference."""
    varied: bool = True
    """Whether phrases are not repeated while there are others, and wishes for a time are among them; else each template of
    an act is as likely as any other, each time (Zhang and Balog, KDD 2020, sec. 4.4)."""

    def __post_init__(self) -> None:
        check_rate(self.typos)
        if not -MAX_VERBOSE <= self.verbosity <= MAX_VERBOSE:
            raise UsageError(f"The verbosity must be a number from -5 (terse) to 5 (wordy); given: {self.verbosity:g}.")


@dataclass(slots=True)
class UtteranceState:
    """Mutable state of one user's utterances: possible references, and phrases already used."""

    preferences: Preferences
    focus: str | None = None
    """Id of the item that is talked about."""
    said: set[str] = field(default_factory=set)
    """Phrases they used."""
    named: set[str] = field(default_factory=set)
    """Ids of items they named."""
    introduced: bool = False
    """Whether the persona was mentioned."""
    wordings: dict[str, list[Template]] = field(default_factory=dict)
    """Templates of users with a style, by act."""
    asked: tuple[str, ...] = ()
    """Attributes that the agent has just asked about."""
    style: PersonalStyle | None = None
    """The real user whose way of writing they have; None: phrases as they are."""


class _SlotFiller(NamedTuple):
    """Filler of a slot."""

    slot: str
    value: str
    item_id: str | None


RELAXED = (
    "the {name} does not matter so much, then.",
    "then I can do without a particular {name}.",
    "well, the {name} is not that important.",
)
META_RELAXED = "relaxed"
"""Key in the ``meta`` of a message for the attribute that its user gives up."""


class UtteranceGenerator:
    """Utterance generator for users of one model and one catalogue. Holds no state of single users."""

    def __init__(
        self,
        phrasebook: Phrasebook,
        catalogue: Catalogue,
        *,
        attributes: Sequence[str] = ("genre",),
        space: ActionSpace = KDD2020,
        domain: Domain | None = None,
        manner: WritingStyle | None = None,
    ) -> None:
        """Prepare the phrases.

        Args:
            phrasebook: phrases of real users; those with a slot that the catalogue has no attribute for are left out.
            catalogue: the items that are talked about.
            attributes: those that users talk about, for the slot ``{value}``.
            space: what labels mean.
            domain: words for items; None: films.
            manner: how users write.
        """
        self.catalogue, self.space, self.manner = catalogue, space, manner or WritingStyle()
        self.attributes = tuple(name for name in attributes if name in catalogue.attributes)
        self._of_films = (domain or Domain()).do == Domain().do
        self._of_stories = (domain or Domain()).is_story
        self._plain = tuple(name for name in self.attributes if self._of_films or word_class(name) is WordClass.QUALITY)
        has_years = any(item.year is not None for item in catalogue.values())
        self._fillable = {ITEM, *catalogue.attributes}
        self._fillable |= ({VALUE} if self._plain else set()) | ({DECADE} if has_years else set())
        self._names = {
            name
            for name in catalogue.attributes
            if _are_names(list(catalogue.values_of(name)))
            or (not self._of_films and word_class(name) is WordClass.MAKER)
        }
        self._types = {name for name in self.attributes if word_class(name) is WordClass.TYPE}
        self._titles = {item.title.casefold() for item in catalogue.values()}
        self._phrasebook, self._words = phrasebook, (domain or Domain()).words
        self._first_words = {phrase.text for phrase in phrasebook.phrases_of(OPENING)}
        self._choices: dict[tuple[str, str, Preferring], Choice] = {}
        # what nearly every dialogue needs is made ready here, the rest as it is needed
        for label in filter(OPENING.__ne__, phrasebook.phrases):
            for stance in (PLAIN, OPENING):
                self._choice(label, stance, None)

    def say(self, label: str, telling: UtteranceState, rng: RandomSource, *, stance: str = PLAIN) -> Utterance:
        """Generate an utterance for the act, with its slots and mentions.

        Args:
            label: the act.
            telling: what the user knows and said; ``said``, ``named`` and ``introduced`` are kept up to date.
            rng: what is drawn from.
            stance: what is said of the item talked about (see ``phrases``), if the act has a phrase for it; ``OPENING``
                for the first words of a dialogue.
        """
        asked, telling.asked = telling.asked, ()
        if asked and label in self.space.informs:
            return self._answer(asked, label, telling, rng)
        style = telling.style
        prefers = None if style is None else style.preferences
        choice = self._choices.get((label, stance, prefers)) or self._choice(label, stance, prefers)
        template, fillings = (
            self._find_template(choice, label, telling, rng)
            if style is None
            else self._find_personal(choice, label, telling, style, rng)
        )
        if template.key in telling.said and not template.is_number:
            telling.said.difference_update(choice.keys)  # all were said: begin again
        telling.said.add(template.key)
        tells = self.manner.persona and not telling.introduced and label in self.space.informs
        if not tells and not self.manner.typos and (ready := template.ready) is not None:
            return ready if style is None else template.variant(style.apply(ready.text, rng))
        return self._fill(template, fillings, label, telling, rng)

    def say_relaxed(self, attribute: str, label: str, rng: RandomSource) -> Utterance:
        """What a user says who gives up what they asked of an attribute; its name is in ``meta``."""
        name = spoken_name(attribute)
        text = rng.pick(RELAXED).format(name=name)
        acts = (DialogueAct(intent=label),)
        return Utterance(
            speaker="user",
            text=text[0].upper() + text[1:],
            acts=acts,
            acts_by=ActOrigin.DECLARED,
            mentions=(),
            meta={META_RELAXED: attribute},
        )

    def _answer(self, asked: Sequence[str], label: str, telling: UtteranceState, rng: RandomSource) -> Utterance:
        """The answer to a question about attributes: the wanted value of one, or that it does not matter."""
        attribute = next((name for name in asked if name in telling.preferences.undisclosed), asked[0])
        choice = self._choices.get((label, PLAIN, None)) or self._choice(label, PLAIN, None)
        own = [each for each in choice.templates if each.slots == (attribute,)]
        wishes = sorted(telling.preferences.undisclosed - {attribute, DECADE})
        free = no_preference_phrases(attribute)
        also = [
            Phrase(f"{free[0].text}, {each.text}") for name in wishes[:1] for each in phrases_of_class(name)
        ]  # a user to whom this does not matter names what does
        for phrases in (own, phrases_of_class(attribute), also, free):
            if not phrases:
                continue
            templates = [each if isinstance(each, Template) else Template(each, self._words, label) for each in phrases]
            template = Choice(templates, self.manner.verbosity).draw(rng)
            fillings = self._fillings(template, label, telling, rng)
            if fillings is not None:
                return self._fill(template, fillings, label, telling, rng)
        raise AssertionError("phrases without preference have no slots")

    def _choice(self, label: str, stance: str, prefers: Preferring) -> Choice:
        """The templates of an act; for people with preferences, reworded where they would be one person's words."""
        written = written_for(OPENING if stance == OPENING else label, self.space)
        hand = [phrase for phrase in written if self._can_fill(phrase)] or [Phrase(FALLBACK)]
        own = [phrase for phrase in self._phrasebook.phrases_of(label) if self._can_fill(phrase)]
        # What real users said about release years cannot be taken over: the need of a simulated one states its own decade.
        if label in self.space.informs and stance != OPENING and self.manner.varied:
            own = [phrase for phrase in own if not AGE_TALK.search(phrase.text)]
            hints = [each for each in preference_phrases(short=prefers is not None) if self._can_fill(each)]
            own += hints if prefers is None else _as_long_as(own, hints)
        if label in self.space.informs and stance != OPENING and not self._of_films:
            worded = {slot for phrase in own for slot in phrase.slots}
            others = (name for name in self.attributes if name not in worded)
            own += [phrase for name in others for phrase in phrases_of_class(name)]
        if stance == OPENING:
            own = [phrase for phrase in own if phrase.text in self._first_words] or self._greetings()
        phrases = _phrases_saying(stance, own)
        if not phrases or (stance not in (PLAIN, ANY, OPENING) and len(phrases) < FEW):
            phrases += [
                phrase for phrase in _phrases_saying(stance, hand) if phrase.text not in {each.text for each in phrases}
            ]
        phrases = phrases or own or hand
        verbosity = self.manner.verbosity
        templates = [Template(phrase, self._words, label) for phrase in phrases]
        if prefers is not None:
            verbosity += STEP * prefers[-1]
            known = {phrase.text for phrase in self._phrasebook.phrases_of(label)}
            templates = [
                Template(each.reweight(preference_for(each.text, prefers)), self._words, label, key=phrase.text.lower())
                for phrase in phrases
                for each in (_nobodys(phrase) if phrase.text in known else [phrase])
            ]
        made = Choice(templates, verbosity)
        self._choices[label, stance, prefers] = made
        return made

    def _greetings(self) -> list[Phrase]:
        """First words that are given for no label, and so go with any: those of a file of phrases (``read_phrases``)."""
        labelled = {
            phrase.text
            for label in self._phrasebook.phrases
            if label != OPENING
            for phrase in self._phrasebook.phrases_of(label)
        }
        return [
            each for each in self._phrasebook.phrases_of(OPENING) if each.text not in labelled and self._can_fill(each)
        ]

    def _can_fill(self, phrase: Phrase) -> bool:
        """Whether its slots can be filled, and it speaks of films only where films are talked about."""
        if not self._of_films and FILM_TALK.search(phrase.text):
            return False
        if not self._of_stories and STORY_TALK.search(phrase.text):
            return False
        return all(slot in self._fillable or slot in self._words for slot in phrase.slots)

    def _find_template(
        self, choice: Choice, label: str, telling: UtteranceState, rng: RandomSource
    ) -> tuple[Template, list[_SlotFiller]]:
        """A template that was not said yet and can be filled, if there is one; else any that can be filled.

        Somebody who tells a preference and wants something that they have not mentioned yet rather mentions it.
        """
        undisclosed = telling.preferences.undisclosed if label in self.space.informs else frozenset()
        if telling.style is not None and choice.is_from_list:
            undisclosed = frozenset()  # asked for a number, people give one
        for attempt in range(2 * TRIES if undisclosed else TRIES):
            template = choice.draw(rng)
            if (
                attempt < TRIES
                and undisclosed
                and undisclosed.isdisjoint(template.slots)
                and ITEM not in template.slots
            ):
                continue
            if telling.style is not None and DECADE in template.slots and DECADE not in undisclosed:
                continue  # people do not repeat a wish for a time
            if template.key not in telling.said or template.is_number or not self.manner.varied:
                fillings = self._fillings(template, label, telling, rng)
                if fillings is not None:
                    return template, fillings
        for template in sorted(choice.templates, key=lambda each: each.key in telling.said):
            fillings = self._fillings(template, label, telling, rng)
            if fillings is not None:
                return template, fillings
        return Template(Phrase(FALLBACK), {}, label), []

    def _find_personal(
        self, choice: Choice, label: str, telling: UtteranceState, style: PersonalStyle, rng: RandomSource
    ) -> tuple[Template, list[_SlotFiller]]:
        """A template that was used for the act before, as often as this person repeats messages; else any."""
        before = telling.wordings.setdefault(label, [])
        if before and rng.share() < style.again:
            template = rng.pick(before)
            fillings = self._fillings(template, label, telling, rng)
            if fillings is not None:
                return template, fillings
        template, fillings = self._find_template(choice, label, telling, rng)
        before.append(template)
        return template, fillings

    def _fillings(
        self, template: Template, label: str, telling: UtteranceState, rng: RandomSource
    ) -> list[_SlotFiller] | None:
        """Fillers of the slots; None if one has none."""
        found: list[_SlotFiller] = []
        for slot in template.slots:
            filling = self._item(label, telling, rng) if slot == ITEM else self._value(slot, label, telling, rng)
            if filling is None:
                return None
            found.append(filling)
        return found

    def _item(self, label: str, telling: UtteranceState, rng: RandomSource) -> _SlotFiller | None:
        """Item to name: a wanted one for acts that express a preference, for others the current topic."""
        item_id = None if label in self.space.informs else telling.focus
        if item_id is None or item_id not in self.catalogue:
            item_id = telling.preferences.wanted_item(rng, but=telling.named)
        return None if item_id is None else _SlotFiller(ITEM, self.catalogue[item_id].title, item_id)

    def _value(self, slot: str, label: str, telling: UtteranceState, rng: RandomSource) -> _SlotFiller | None:
        """A value that is wanted, or one to turn down; for acts about an item, one of that item.

        Some acts about an item wish for more of its kind ("I would prefer a comedy"): who has a need of their own asks for
        nothing else.
        """
        attribute = rng.pick(self._plain) if slot == VALUE else slot
        roles, item = self.space.roles, self.catalogue.get(telling.focus or "")
        own = (
            ()
            if item is None
            or label in self.space.informs
            or label == roles.dislike
            or attribute in telling.preferences.wishes
            else item.attributes.get(attribute)
        )
        wanted = label != roles.dislike
        value = rng.pick(own) if own else telling.preferences.value(attribute, rng, liked=wanted)
        return None if value is None else _SlotFiller(attribute, value, None)

    def _as_people_write(self, slot: str, written: str) -> str:
        """A decade in words, and a title without its subtitle where no other item is called so."""
        if slot == DECADE:
            return DECADES.get(written, written)
        base = written.partition(":")[0]
        return base if slot == ITEM and base.casefold() not in self._titles else written

    def _fill(
        self,
        template: Template,
        fillings: Sequence[_SlotFiller],
        label: str,
        telling: UtteranceState,
        rng: RandomSource,
    ) -> Utterance:
        text, slots, mentions = "", [], []
        for at, piece in enumerate(template.pieces):
            text += add_typos(piece, self.manner.typos, rng)
            if at < len(fillings):
                slot, value, item_id = fillings[at]
                is_plural = slot in self._types and value.endswith("s") and not value.endswith("ss")
                text = _ARTICLE.sub("", text) if is_plural else _with_article(text, value)
                written = value if not text or slot == ITEM or slot in self._names else value.lower()
                if telling.style is not None:
                    written = self._as_people_write(slot, written)
                slots.append(SlotValue(slot=slot, value=value, start=len(text), end=len(text) + len(written)))
                if item_id is not None:
                    telling.named.add(item_id)
                    mentions.append(_mention(self.catalogue[item_id].title_with_year, item_id, slots[-1]))
                text += written
        if telling.style is not None:
            text = telling.style.apply(text, rng, keep=slots[-1].end or 0 if slots else 0)
        if self.manner.persona and not telling.introduced and label in self.space.informs:
            telling.introduced = True
            text = f"{text.rstrip()}{'' if text.rstrip()[-1:] in '.!?' else '.'} {self.manner.persona}"
        act = DialogueAct(intent=label, slots=tuple(slots))
        return Utterance(speaker="user", text=text, acts=(act,), acts_by=ActOrigin.DECLARED, mentions=tuple(mentions))


def _as_long_as(own: Sequence[Phrase], others: Sequence[Phrase]) -> list[Phrase]:
    """Hand-written phrases as likely as those of real users of about their length, together a quarter as likely as all."""
    near = [RARE + sum(each.count for each in own if abs(_words_in(each) - _words_in(other)) <= 1) for other in others]
    every = sum(each.count for each in own) or 1.0
    return [
        Phrase(each.text, HINTS * every * weight / sum(near), each.stance)
        for each, weight in zip(others, near, strict=True)
    ]


def _words_in(phrase: Phrase) -> int:
    return len(phrase.text.split())


def _nobodys(phrase: Phrase) -> Iterator[Phrase]:
    """A phrase in words that no single person used: short ones as they are, long ones reworded."""
    others = rewordings(phrase.text) if is_long(phrase.text) else ()
    if not others:
        yield phrase
    for text in others:
        yield Phrase(text, phrase.count / len(others), phrase.stance)


def _with_article(text: str, value: str) -> str:
    """Text followed by a value, with the right article "a" or "an"."""
    found = _ARTICLE.search(text)
    if found is None:
        return text
    return text[: found.end(1)] + ("n " if value[:1].lower() in "aeiou" else " ")


def _mention(title: str, item_id: str, slot: SlotValue) -> Mention:
    return Mention(
        title=title, item_id=item_id, start=slot.start, end=slot.end, origin=ORIGIN, by=MentionedBy.SIMULATED
    )


def _phrases_saying(stance: str, phrases: Sequence[Phrase]) -> list[Phrase]:
    """The phrases that say this of an item; without a stance, those that do not say whether one knows it."""
    if stance in (ANY, OPENING):
        return list(phrases)
    if stance == PLAIN:
        return [phrase for phrase in phrases if phrase.stance not in (SEEN, UNSEEN)] or list(phrases)
    return [phrase for phrase in phrases if phrase.stance == (PLAIN if stance == INDIFFERENT else stance)]


def _are_names(values: Sequence[str]) -> bool:
    """Whether most values of an attribute are names, which keep their capitals inside a sentence ("Jane Campion")."""
    named = sum(value.istitle() and " " in value for value in values)
    return 2 * named > len(values)
