"""Kinds of scripted participants: how each fills in the forms of a page.

Opinions of scripted participants: utilities, and how they become ratings, choices and labels.

A reply has the utility ``effect of its system + item + person + noise``, with noise from the standard logistic distribution:
the cumulative-link mixed model with crossed random effects that the analysis fits, so that its estimates can be compared
with the simulated effects, in logits.

Synthetic reading and writing styles of people, of people assisted by a language model, and of models in their place.

The numbers are assumptions, for testing the signals of ``design.validity``: reading after Brysbaert (2019), 238 words
a minute; typing after Dhakal et al. (2018), 52 words a minute; the rest is ours. Error rates of signals on these scripts
hold for scripts only.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Literal, TypeAlias

import numpy as np
import yaml

from trialogue.seeds import rng_for
from trialogue.study.bots.page import FormQuestion, Knowledge, Page
from trialogue.study.design.assignment import RANK

RespondentKind: TypeAlias = Literal["person", "assisted", "agent"]
"""A person; a person who lets a model write and mostly pastes it; a program that reads a page's source and fills it in."""
WORDS_READ_PER_S = 4.0  # the median of people
CHARACTERS_TYPED_PER_S = 4.3  # the median of people
_WORDS = yaml.safe_load(files("trialogue.study.bots").joinpath("words.yaml").read_text(encoding="utf-8"))
OPENINGS, SUBJECTS, VERBS, TAILS = (_WORDS[part] for part in ("openings", "subjects", "verbs", "tails"))
MODEL_OPENINGS, MODEL_MIDDLES, MODEL_ENDS = (_WORDS[f"model_{part}"] for part in ("openings", "middles", "ends"))


@dataclass(frozen=True)
class TimedPage:
    """How long a page takes, and what the browser notices meanwhile."""

    seconds: float
    """Time on the page, with that of typing."""
    events: str
    """The value of the page's hidden field of events: JSON, a list of [kind, milliseconds since the page was shown]."""


@dataclass
class Respondent:
    """Reading, writing and typing behavior of one participant.

    Args:
        kind: what they are.
        rng: the participant's random numbers.
    """

    kind: RespondentKind
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.reading = float(np.clip(WORDS_READ_PER_S * np.exp(self.rng.normal(0, 0.3)), 1.5, 8.0))
        self.typing = float(np.clip(CHARACTERS_TYPED_PER_S * np.exp(self.rng.normal(0, 0.35)), 1.5, 10.0))
        self.pastes_own = bool(self.rng.random() < 0.04)  # writes elsewhere, as some people do
        # Of agents only, but drawn for all, so that the kind does not change what else is drawn.
        self.is_hasty = bool(self.rng.random() < 0.5)  # sends as soon as it can
        self.is_obedient = bool(self.rng.random() < 0.6)  # does what the source of a page asks for

    def seconds(self, page: Page) -> float:
        """Time on a page, without that of typing."""
        questions = sum(len(form.asked) for form in page.forms)
        if self.kind == "agent":
            return float(self.rng.uniform(2, 12) if self.is_hasty else self.rng.uniform(20, 60))
        attention = self.rng.uniform(0.2, 0.6) if self.kind == "assisted" else self.rng.uniform(0.6, 1.3)
        away = self.rng.uniform(8, 30) if self.kind == "assisted" and self._asks_for_text(page) else 0.0
        return float(page.words / self.reading * attention + questions * self.rng.uniform(1.2, 4.0) + away)

    def _asks_for_text(self, page: Page) -> bool:
        """Whether a page has an open question."""
        return any(each.kind == "text" and not each.unseen for form in page.forms for each in form.asked)

    def text(self, page: Page) -> str:
        """Answer to an open question."""
        return self._text_of_person(page) if self.kind == "person" else self._text_of_model(page)

    def _text_of_person(self, page: Page) -> str:
        pick = self._pick
        words = " ".join(
            filter(None, (pick(OPENINGS), pick(SUBJECTS), pick(VERBS), self._quote(page, 0.4), pick(TAILS)))
        )
        if self.rng.random() < 0.35:
            words += f", {pick(SUBJECTS)} {pick(VERBS)} {pick(TAILS)}".rstrip()
        if self.rng.random() < 0.3:
            place = int(self.rng.integers(len(words)))
            words = words[:place] + words[place + 1 :]  # a slip of the finger
        return words if self.rng.random() < 0.5 else words.capitalize() + "."

    def _text_of_model(self, page: Page) -> str:
        pick = self._pick
        text = f"{pick(MODEL_OPENINGS)} {pick(MODEL_MIDDLES)}{self._quote(page, 0.3)}, {pick(MODEL_ENDS)}"
        if self.kind == "agent" and self.is_obedient and page.hidden:
            text += f" {self.word_asked_for_in_source(page)}"
        return text

    def word_asked_for_in_source(self, page: Page) -> str:
        """The word that the source of a page asks for: the one after "word"."""
        words = page.hidden.replace(",", " ").split()
        return words[words.index("word") + 1] if "word" in words else ""

    def _pick(self, choices: Sequence[str]) -> str:
        return choices[int(self.rng.integers(len(choices)))]

    def _quote(self, page: Page, share: float) -> str:
        """Some words of the page in quotation marks, in this share of the answers; else ""."""
        words = " ".join([*page.context[-1:], *(text for side in page.sides for text in side)]).split()
        if len(words) < 6 or self.rng.random() > share:
            return ""
        start = int(self.rng.integers(len(words) - 3))
        return f' "{" ".join(words[start : start + int(self.rng.integers(2, 5))])}"'

    def trap_answer(self, values: Sequence[str], right: str) -> str:
        """Answer to a question that hardly any person can answer, but a language model can.

        Args:
            values: the choices; the first one is "I do not know".
            right: the right one.
        """
        chance = self.rng.random()
        if self.kind == "agent":
            return right if chance < 0.95 else values[0]
        if self.kind == "assisted":
            return right if chance < 0.5 else values[0]
        if chance < 0.03:
            return right
        return self._pick(values) if chance < 0.12 else values[0]

    def fill_in(self, characters: int, seconds: float, *, asks: bool) -> TimedPage:
        """Time on a page with that of typing or pasting, and the browser's events.

        Args:
            characters: number of characters written on the page.
            seconds: time on the page without that of typing (``seconds``).
            asks: whether the page has an open question.
        """
        events: list[tuple[str, float]] = []
        pasted = asks and ((self.kind == "assisted" and self.rng.random() < 0.8) or self.pastes_own)
        typing = 0.0 if self.kind == "agent" or pasted else characters / self.typing
        whole = seconds + typing
        if self.kind == "agent":
            events = [("first_input", whole - self.rng.uniform(0.05, 0.6)), ("submit", whole)]
        else:
            began = seconds * self.rng.uniform(0.4, 0.8)
            events = [("first_input", began), ("submit", whole)]
            if self.kind == "assisted" and asks:
                events += [("blur", seconds * 0.2), ("focus", seconds * 0.8)]
            elif self.rng.random() < 0.06:  # a message on the phone, a look at a film's page
                left = whole * self.rng.uniform(0.1, 0.5)
                events += [("blur", left), ("focus", min(whole, left + self.rng.uniform(1, 20)))]
            if pasted:
                events.append(("paste", whole * 0.85))
        events.sort(key=lambda each: each[1])
        return TimedPage(whole, json.dumps([[kind, max(0, round(at * 1000))] for kind, at in events]))


ITEM_SPREAD = 0.5  # standard deviation of items, in logits
PERSON_SPREAD = 0.7  # of persons
SAME = 0.6  # difference of utilities below which two sides are called the same


def point(utility: float, points: int) -> int:
    """The point of a scale, counted from 1, by thresholds at the logits of 1/points, 2/points, ...

    >>> [point(utility, 5) for utility in (-9.0, -0.5, 0.0, 0.5, 9.0)]
    [1, 2, 3, 4, 5]
    """
    shares = np.arange(1, points) / points
    return 1 + int(np.searchsorted(np.log(shares / (1 - shares)), utility))


@dataclass
class Taste:
    """The preferences of one person.

    Args:
        effects: utility by system, in logits.
        seed: seed of the study; items have the same difficulty for everybody.
        rng: random generator of the person.
        severity: severity of the person, added to every utility.
        errors: share of labels that are wrong.
    """

    effects: Mapping[str, float]
    seed: int
    rng: np.random.Generator
    severity: float = 0.0
    errors: float = 0.15
    _items: dict[str, float] = field(default_factory=dict)

    def utility(self, systems: Iterable[str], item: str) -> float:
        """Sampled utility of a reply; a reply given by several systems has their mean effect."""
        known = [self.effects.get(system, 0.0) for system in systems]
        effect = sum(known) / len(known) if known else 0.0
        return effect + self._item(item) + self.severity + float(self.rng.logistic())

    def _item(self, item: str) -> float:
        if item not in self._items:
            self._items[item] = float(rng_for(self.seed, "difficulty", item).normal(0, ITEM_SPREAD))
        return self._items[item]

    def side(self, first: Iterable[str], second: Iterable[str]) -> str:
        """``1``, ``same`` or ``2``: which of two is preferred; item and person cancel out."""
        means = []
        for systems in (first, second):
            known = [self.effects.get(system, 0.0) for system in systems]
            means.append(sum(known) / len(known) if known else 0.0)
        felt = means[0] - means[1] + float(self.rng.logistic())
        return "same" if abs(felt) < SAME else ("1" if felt > 0 else "2")

    def label(self, true: str, text: str, values: Sequence[str]) -> str:
        """A label: the true one, or now and then another. Where the researcher knows none, one that the text implies."""
        right = true if true in values else values[int(rng_for(self.seed, "label", text).integers(len(values)))]
        others = [value for value in values if value != right]
        if others and self.rng.random() < self.errors:
            return others[int(self.rng.integers(len(others)))]
        return right


Kind = Literal["attentive", "careless", "straight", "obedient", "drop_out", "person", "assisted", "agent"]
KINDS: tuple[Kind, ...] = ("attentive", "careless", "straight", "obedient", "drop_out", "person", "assisted", "agent")
READERS: tuple[Kind, ...] = (
    "attentive",
    "drop_out",
    "obedient",
    "person",
    "assisted",
    "agent",
)  # of checks of attention
MANNERS: dict[Kind, RespondentKind] = {"person": "person", "assisted": "assisted", "agent": "agent"}
TRAPS = {"trap_root": "13", "trap_element": "59", "trap_treaty": "1689"}  # and what a language model answers
Sent = dict[str, str | list[str]]
SECONDS: dict[Kind, tuple[float, float]] = {
    "attentive": (20.0, 90.0),
    "careless": (1.0, 4.0),
    "straight": (1.0, 6.0),
    "obedient": (1.0, 4.0),
    "drop_out": (20.0, 90.0),
    "person": (20.0, 90.0),
    "assisted": (20.0, 90.0),
    "agent": (2.0, 60.0),
}
ATTENTION = re.compile(r"\battention\b|Aufmerksamkeit", re.IGNORECASE)
QUOTES = ('"{}"', "“{}”", "„{}“")
REPLY = re.compile(r"^r(\d+)-")
WORDS = "It answers what was asked, and it goes on from there in a way that I can follow."
QUOTE = 24  # characters that somebody repeats of what they read
MESSAGES = ("Hello!", "I like thrillers, such as Heat.", "Something newer, please.", "That sounds good, thank you.")


@dataclass
class Bot:
    """One scripted participant.

    ``attentive`` ones have preferences and do what an attention check asks for. ``careless`` ones answer at random,
    ``straight`` ones always choose the first point; neither read checks. ``obedient`` ones read and obey checks, and answer
    everything else at random: what no check can catch. ``drop_out`` ones are attentive and leave at some page. ``person``,
    ``assisted`` and ``agent`` have preferences and read and write as ``manners`` says: by themselves, with a language model
    beside them, or as one.
    """

    number: int
    kind: Kind
    taste: Taste
    knows: Knowledge
    rng: np.random.Generator
    leaves_after: int | None = None
    """Pages after which they are gone; None: they stay."""

    def seconds(self) -> float:
        """Time spent on a page."""
        low, high = SECONDS[self.kind]
        return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def __post_init__(self) -> None:
        self.respondent = Respondent(MANNERS[self.kind], self.rng) if self.kind in MANNERS else None

    def pause(self, page: Page) -> float:
        """Time spent on a page that they see."""
        return self.respondent.seconds(page) if self.respondent else self.seconds()

    def answers(self, page: Page, asked: tuple[FormQuestion, ...]) -> Sent:
        """Answers to fill in."""
        demanded = self._demanded_label(page, asked)
        sent: Sent = {}
        for each in asked:
            if each.unseen:
                if self.respondent and self.kind == "agent" and self.respondent.is_obedient:
                    sent[each.name] = self.respondent.word_asked_for_in_source(page)
                continue
            sent[each.name] = self._answer(page, each, demanded)
        return {name: value for name, value in sent.items() if value != ""}

    @property
    def _reads(self) -> bool:
        return self.kind in READERS

    @property
    def _prefers(self) -> bool:
        return self.kind in ("attentive", "drop_out") or self.kind in MANNERS

    def _demanded_label(self, page: Page, asked: tuple[FormQuestion, ...]) -> str:
        """Label that an attention check on the page asks for; "" if there is none."""
        if not self._reads:
            return ""
        labels = [option.label for each in asked for option in each.options if option.label]
        for text in [text for side in page.sides for text in side] + [page.marked_message]:
            if ATTENTION.search(text):
                quoted = (label for label in labels if any(each.format(label) in text for each in QUOTES))
                return max(quoted, key=len, default="")
        return ""

    def _answer(self, page: Page, asked: FormQuestion, demanded: str) -> str | list[str]:
        if asked.kind == "order":
            return self._order(asked)
        if asked.kind in ("text", "number"):
            return self._write(page, asked, demanded)
        right = self.knows.right.get(asked.name, ()) if self._reads and not page.sides else ()
        known = [option.value for option in asked.options if option.value in right]
        if known:
            return known if asked.kind == "checkbox" else known[0]
        wanted = next((option.value for option in asked.options if demanded and option.label == demanded), None)
        if wanted is None:
            wanted = self._choose(page, asked)
        return [wanted] if asked.kind == "checkbox" else wanted

    def _order(self, asked: FormQuestion) -> list[str]:
        """Ranks, or the best and the worst, at random: each list names all that there is to choose."""
        if len({value.partition(RANK)[0] for value in asked.lists[0]}) > 1:  # a list of ranks for each thing
            ranks = self.rng.permutation(len(asked.lists)).tolist()
        else:
            ranks = self.rng.permutation(len(asked.lists[0]))[: len(asked.lists)].tolist()
        return [values[rank] for values, rank in zip(asked.lists, ranks, strict=True)]

    def _choose(self, page: Page, asked: FormQuestion) -> str:
        values = [option.value for option in asked.options]
        if self.respondent and asked.name in TRAPS:
            return self.respondent.trap_answer(values, TRAPS[asked.name])
        if self.kind == "straight":
            return values[0]
        if not self._prefers:
            return values[int(self.rng.integers(len(values)))]
        systems = self.knows.systems_on(page)
        reply = REPLY.match(asked.name)
        if reply and int(reply.group(1)) <= len(systems):
            about = systems[int(reply.group(1)) - 1]
            return values[point(self.taste.utility(about, self.knows.item_of(page)), len(values)) - 1]
        if set(values) == {"1", "same", "2"} and len(systems) == 2:
            return self.taste.side(*systems)
        if page.marked_message:
            return self.taste.label(self.knows.label_of(page), page.marked_message, values)
        return values[int(self.rng.integers(len(values)))]

    def _write(self, page: Page, asked: FormQuestion, demanded: str) -> str:
        if asked.kind == "number":
            return str(int(self.rng.integers(18, 60)))
        if not asked.required and not self._prefers:
            return ""
        text = self.respondent.text(page) if self.respondent else self._opening_words(page) + WORDS
        text = "check" if demanded else text
        text = text.ljust(asked.at_least, ".")
        return text[: asked.at_most] if asked.at_most else text

    def _opening_words(self, page: Page) -> str:
        """First words of an attentive answer: words of the page, so that answers differ between items."""
        read = [text for texts in (page.context, *page.sides) for text in texts if text]
        return f"{read[-1][-QUOTE:]}: " if self._prefers and read else ""


def bot_of(
    number: int,
    kind: Kind,
    *,
    effects: dict[str, float],
    knows: Knowledge,
    seed: int,
    pages: int,
) -> Bot:
    """A participant with a number.

    Args:
        number: number of the participant, from 1; with the seed, it determines all their behavior.
        kind: kind of behavior.
        effects: utility by system.
        knows: knowledge of which system said what.
        seed: seed of the simulation.
        pages: approximate number of pages of the study; drop-outs leave after a random number of pages up to this.
    """
    rng = rng_for(seed, "bot", str(number))
    taste = Taste(effects, seed, rng, severity=float(rng.normal(0, PERSON_SPREAD)))
    leaves = int(rng.integers(1, max(2, pages))) if kind == "drop_out" else None
    return Bot(number, kind, taste, knows, rng, leaves)
