"""Kinds of scripted participants: how each fills in the forms of a page."""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trialogue.seeds import rng_for
from trialogue.study.bots.knowledge import Knowledge
from trialogue.study.bots.page import FormQuestion, Page
from trialogue.study.bots.tastes import PERSON_SPREAD, Taste, point
from trialogue.study.bots.writing_styles import Respondent, RespondentKind
from trialogue.study.design.ordering import RANK

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
