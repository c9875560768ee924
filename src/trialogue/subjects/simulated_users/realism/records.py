"""Records of realism findings."""

from typing import ClassVar

from pydantic import Field

from trialogue.records import Estimate, Manifest, Reason, Record


class Gap(Record):
    """Difference in one feature between real and simulated dialogues."""

    name: str
    """Short name of the feature."""
    title: str
    """Name of the feature in prose."""
    real: Estimate
    """Mean over real dialogues."""
    simulated: Estimate
    """Mean over simulated ones."""
    difference: Estimate
    """Simulated less real, with interval and p-value."""
    giveaway: Estimate
    """Chance that a simulated dialogue has more of it than a real one, ties half; .5 gives nothing away."""


class Divergence(Record):
    """Divergence between the acts of simulated and real users (DS-KL)."""

    acts: str
    """Kind of acts: annotated, or recognised in the text."""
    value: Estimate
    """(KL(P|Q) + KL(Q|P)) / 2 in nats, half a count added to every act that either has."""
    split_half: Estimate
    """The same between random halves of the real users: what sampling alone makes."""
    shares: dict[str, tuple[float, float]]
    """Share of each act: real, simulated."""


class TwoSample(Record):
    """Result of the classifier two-sample test."""

    auc: Estimate
    """Out of fold; .5: it cannot; 1: always."""
    folds: int
    """Folds by dialogue or person."""
    real: int
    """Number of real dialogues."""
    simulated: int
    """Number of simulated dialogues."""
    weights: dict[str, float]
    """Weight of each standardised feature in a fit of everything; positive: more of it looks simulated."""


class Order(Record):
    """Ranking of agents by one kind of users."""

    systems: tuple[str, ...]
    """Names of the agents, best first."""
    values: tuple[float, ...]
    """Value of each of ``systems`` on the measure."""
    share: float | None = None
    """Share of resamples in which the whole order holds; None: unknown."""
    why: Reason | None = None
    """Why it is unknown."""


class Prediction(Record):
    """Agreement of simulated and real users on the ranking of agents, on one measure."""

    measure: str
    """Full name of the measure; on the real side people's own ratings may stand in its place."""
    against: str
    """The real side's measure."""
    real: Order
    """Ranking by real users."""
    simulated: Order
    """Ranking by simulated users."""
    spearman: Estimate
    """Rank correlation of the two."""
    kendall: Estimate
    """Kendall's tau-b of the two."""
    p: float | None = Field(default=None, ge=0, le=1)
    """Chance of a correlation as high in size under random orders."""
    refusal: Reason | None = None
    """Why nothing can be concluded."""


class RealismFindings(Record):
    """Complete findings about realism."""

    kind: ClassVar[str] = "realism"

    title: str
    """Title of the analysis."""
    answer: tuple[str, ...]
    """The answer, in sentences."""
    gaps: tuple[Gap, ...]
    """Features, those that give most away first."""
    divergence: Divergence | None
    """DS-KL of user acts; None where users do nothing that can be counted."""
    two_sample: TwoSample
    """Whether a classifier can tell real and simulated dialogues apart."""
    predictions: tuple[Prediction, ...] = ()
    """Orders of agents that both sides met."""
    warnings: tuple[str, ...] = ()
    """Caveats on the data."""
    methods: tuple[str, ...] = ()
    """Paragraphs on what was computed, and how."""
    manifest: Manifest
    """Provenance: command, settings, seed, versions and checksums of the inputs."""
