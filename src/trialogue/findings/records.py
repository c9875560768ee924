"""Findings: what scores and preferences say, ready to be shown. The report draws these and computes nothing.

Everything is a record, so ``findings.json`` is the whole content of a report and can be drawn again anywhere.
"""

from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from trialogue.findings.label_origins import LabelCounts
from trialogue.findings.protocol import ProtocolCheck
from trialogue.findings.threat import Threat, Validity
from trialogue.fingerprints import TrainingExposure
from trialogue.records import (
    Basis,
    Card,
    CompletionCounts,
    Dialogue,
    DomainFit,
    Estimate,
    Interval,
    LanguageFinding,
    LanguageMismatch,
    Manifest,
    MeasureName,
    Raters,
    Reason,
    Record,
    Scale,
    Score,
)
from trialogue.records.kinds.gates import Gate
from trialogue.stats.comparison.families import FamilyMethod

Verdict = Literal["a", "b", "inconclusive", "undefined"]
OVER_MEASURES = "Holm, over the deciding measures,"
"""The correction of a comparison of two versions, which is over measures."""


def column_name(name: str, users: str | None) -> str:
    """The name of a measure's column: measures of dialogues with simulated users are never one with those of people.

    Args:
        name: the measure's full name.
        users: the kind of simulated users whose dialogues were measured; None: people, or replies to situations.
    """
    return name if users is None else f"{users}: {name}"


class Measure(Record):
    """What a column of the league table holds."""

    name: str
    """Full name, such as ``distinct(n=2)@ratio|v1`` or ``human:satisfaction``; no two columns share one."""
    title: str
    """Name in prose, for headings."""
    by: Literal["people", "simulation", "metric"]
    """Who judged: people, measures of talks with simulated users, or measures of what was said to people."""
    better: Literal["higher", "lower", "neither"]
    """Direction; measures of ``neither`` are shown and never ranked."""
    unit: str
    """Unit of the values."""
    card: Card | None = None
    """The metric's card; None for what people were asked."""
    signature: str | None = None
    """Everything that made the numbers."""
    raters: tuple[Raters, ...] = ()
    """The kinds of those who gave the ratings, where ``by`` is people; () for a metric, and in older files."""
    labels_from: tuple[str, ...] = ()
    """Who made the labels or beliefs that it reads; (): it reads none."""
    is_calibrated: bool = False
    """Whether it rests on a calibration that was fitted on other data."""
    users: str | None = None
    """The kind of simulated users whose dialogues were measured, such as ``cir6-pkg``; None for anything else."""
    scale: Scale | None = None
    """The scale of people's answers, where it was declared; None for a metric, whose card says it."""
    counts_failures: bool = False
    """Whether a dialogue that failed by the agent's fault counts as the worst value; else it is left out."""
    measured: MeasureName = MeasureName("")
    """The full name of what was measured, for any kind of user; that of the column where nobody was simulated."""
    plain_title: str = ""
    """The title without the simulated users."""

    @model_validator(mode="before")
    @classmethod
    def _check_name(cls, given: Any) -> Any:
        """A column that is not of simulated users is named after what was measured."""
        if not isinstance(given, dict):
            return given
        return {"measured": given.get("name"), "plain_title": given.get("title"), **given}

    @property
    def is_share(self) -> bool:
        """Whether values are units counted over units, so that they have the interval of a share."""
        return self.card.is_share if self.card is not None else self.scale is not None and self.scale.is_share

    @property
    def bounds(self) -> Scale | None:
        """Lowest and highest value that there can be; None: unbounded, or not declared."""
        return self.scale if self.card is None else Scale.of(self.card.low, self.card.high)

    @property
    def basis(self) -> Basis:
        """What its values rest on; of a measure without a card something that is not known here."""
        if self.by == "people":
            return Basis.PEOPLE
        return Basis.CRITERION if self.card is None else self.card.basis

    @property
    def is_alignment(self) -> bool:
        """Whether it says how far replies do what a human recommender did."""
        return self.card is not None and self.card.family == "alignment"

    @property
    def reads_acts(self) -> bool:
        """Whether it judges dialogues with simulated users by acts, on which what the user understood has an effect."""
        card = self.card
        return card is not None and card.family == "simulation" and not {"acts", "user_acts"}.isdisjoint(card.needs)

    @property
    def counts_labels(self) -> bool:
        """Whether it counts labels of strategies as they are, from any source."""
        return self.card is not None and "strategies" in self.card.needs

    def with_simulated(self, users: str) -> "Measure":
        """The same of dialogues with simulated users: a column of its own, so that none holds both kinds of dialogue.

        >>> measure = Measure(name="turns|v1", title="Turns", by="metric", better="higher", unit="utterances")
        >>> simulated = measure.with_simulated("cir6-pkg")
        >>> simulated.name, simulated.title, simulated.measured
        ('cir6-pkg: turns|v1', 'Turns (cir6-pkg)', 'turns|v1')
        """
        column = {
            "name": column_name(self.name, users),
            "title": f"{self.title} ({users})",
            "by": "simulation",
            "users": users,
        }
        return self.model_copy(update=column)


class Standing(Record):
    """One system on one measure."""

    system: str
    """The system."""
    estimate: Estimate
    """Its value with interval and counts."""
    rank_low: int | None = None
    """Best rank that the corrected comparisons leave open; None where the measure ranks nothing."""
    rank_high: int | None = None
    """Worst rank that they leave open."""
    skipped: int = 0
    """Units left out as undefined."""
    left_out: Reason | None = None
    """Why they are left out."""

    @model_validator(mode="before")
    @classmethod
    def _read_note(cls, given: Any) -> Any:
        """Before reasons were typed, ``note`` held the sentences of ``estimate.why`` once more."""
        if not isinstance(given, dict) or "note" not in given:
            return given
        fields = dict(given)
        note, estimate = fields.pop("note"), fields.get("estimate")
        if note and fields.get("skipped") and isinstance(estimate, dict) and estimate.get("value") is not None:
            fields["left_out"] = note
            fields["estimate"] = {name: value for name, value in estimate.items() if name != "why"}
        return fields


class Contrast(Record):
    """Two systems on one measure: a minus b."""

    a: str
    """The one."""
    b: str
    """The other."""
    difference: Estimate
    """a minus b, with interval and uncorrected p."""
    simultaneous: Interval | None = None
    """Its single-step interval, which holds together with those of the other pairs; None for a single pair."""
    p_adjusted: float | None = Field(default=None, ge=0, le=1)
    """p after correction over all pairs of the measure."""
    verdict: Verdict
    """Which one is better after correction at the declared level; undefined, too, where a threat blocks it."""
    validity: Validity = Validity.FIRM
    """What the threats to it leave of the verdict."""

    @property
    def leader(self) -> str | None:
        """The better one; None where the verdict calls neither better."""
        return self.a if self.verdict == "a" else self.b if self.verdict == "b" else None


class League(Record):
    """All systems on one measure, best first (alphabetical where nothing is ranked)."""

    measure: Measure
    """What was measured."""
    standings: tuple[Standing, ...]
    """Systems, best first; those without a value last."""
    contrasts: tuple[Contrast, ...] = ()
    """Every pair of systems."""
    correction: FamilyMethod = FamilyMethod.HOLM
    """How p-values of the pairs are corrected."""
    baselines: tuple[Standing, ...] = ()
    """Baselines that ignore the user, best first: neither ranked nor compared with each other."""
    above_baseline: tuple[Contrast, ...] = ()
    """Each system less the best baseline, where baselines have values; p corrected over the systems."""
    validity: Validity = Validity.FIRM
    """What the threats to the measure itself leave of its verdicts."""
    values: dict[str, tuple[float, ...]] = Field(default_factory=dict)
    """Values of single dialogues (or replies) by system, for pictures of the spread."""


class Strength(Record):
    """One system in a ranking from votes."""

    system: str
    """The system."""
    strength: Estimate
    """Bradley-Terry strength on the Elo scale (mean 1000), with interval."""
    strength_half: float | None = None
    """The same where a tie counts as half a win for each: the scale of most published tables."""
    rank_low: int | None
    """Best rank in 95 % of resamples; None: unknown."""
    rank_high: int | None
    """Worst rank in 95 % of resamples."""
    elo: float
    """Elo rating after the votes in file order, for comparison with published ones."""
    elo_rank_low: int
    """Best rank by Elo over shuffled orders of the votes."""
    elo_rank_high: int
    """Worst rank by Elo over shuffled orders of the votes."""
    win_rate: Estimate
    """Share of decisive and tied votes won, ties as half a win."""


class Votes(Record):
    """What pairwise preferences say."""

    strengths: tuple[Strength, ...]
    """Systems, strongest first."""
    votes: int
    """Votes counted."""
    ties: int
    """Ties among them."""
    raters: int
    """People who voted."""
    rater_kinds: tuple[Raters, ...] = ()
    """What kinds of raters they are; () in older files."""
    wins: dict[str, dict[str, float]]
    """``wins[a][b]``: votes for a against b; ties under ``wins[a][b]`` and ``wins[b][a]`` as a half each."""
    contrasts: tuple[Contrast, ...] = ()
    """Every pair: difference of strengths with interval; verdict after correction."""
    why: Reason | None = None
    """Why there is no ranking, or no interval (systems never compared, one rater, ...)."""
    left_out: Reason | None = None
    """Which votes are not counted."""
    method: str = ""
    """Model, estimation and resampling, in words."""

    @model_validator(mode="before")
    @classmethod
    def _read_note(cls, given: Any) -> Any:
        """``why`` was called ``note`` before reasons were typed."""
        if not isinstance(given, dict) or "note" not in given:
            return given
        fields = dict(given)
        return {"why": fields.pop("note"), **fields}


class Flip(Record):
    """Two variants of one metric that put two systems in opposite order."""

    metric: str
    """The metric."""
    a: str
    """One system."""
    b: str
    """The other."""
    for_a: tuple[str, ...]
    """Variants under which a is ahead."""
    for_b: tuple[str, ...]
    """Variants under which b is ahead."""
    sure: bool
    """Whether each side has at least one variant whose difference survives correction."""


class Sensitivity(Record):
    """One metric under all its variants."""

    metric: str
    """Its name."""
    leagues: tuple[League, ...]
    """One league a variant, never in one column."""
    flips: tuple[Flip, ...]
    """Pairs of systems whose order depends on the variant."""


class Example(Record):
    """A dialogue to open."""

    dialogue: Dialogue
    """The dialogue."""
    role: Literal["best", "worst", "liked", "praised"]
    """Which end of the measure it stands for; ``liked``: by people and not by the measure, ``praised``: the reverse."""
    measure: str
    """The measure it was chosen by."""
    value: float
    """Its value."""
    facts: dict[str, str] = Field(default_factory=dict)
    """Other values of the same dialogue, written out, by measure."""
    answers: tuple[Score, ...] = ()
    """What people answered about its single replies in files of their own; what its record holds is not repeated."""


class Section(Record):
    """What another analysis adds to a report: sentences, a table, and a page of its own."""

    title: str
    """Its heading."""
    sentences: tuple[str, ...]
    """What it says."""
    heads: tuple[str, ...] = ()
    """Heads of the table's columns; the first column names what a row is about."""
    rows: tuple[tuple[str, ...], ...] = ()
    """Cells as text, one row for each thing."""
    page: str | None = None
    """The page with everything, beside the report."""


class StatementKind(StrEnum):
    """What a statement of the answer is about."""

    VERDICT = "verdict"
    """Which system is better on the measure that counts most, with what that is conditional on."""
    MARGIN = "margin"
    """What a margin that a decision protocol declares says of the differences."""
    PROTOCOL = "protocol"
    """Whether the decision protocol was kept."""
    BASELINE = "baseline"
    """How the systems compare with the best baseline."""
    VOTES = "votes"
    """What pairwise votes say."""
    THREAT = "threat"
    """What blocks a verdict."""
    SCOPE = "scope"
    """What the answer does not say: it is no human judgement."""
    OTHER = "other"
    """Of an older file, or of another analysis."""


class Statement(Record):
    """One sentence of the answer, or two that belong together."""

    kind_of: StatementKind = StatementKind.OTHER
    """What it is about."""
    text: str
    """The text."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, given: object) -> object:
        """A bare text, as older files have it, is a statement of no known kind."""
        return {"text": given} if isinstance(given, str) else given

    def __str__(self) -> str:
        """The text."""
        return self.text


class SharedSituations(Record):
    """Two systems that did not answer the same situations."""

    a: str
    """The one."""
    b: str
    """The other."""
    shared: int
    """Situations that both answered, on which they are compared."""


class SystemFacts(Record):
    """How much there is of a system."""

    system: str
    """The system."""
    dialogues: int
    """Conversations with it (or dialogues whose situations it answered)."""
    replies: int
    """Its replies."""
    people: int | None = None
    """Different people who talked to it, where they are known."""
    simulated: int = 0
    """Its dialogues with simulated users; what was learned from people says little of them."""
    models: tuple[str, ...] = ()
    """Language models that answered for it, by id and fingerprint; (): none, or nobody recorded it."""
    completion: CompletionCounts | None = None
    """What it finished of what it was asked to do; None: unknown (of an older file)."""
    gates: dict[Gate, int] = Field(default_factory=dict)
    """Its dialogues whose user shows a fault, by fault; those that no dialogue shows, or could show, are left out."""
    gated: int = 0
    """Its dialogues whose user shows any of them."""


class Findings(Record):
    """Everything a report says."""

    kind: ClassVar[str] = "findings"

    title: str
    """What was evaluated."""
    answer: tuple[Statement, ...]
    """The answer; the first statement stands at the top of the page."""
    systems: tuple[SystemFacts, ...]
    """How much there is of each system, in alphabetical order."""
    leagues: tuple[League, ...]
    """People's measures first, then metrics in the order they were asked for."""
    primary: str | None
    """Name of the measure that the answer rests on."""
    votes: Votes | None = None
    """What votes say, where there are any."""
    labels: tuple[LabelCounts, ...] = ()
    """Who labelled the strategies that are compared, two for each system; () where nothing is labelled."""
    sensitivity: tuple[Sensitivity, ...] = ()
    """Metrics under all their variants, where asked for."""
    sections: tuple[Section, ...] = ()
    """What other analyses add: agreement with people, realism of simulated users."""
    examples: tuple[Example, ...] = ()
    """Best and worst dialogues."""
    warnings: tuple[str, ...] = ()
    """What a reader must know of the data: repairs, defects, small samples."""
    domains: tuple[DomainFit, ...] = ()
    """How the dialogues fit the domains of measures that declare one; those left out for it are here, too."""
    shared_situations: tuple[SharedSituations, ...] = ()
    """Pairs of systems that answered different situations."""
    training_data: tuple[TrainingExposure, ...] = ()
    """Of which systems' dialogues a measure was trained on some, and how they were scored."""
    threats: tuple[Threat, ...] = ()
    """What could make the verdicts wrong, those that block first. The leagues have passed the gate with them."""
    languages: tuple[LanguageFinding, ...] = ()
    """Which languages systems, users and references write in."""
    language_mismatches: tuple[LanguageMismatch, ...] = ()
    """Measures that do not fit these languages, left out or kept."""
    protocol: ProtocolCheck | None = None
    """Whether an experiment kept its decision protocol; None: this is no experiment."""
    dialogues: int | None = None
    """Different dialogues in all; None: unknown, and the systems' counts are summed."""
    people: int | None = None
    """Different people in all; None: unknown (one person may have met several systems, so counts do not sum)."""
    methods: tuple[str, ...] = ()
    """How the numbers were made, in sentences that stand before those the report can write by itself."""
    alpha: float = 0.05
    """Level at which differences are called."""
    correction: str = "Holm"
    """Correction for multiple comparisons, over the pairs of systems of a measure; ``OVER_MEASURES`` is over measures."""
    manifest: Manifest
    """How it was made."""
