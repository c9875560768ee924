"""Options of simulated users, as one flat record for simulation files."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from math import isfinite
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError

from trialogue.catalogue import Catalogue
from trialogue.catalogue.domains import DOMAINS, Domain, domain_of
from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import JsonValue
from trialogue.records.files.validation import mistakes_of
from trialogue.simulation.actions import QRFA_LISTS
from trialogue.simulation.language.nlg import WritingStyle
from trialogue.simulation.language.nlu_llm import (
    AnyUnderstanding,
    EndpointUnderstanding,
    LocalUnderstanding,
    understanding_json,
    understanding_options,
)
from trialogue.simulation.preferences import PREFERENCES, UnseenRule
from trialogue.simulation.profiles import PAPER_SIZE, Thresholds, Variant
from trialogue.simulation.users.agenda import CHAIN, QRFA_AGENDAS, UpdateRule, initialiser
from trialogue.simulation.users.course import Course, Level, ReplacementRule, check_edges
from trialogue.simulation.users.interaction import InteractionModel
from trialogue.simulation.users.user import AfterLiking, BehaviorOptions, SeenRule

UNDERSTANDINGS = ("linear", "retrieval")


@dataclass(frozen=True)
class UserOptions:
    """Options of users beside the fitted models. Patience, typos, verbosity and persona are off by default."""

    agenda: str = "cir6"
    """Initialisation of agendas; a name of ``agenda.INITIALISERS``."""
    level: Level = "label"
    """What entries of an agenda are, see ``Course``."""
    qrfa: Literal["released", "paper"] = "released"
    """Assignment of labels to the classes of QRFA: that of the released code, or Table 2 of the paper."""
    replacement: ReplacementRule = "reply"
    """What a failed action is replaced by, see ``Course``."""
    edges: tuple[tuple[str, str], ...] | None = None
    """Consecutive actions of CIR6 that the chain allows on the level of actions; None: those that occur."""
    preferences: str = "pkg"
    """``single`` item or personal knowledge graph (``pkg``)."""
    wants: Literal["need", "profile"] = "need"
    """Whether disclosed wishes and accepted items follow from the need; or from the profile alone, as in the paper, whose
    users have no specific goal. They have a need in either case."""
    unseen: UnseenRule = "mean"
    """Opinion of a user with a knowledge graph on unconsumed items, see ``KnowledgeGraph``."""
    profile_size: int = PAPER_SIZE
    """Rated items in a profile."""
    profile_variant: Variant = "paper"
    """Sampling variant of profiles, see ``Profiles``."""
    like: float | None = None
    """Lowest rating of a liked item; None: by the scale, 4 of 5."""
    dislike: float | None = None
    """Highest rating of a disliked item; None: by the scale, 2 of 5."""
    attributes: tuple[str, ...] | None = None
    """Attributes that users talk about and that their opinions rest on; None: ``genre``, or else the one whose values most
    items share."""
    understanding: Literal["linear", "retrieval"] | AnyUnderstanding = "linear"
    """Classifier of agent utterances: character n-grams with the user's previous act, or the paper's retrieval. Or a
    language model, given as ``{"llm": {...}}`` with its options (``nlu_llm``), which then also labels the agent's
    messages."""
    labels_from: Literal["text", "declared"] = "text"
    """Whether users go by an agent's words, or by the acts it declares where it does."""
    unknown_below: float = 0.0
    """Confidence below which an agent message is not understood; 0 stands for .6 where a language model understands."""
    decides: Literal["last", "first"] = "last"
    """The message of a burst that is judged."""
    failed: Literal["replace", "retry"] = "replace"
    """Treatment of an unanswered action."""
    stop: Literal["released", "paper"] = "released"
    """When an empty agenda ends the dialogue, see ``UpdateRule``."""
    after_liking: AfterLiking = "stop"
    """Agenda of a user with a knowledge graph after finding a liked item."""
    seen: SeenRule = "profile"
    """Whether users know the items in their profile, or claim so when their agenda says it."""
    patience: int | None = None
    """Failed replies in a row until the user gives up; None: any number."""
    typos: float = 0.0
    """Share of words with a slip."""
    verbosity: float = 0.0
    """Above 0 wordy, below 0 terse."""
    persona: str = ""
    """Self-description, said with the first preference."""
    style: Literal["personal", "pooled"] = "personal"
    """Whether each user writes like one of the people the model was fitted on (capitals, marks, length), in words that are
    not a single person's; or phrases of all of them come as they are. The bundled users, fitted on authored dialogues, and
    users of earlier versions know no people, and are ``pooled``."""
    phrasing: Literal["varied", "templates"] = "varied"
    """Whether phrases are those of the people the model was fitted on (or of ``phrases``), repeated only where there are no
    others; or drawn from hand-written templates (or ``phrases``), all equally likely each time, a few of them with typos."""
    phrases: str | None = None
    """A file of phrases (``wordings.read_phrases``) that users say in place of those they were fitted with; null: these."""
    domain: str | None = None
    """What the catalogue is about: film, book, song, game, restaurant, product or item; None: told by its attributes."""
    thing: str | None = None
    """Noun for an item ..."""
    things: str | None = None
    """... and several; ..."""
    do: str | None = None
    """... what one does with it ..."""
    done: str | None = None
    """... and has done. None: the domain's words."""

    def __post_init__(self) -> None:
        if self.preferences not in PREFERENCES:
            raise UnknownNameError("preference model", self.preferences, PREFERENCES)
        if isinstance(self.understanding, str) and self.understanding not in UNDERSTANDINGS:
            raise UnknownNameError("way of understanding", self.understanding, UNDERSTANDINGS)
        if not 0 <= self.unknown_below <= 1:
            raise UsageError(f"unknown_below must be a confidence from 0 to 1; given: {self.unknown_below:g}.")
        if self.profile_size < 1:
            raise UsageError(f"A profile needs at least one rated item, got a profile_size of {self.profile_size}.")
        if self.like is not None and self.dislike is not None:
            Thresholds(self.like, self.dislike)  # refuses those that overlap
        if self.domain is not None and self.domain not in DOMAINS:
            raise UnknownNameError("domain", self.domain, DOMAINS)
        check_edges(self.edges)
        _ = initialiser(self.agenda), self.conduct, self.manner  # each checks its own part

    @property
    def conduct(self) -> BehaviorOptions:
        """Options of the dialogue behavior."""
        rule = UpdateRule(decides=self.decides, failed=self.failed, stop=self.stop)
        return BehaviorOptions(
            update=rule,
            after_liking=self.after_liking,
            patience=self.patience,
            seen=self.seen,
            takes_unnamed=self.wants == "profile",
        )

    @property
    def manner(self) -> WritingStyle:
        """Options of the writing style."""
        varied = self.phrasing == "varied"
        return WritingStyle(typos=self.typos, verbosity=self.verbosity, persona=self.persona, varied=varied)

    @property
    def is_qrfa(self) -> bool:
        """Whether the interaction model is QRFA; else it is CIR6."""
        return self.agenda in QRFA_AGENDAS

    def course(self, model: InteractionModel) -> Course:
        """How users with these options go on.

        Raises:
            UsageError: they need the annotated dialogues, and the model does not have them.
        """
        qrfa = QRFA_LISTS[self.qrfa]
        model = model.with_qrfa(qrfa)
        return Course(model, qrfa, self.agenda, self.level, self.replacement, self.edges)

    def as_in(self, source: str) -> "UserOptions":
        """These users' interaction and preference models as the paper describes them, or as its released code has them.

        Args:
            source: ``paper`` or ``code``.

        Raises:
            UnknownNameError: another source.
        """
        if source not in SOURCES:
            raise UnknownNameError("source of the users' model", source, SOURCES)
        interaction = SOURCES[source]["qrfa" if self.is_qrfa else "cir6"]
        return replace(self, **{**SOURCES[source]["both"], **interaction})

    def domain_in(self, catalogue: Catalogue) -> Domain:
        """Words for a catalogue's items."""
        own = {name: word for name in ("thing", "things", "do", "done") if (word := getattr(self, name)) is not None}
        return replace(DOMAINS[self.domain] if self.domain else domain_of(catalogue), **own)

    def to_json(self) -> dict[str, JsonValue]:
        """Non-default options as plain JSON values."""
        default = UserOptions()
        changed = {name: value for name, value in asdict(self).items() if value != getattr(default, name)}
        found = {name: list(value) if isinstance(value, tuple) else value for name, value in changed.items()}
        if not isinstance(self.understanding, str):
            found["understanding"] = understanding_json(self.understanding)
        return found

    def change(self, changes: Mapping[str, Any]) -> "UserOptions":
        """Copy with some options changed.

        Raises:
            UnknownNameError: an option that does not exist.
            UsageError: a value that it cannot have.
        """
        if AS in changes:
            rest = {name: value for name, value in changes.items() if name != AS}
            return self.as_in(str(changes[AS])).change(rest)
        wrong = list(option_mistakes(changes).values())
        if len(wrong) == 1:
            raise wrong[0]
        if wrong:
            raise UsageError("\n".join(map(str, wrong)))
        kept = _stored_form(changes)
        if _is_model(given := changes.get("understanding")):
            kept["understanding"] = understanding_options(given)
        return replace(self, **kept)


def option_mistakes(changes: Mapping[str, Any]) -> dict[str, UsageError]:
    """Mistakes by option name."""
    return {
        name: error for name, value in _stored_form(changes).items() if (error := _mistake(name, value)) is not None
    }


def _stored_form(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Options as they are kept."""
    return {name: _as_tuple(value) if name in ("attributes", "edges") else value for name, value in changes.items()}


def _as_tuple(value: Any) -> Any:
    """Names as files have them, in a list or one alone."""
    if isinstance(value, list):
        return tuple(tuple(each) if isinstance(each, list) else each for each in value)
    return (value,) if isinstance(value, str) else value


def _mistake(name: str, value: Any) -> UsageError | None:
    """Mistake in one option by itself; a quoted number is a text, and true is not a number."""
    kinds = {each.name: _kind(each.name) for each in fields(UserOptions)}
    if name == AS:
        return None if value in SOURCES else UnknownNameError("source of the users' model", str(value), SOURCES)
    if name not in kinds:
        return UnknownNameError("option of simulated users", name, kinds)
    if name == "understanding":
        return _wrong_understanding(value)
    if get_origin(kinds[name]) is Literal and value not in (known := get_args(kinds[name])):
        return UnknownNameError(f"value of the option {name}", str(value), known)
    try:
        TypeAdapter(kinds[name]).validate_python(value, strict=True)
    except ValidationError as error:
        return UsageError(f"The option {name} of simulated users: {mistakes_of(error, value)[0].what}")
    if isinstance(value, float) and not isfinite(value):
        return UsageError(f"The option {name} of simulated users must be a finite number, got {value}.")
    return None


def _wrong_understanding(value: Any) -> UsageError | None:
    if not _is_model(value):
        known = (*UNDERSTANDINGS, "{llm: {url: ..., model: ...}}", "{llm: {folder: ...}}")
        is_known = isinstance(value, str) and value in UNDERSTANDINGS
        return None if is_known else UnknownNameError("value of the option understanding", str(value), known)
    try:
        understanding_options(value)
    except UsageError as error:
        return UsageError(f"The option understanding of simulated users: {error}")
    return None


def _is_model(value: object) -> bool:
    """Whether a value of ``understanding`` is meant to be a language model."""
    return isinstance(value, Mapping | EndpointUnderstanding | LocalUnderstanding)


@cache
def _kind(name: str) -> Any:
    return get_type_hints(UserOptions)[name]


AS = "as"
"""Pseudo-option that sets the ingredients of a whole model, ``SOURCES``; other options then change single ones."""
_PAPER: Mapping[str, Any] = {
    "qrfa": "paper",
    "wants": "profile",
    "unseen": "mean",
    "profile_variant": "paper",
    "understanding": "retrieval",
    "stop": "paper",
    "seen": "profile",
    "style": "pooled",
    "phrasing": "templates",
}
_CODE: Mapping[str, Any] = {
    **_PAPER,
    "qrfa": "released",
    "unseen": "sum",
    "profile_variant": "released",
    "stop": "released",
    "seen": "agenda",
    "level": "label",
    "replacement": "reply",
}
SOURCES: Mapping[str, Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "paper": {
            "both": _PAPER,
            "qrfa": {"agenda": "corpus", "level": "class", "replacement": "class"},
            "cir6": {"agenda": CHAIN, "level": "action", "replacement": "chain"},
        },
        "code": {"both": _CODE, "qrfa": {"agenda": "qrfa-chain"}, "cir6": {"agenda": "cir6-released"}},
    }
)
"""Options of users as the paper (Zhang and Balog, KDD 2020) describes them and as its released code has them, by interaction
model; preferences (single item or knowledge graph) stay those of the users."""

METHODS: Mapping[str, UserOptions] = MappingProxyType(
    {
        "qrfa-single": UserOptions(agenda="qrfa-chain", preferences="single"),
        "cir6-single": UserOptions(agenda="cir6", preferences="single"),
        "cir6-pkg": UserOptions(agenda="cir6", preferences="pkg"),
    }
)
"""The three simulators of Zhang and Balog (KDD 2020, Table 3)."""


def method(name: str) -> UserOptions:
    """The options of one of the paper's simulators.

    Raises:
        UnknownNameError: it has none of this name.
    """
    if name not in METHODS:
        raise UnknownNameError("kind of simulated user", name, METHODS)
    return METHODS[name]
