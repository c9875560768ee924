"""Interpret an agent's turn: the act label of each message, the items it names, and whether it asks if the user knows one.

By default a user relies on the words, as people do. With ``declared``, a user trusts the agent's own acts
where their labels are known (the paper's assumption that users "perfectly understand the intent"), and its words otherwise.
"""

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from trialogue.agents.base import Turn
from trialogue.catalogue import Catalogue
from trialogue.errors import UnknownNameError
from trialogue.records import Mention, UnknownAct, Utterance
from trialogue.records.kinds.acts import AGENT_LABELS, USERSIMCRS_AGENT
from trialogue.simulation.actions import ActionSpace
from trialogue.simulation.language.nlu import START, ActClassifier, mask_mentions
from trialogue.simulation.language.phrases import Linker

LONGEST = 2000  # characters in which titles are looked for
REMEMBERED = 20_000  # texts whose titles are kept
DECLARED = 64  # the same of texts with titles of their own: enough for one agent's last turns

Source = Literal["text", "declared"]

_ASKS_IF_KNOWN = re.compile(
    r"\b(?:have you (?:ever |already )?(?:seen|watched|read|heard|tried|been|visited|played)|(?:seen|watched|read) it|"
    r"do you (?:already )?know (?:it|that one|this one)|did you (?:see|watch|read)|already (?:seen|watched|read)|"
    r"know it already)\b",
    re.IGNORECASE,
)


_FOUND = r"(?:fits?|match(?:es)?|meets?|suits?|satisf(?:y|ies)|found|left)"
_ANYTHING = (
    r"(?:anything|something|a (?:match|fit)|any (?:match|fit|result|item|product|other|option)\w*|one (?:that|with))"
)
_FINDS_NOTHING = re.compile(
    r"(?<!\bif )(?<!\bwhen )(?<!\bunless )(?<!\bcase )(?:"
    rf"\b(?:nothing|none|no \w+(?: \w+){{0,2}}?) (?:\w+ ){{0,3}}{_FOUND}\b|"
    r"\b(?:could|can|did|do|does|was|were|am|are|is)(?: not|n['’]t|not) (?:\w+ ){0,3}(?:find|have|offer|see) (?:you )?"
    rf"{_ANYTHING}\b|\b(?:unable|not able) to find\b|"
    r"\bno (?:exact |perfect |good |other |further |more )?(?:match(?:es)?|results?)\b(?! of))(?![^.!]*\?)",
    re.IGNORECASE,
)
_MAYBE_NOTHING = re.compile(r"no|n['’]t|unable", re.IGNORECASE)  # a tenth of the time, and true of few texts
NOTHING_FITS = frozenset({"nothingfits", "nomatch", "nofit", "nooffer", "noresult", "noresults"})
"""Acts by which an agent declares that nothing fits, without capitals and signs."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message as understood by the user."""

    label: str | None
    """Its label; None: not understood."""
    items: tuple[str, ...]
    """Ids of the catalogue's items that it names, in order."""
    asks_if_known: bool
    """Whether it asks if the user has seen an item."""
    finds_nothing: bool = False
    """Whether it says, or declares, that nothing fits."""


class LabelledMessage(NamedTuple):
    """Act label of a message, for dialogue metrics."""

    label: str | None
    """Its label; None: too uncertain."""
    confidence: float
    """Confidence, from 0 to 1."""
    mentions: tuple[Mention, ...] | None = None
    """The items that it names, if the labeller has looked for them."""
    labeller: str | None = None
    """Language model that was asked, with version and hash of the prompt; None: none was."""
    unknown: UnknownAct | None = None
    """Why a language model that was asked gave no label."""


class _Content(NamedTuple):
    """Content of a message, apart from its label."""

    items: tuple[str, ...]
    asks_if_known: bool
    finds_nothing: bool
    bare: str
    """Its text with titles masked."""
    mentions: tuple[Mention, ...] | None
    """Mentioned items; None: not linked."""


NOTHING = Message(None, (), asks_if_known=False)


class AgentTurnParser:
    """Understanding of agent turns for users of one catalogue."""

    def __init__(
        self,
        understanding: ActClassifier,
        catalogue: Catalogue,
        space: ActionSpace,
        *,
        linker: Linker | None = None,
        source: Source = "text",
        labeller: ActClassifier | None = None,
        origin: str | None = None,
    ) -> None:
        """Create a parser.

        Args:
            understanding: classifies the text of a message.
            catalogue: items that may be named.
            space: labels that agents may declare.
            linker: finds titles in texts of agents that do not say which items they name; None: nothing is found.
            source: what labels come from.
            labeller: gives the labels that metrics use, without the preceding user act; None: ``understanding``.
            origin: name of the language model that ``labeller`` asks; None: it asks none.
        """
        if source not in ("text", "declared"):
            raise UnknownNameError("source of labels", source, ("text", "declared"))
        self._understanding, self._catalogue, self._linker, self._source = understanding, catalogue, linker, source
        self._labeller, self._origin = labeller or understanding, origin
        wanted = {label for labels in space.acceptable.values() for label in labels}
        self._own = wanted | set(AGENT_LABELS)
        self._families = tuple(sorted(label[:-2] for label in wanted if label.endswith(".*")))
        self._contents: dict[tuple[str, int], _Content] = {}
        self._declared: dict[tuple[str, int], _Content] = {}

    def labels(self, turn: Turn) -> list[LabelledMessage]:
        """Act label and mentions of each message of a turn, from its words alone."""
        return [self._label(said) for said in turn.utterances]

    def mentions(self, turn: Turn) -> list[tuple[Mention, ...]]:
        """Items that each message of a turn names."""
        return [self._content_of(said).mentions or () for said in turn.utterances]

    def _label(self, said: Utterance) -> LabelledMessage:
        found = self._content_of(said)
        heard = self._labeller.read(found.bare if self._labeller.wants_bare else said.text)
        return LabelledMessage(heard.label, heard.confidence, found.mentions, self._origin, heard.why)

    def _content_of(self, said: Utterance) -> _Content:
        """Content of a message, cached by its text and, where it declares any, those very mentions, which it keeps."""
        declared = said.mentions is not None
        cache, most = (self._declared, DECLARED) if declared else (self._contents, REMEMBERED)
        key = (said.text, id(said.mentions))
        found = cache.get(key)
        if found is None:
            if len(cache) >= most:
                cache.clear()
            found = cache[key] = self._analyse(said)
        return found

    def hear(self, turn: Turn, before: str = START) -> tuple[Message, ...]:
        """Interpret each message of a turn, after a user's act; () for an empty turn."""
        return tuple([self._message(said, before, place) for place, said in enumerate(turn.utterances)])

    def _message(self, said: Utterance, before: str, place: int) -> Message:
        found = self._content_of(said)
        label = self._declared_label(said) if self._source == "declared" else None
        if label is None:
            text = found.bare if self._understanding.wants_bare else said.text
            label = self._understanding.read(text, before=before, place=place).label
        finds_nothing = found.finds_nothing or (bool(said.acts) and _declares_nothing(said))
        return Message(label, found.items, found.asks_if_known, finds_nothing)

    def _declared_label(self, said: Utterance) -> str | None:
        for act in said.acts or ():
            if act.intent in self._own or any(_is_in(act.intent, family) for family in self._families):
                return act.intent
            if act.intent in USERSIMCRS_AGENT:
                return USERSIMCRS_AGENT[act.intent]
        return None

    def _analyse(self, said: Utterance) -> _Content:
        """Content of a message."""
        text = said.text[:LONGEST]
        asks = _ASKS_IF_KNOWN.search(text) is not None
        nothing = _MAYBE_NOTHING.search(text) is not None and _FINDS_NOTHING.search(text) is not None
        if said.mentions is not None:
            return _Content(
                self._ids(said.mentions), asks, nothing, mask_mentions(said.text, said.mentions), said.mentions
            )
        mentions = self._linker.find(text) if self._linker is not None else ()
        is_whole = self._linker is not None and len(said.text) <= LONGEST
        return _Content(
            self._ids(mentions), asks, nothing, mask_mentions(text, mentions), mentions if is_whole else None
        )

    def _ids(self, mentions: tuple[Mention, ...]) -> tuple[str, ...]:
        """Ids of the catalogue: the mention's own, or else that of the only item with its title."""
        found: dict[str, None] = {}
        for mention in mentions:
            if mention.item_id is not None and mention.item_id in self._catalogue:
                found[mention.item_id] = None
            elif len(titled := self._catalogue.find_title(mention.title)) == 1:
                found[titled[0].id] = None
        return tuple(found)


def _declares_nothing(said: Utterance) -> bool:
    return any(re.sub(r"[^a-z]", "", act.intent.casefold()) in NOTHING_FITS for act in said.acts or ())


def _is_in(label: str, family: str) -> bool:
    return label == family or label.startswith(f"{family}.")
