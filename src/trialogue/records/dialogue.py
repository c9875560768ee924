"""Dialogues and their parts: utterances with acts, strategies, mentioned items and ratings."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from trialogue.records.base import JsonValue, Record
from trialogue.records.kinds.endings import Ending, Fault, RetryCost
from trialogue.records.kinds.origins import ActOrigin, Labeller, MentionedBy, Raters, Role, UnknownAct
from trialogue.records.kinds.shifts import CorpusShift
from trialogue.records.need import Need
from trialogue.records.reading import ClusterKind
from trialogue.records.scale import off_scale_text
from trialogue.records.trace import Trace

Speaker = Literal["user", "system"]
"""The seeker (``user``) or the recommender (``system``), be it a person or a program."""


ROUNDING = 1e-3  # how far probabilities that were rounded for a file may be from a sum of 1


class SlotValue(Record):
    """One slot of a dialogue act, such as GENRE = horror, with its text span if known."""

    slot: str
    """Name of the slot, as the corpus writes it."""
    value: str | None = None
    """Its value; None where the act names a slot without one ("Which genre?")."""
    start: int | None = None
    """Offset of the first character of the value in the utterance's text."""
    end: int | None = None
    """Offset after the last character."""


class DialogueAct(Record):
    """A dialogue act: an intent with slots."""

    intent: str
    """Label of the intent, as the corpus writes it, typos included; "" where an act has none."""
    slots: tuple[SlotValue, ...] = ()
    """Slots in the corpus' order."""
    probability: float | None = Field(default=None, ge=0, le=1)
    """Confidence of the recogniser; None: not recognised, or unknown."""


class StrategyLabel(Record):
    """A recommendation strategy with its annotator."""

    strategy: str
    """One of ``STRATEGIES`` or ``no_strategy``, or a label of another set."""
    origin: str
    """Name of who labelled: ``"expert"``, an annotator's code, or a model with version and data hash."""
    by: Labeller | None = None
    """Kind of labeller; None: not recorded."""
    probability: float | None = Field(default=None, ge=0, le=1)
    """Calibrated confidence of the labeller; None: unknown, as for people and most language models."""
    text: str | None = None
    """The sentence it belongs to, where an utterance holds several."""

    @property
    def is_by_a_person(self) -> bool:
        """Whether a person assigned it; False if the file does not say."""
        return self.by is Labeller.PERSON

    @property
    def is_ground_truth(self) -> bool:
        """Whether models are evaluated against it, see ``Labeller.is_ground_truth``; False if the file does not say."""
        return self.by is not None and self.by.is_ground_truth


class StrategyDistribution(Record):
    """A model's probability distribution over strategies for a whole utterance, used by implicit alignment."""

    origin: str
    """The model, with version and data hash."""
    probabilities: dict[str, Annotated[float, Field(ge=0, le=1)]]
    """Calibrated probability of each strategy of the model's classes; they sum to 1."""
    matching: tuple[float, float] | None = None
    """(slope, intercept) of Platt scaling from logit(sum of p_k q_k) to the log odds that two utterances share a strategy
    where half of all pairs do, as fitted by the model on pairs it had not seen; None: not fitted."""
    matching_error: tuple[Annotated[float, Field(ge=0)], float, Annotated[float, Field(ge=0)]] | None = None
    """(variance of the slope, covariance, variance of the intercept) of ``matching``, over other dialogues that the model
    might have been calibrated on; None: unknown."""
    shift: CorpusShift | None = None
    """How far the texts of this system (or the references) are from the model's calibration data; None: not further than
    other dialogues of that corpus, or not examined."""

    @model_validator(mode="after")
    def _sums_to_one(self) -> Self:
        """Scores that are no distribution would be read as one, and give a wrong chance of a match without a sign."""
        total = sum(self.probabilities.values())
        if abs(total - 1) > ROUNDING:
            raise ValueError(f"probabilities must sum to 1, got a sum of {total:.6g}")
        return self


class PairBelief(Record):
    """A pair classifier's probability that a reply and its reference share a strategy."""

    origin: str
    """The classifier, with version and data hash."""
    probability: float = Field(ge=0, le=1)
    """Probability, on a scale on which half of all pairs share a strategy."""


class Mention(Record):
    """An item named in an utterance."""

    title: str
    """The item's title, in the corpus' or catalogue's form."""
    item_id: str | None = None
    """Id in the catalogue or corpus; None where the title could not be resolved."""
    start: int | None = None
    """Offset of the first character of the mention in the text."""
    end: int | None = None
    """Offset after the last character."""
    origin: str = "annotated"
    """Name of who found it: ``"annotated"`` for the corpus, or the linker's signature."""
    by: MentionedBy = MentionedBy.ANNOTATED
    """Origin of the mention."""


class ClaimVerdict(StrEnum):
    """What a catalogue says to a claim about one of its items."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNKNOWN = "not in the catalogue"


class ItemClaim(Record):
    """Something that a text says of an item."""

    item_id: str
    """Id of the item in the catalogue."""
    attribute: str
    """What is said of it: an attribute of the catalogue, or ``"year"``."""
    said: str
    """The value, as it is said."""
    known: tuple[str, ...] = ()
    """The catalogue's values; (): it has none."""
    verdict: ClaimVerdict
    """What the catalogue says to it."""
    start: int
    """Offset of the first character of the value in the text."""
    end: int
    """Offset after the last character."""


class Rating(Record):
    """A numeric rating of an utterance or a dialogue, by a person or a stand-in."""

    name: str
    """Rated aspect: ``"satisfaction"``, ``"relevance"``, ``"meaningfulness"``, ..."""
    value: float
    """The rating, on the corpus' own scale."""
    rater: str | None = None
    """Code of the rater; ``"user"`` for the person in the dialogue; None where only an aggregate is known."""
    low: float | None = None
    """Lowest value of the scale."""
    high: float | None = None
    """Highest value of the scale."""
    raters: Raters = Raters.PEOPLE
    """Kind of rater; people where nothing else is stated."""
    better: Literal["higher", "lower"] = "higher"
    """Which end of the scale is the better one."""

    @model_validator(mode="after")
    def _lies_on_its_scale(self) -> Self:
        """A 7 on a scale from 1 to 5 is a mistake of the file: averaged with others it would lead."""
        if (self.low is not None and self.value < self.low) or (self.high is not None and self.value > self.high):
            raise ValueError(off_scale_text(self.name, self.value, self.low, self.high))
        return self


class ItemOpinion(Record):
    """One party's report about an item in a dialogue (ReDial's questionnaires)."""

    title: str
    """Title of the item."""
    item_id: str | None = None
    """Its id in the corpus."""
    by: Speaker
    """Respondent: the seeker or the recommender."""
    suggested: bool | None = None
    """Was it suggested by the recommender (True) or brought up by the seeker (False)?"""
    seen: bool | None = None
    """Has the seeker seen it? None: did not say."""
    liked: bool | None = None
    """Did the seeker like it? None: did not say."""


class Utterance(Record):
    """One message of one speaker."""

    speaker: Speaker
    """Who said it, ``user`` or ``system``."""
    text: str
    """Text; may be empty where a corpus has an empty row."""
    thought: str | None = None
    """Reasoning of a model that came with the text and was not said; kept, and never measured. None: none is known."""
    id: str | None = None
    """The corpus' own id, if it has one."""
    acts: tuple[DialogueAct, ...] | None = None
    """Dialogue acts; None: not annotated, (): annotated as having none."""
    acts_by: ActOrigin | None = None
    """Origin of the acts; None: no acts, or not recorded."""
    acts_labeller: str | None = None
    """Language model that was asked for the acts, with version and hash of the prompt; None: no model was asked."""
    acts_unknown: UnknownAct | None = None
    """Why a language model that was asked gave no act; None: it gave one, or was not asked."""
    strategies: tuple[StrategyLabel, ...] | None = None
    """Recommendation strategies; None: not labelled."""
    strategy_distribution: StrategyDistribution | None = None
    """A model's belief over strategies; None: no model was asked."""
    same_as_reference: PairBelief | None = None
    """A belief that it shares a strategy with the human's reply; None: no classifier of pairs was asked. Made with
    ``--set pair_model=…`` by ``trialogue align`` for itself, and by ``trialogue strategies label`` onto files."""
    mentions: tuple[Mention, ...] | None = None
    """Mentioned items; None: not annotated; (): annotated, and none found."""
    unrecognised: tuple[Mention, ...] | None = None
    """Titles that the text presents and that neither the catalogue of their origin nor a list of real items has, without
    ids; None: the text was not checked, or titles cannot be recognised in it."""
    outside: tuple[Mention, ...] | None = None
    """Titles that the catalogue does not have and a list of real items has; None: no list, or the text was not checked."""
    claims: tuple[ItemClaim, ...] | None = None
    """What the text says of items of a catalogue; None: the text was not checked."""
    ranking: tuple[str, ...] | None = None
    """The system's ranked list of item ids behind this utterance, best first, where it exposes one."""
    ratings: tuple[Rating, ...] = ()
    """Ratings of this very utterance."""
    trace: Trace | None = None
    """What the system did for it: calls of tools, time, tokens, cost; None: nothing is recorded."""
    meta: dict[str, JsonValue] = Field(default_factory=dict)
    """Further data of the corpus."""


MENTIONS = ("mentions", "unrecognised", "outside")
"""Fields of an utterance that hold mentions."""


def labeller_of(utterance: Utterance) -> Labeller | None:
    """Kind of labeller of an utterance's effective strategies, the first ones; None: unlabelled, or not stated."""
    return utterance.strategies[0].by if utterance.strategies else None


def act_labellers(utterances: Iterable[Utterance]) -> set[str]:
    """Language models that were asked for acts of some utterances, whether or not they gave one."""
    return {said.acts_labeller for said in utterances if said.acts_labeller is not None}


def has_ground_truth(utterance: Utterance) -> bool:
    """Whether an utterance's effective strategies, the first ones, are ground truth."""
    labels = utterance.strategies or ()
    return bool(labels) and labels[0].is_ground_truth


class Dialogue(Record):
    """A conversation between a user and a system, in order."""

    kind: ClassVar[str] = "dialogue"

    id: str
    """Unique within its file."""
    utterances: tuple[Utterance, ...]
    """The messages, in order; one speaker may have several in a row."""
    system: str | None = None
    """Name of the recommender; ``"human"`` for a person; None where unknown."""
    role: Role = Role.SYSTEM
    """Whether the recommender is evaluated, or a baseline that ignores the user."""
    user: str | None = None
    """Code of the person or simulated user; the cluster that dialogues of one person share."""
    task: str | None = None
    """Task or scenario that several dialogues attempt, as repeated trials do: the cluster that they share."""
    source: str | None = None
    """Corpus or run it comes from, such as ``"crsarena-dial/open"``."""
    ratings: tuple[Rating, ...] = ()
    """Ratings of the whole dialogue."""
    opinions: tuple[ItemOpinion, ...] | None = None
    """Reports of both parties about items; None: not asked."""
    outcome: dict[str, str] = Field(default_factory=dict)
    """The corpus' outcome labels, such as ``{"fine": "accept_rating_good"}``."""
    need: Need | None = None
    """The user's need, hidden from the system; None: not recorded."""
    ended_by: Ending | None = None
    """Ending, with the responsible party if something failed; None: not recorded."""
    ending_detail: str | None = None
    """The message of the party that ended it: of an error, or of a user or program that is not one of ``Ending``."""
    retries: RetryCost | None = None
    """Cost of retried requests to the agent; None: no retry recorded."""
    trace: Trace | None = None
    """What the system did for turns in which it said nothing, and what is recorded of the whole dialogue alone, such as its
    cost; None: nothing."""
    meta: dict[str, JsonValue] = Field(default_factory=dict)
    """Further data of the corpus."""

    @property
    def fault(self) -> Fault | None:
        """Party that caused the failure which ended it; None if it did not fail, or the ending was not recorded."""
        return None if self.ended_by is None else self.ended_by.fault

    @property
    def cluster(self) -> str:
        """Resampling unit: the need, which all systems share; else the person; else the task; else the dialogue."""
        match self.cluster_kind:
            case ClusterKind.NEED:
                return f"need:{self.need.id}" if self.need is not None else ""
            case ClusterKind.PERSON:
                return f"user:{self.user}"
            case ClusterKind.TASK:
                return f"task:{self.task}"
            case _:
                return f"dialogue:{self.id}"

    @property
    def cluster_kind(self) -> ClusterKind:
        """What the resampling unit is."""
        if self.need is not None:
            return ClusterKind.NEED
        if self.user:
            return ClusterKind.PERSON
        return ClusterKind.DIALOGUE if self.task is None else ClusterKind.TASK
