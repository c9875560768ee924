"""The passport of simulated users, as records: six parts, each with its intervals and its own sample, and no
sum of them."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from trialogue.findings.threat import Threat
from trialogue.records import Estimate, Manifest, Reason, Record
from trialogue.records.kinds.suspicions import Gate
from trialogue.subjects.simulated_users.realism.records import Gap


class PassportPart(StrEnum):
    """The parts of a passport, in their order."""

    BEHAVIOR = "behavior"
    """Do simulated users behave as real ones?"""
    RANKING = "ranking"
    """Do they put systems in the order that real users put them in?"""
    KNOWN_GROUPS = "known_groups"
    """Does their outcome fall where an agent was made worse on purpose?"""
    STABILITY = "stability"
    """Variation over seeds, prompts and models."""
    GATES = "gates"
    """In how many dialogues do users not behave as users?"""
    COST = "cost"
    """Time, calls, tokens and money per dialogue."""


class MissingPart(Record):
    """A part, or an element of one, that is missing."""

    part: PassportPart
    """The part that is missing, or that lacks something."""
    why: Reason
    """Why it is missing."""


class Sample(Record):
    """Sample behind a part."""

    real: int = 0
    """Dialogues of real users."""
    people: int = 0
    """Independent real users (dialogues, where users are unknown)."""
    simulated: int = 0
    """Dialogues of simulated users."""
    cases: int = 0
    """Independent simulated users: needs, personas or dialogues."""


class Distance(Record):
    """Distance between simulated and real users in one aspect, with the split-half distance of real users."""

    name: str
    """Short name of the aspect."""
    title: str
    """Aspect and distance measure."""
    value: Estimate
    """Between half of the real users and as many simulated ones; the mean over random halves."""
    yardstick: Estimate
    """Between the same half of the real users and the other half."""
    excess: Estimate
    """The value less the yardstick."""


class Discriminator(Record):
    """A classifier of simulated against real dialogues."""

    name: str
    """Short name, such as ``classifier-matched``."""
    title: str
    """Features of the classifier."""
    auc: Estimate
    """Probability that it takes a simulated dialogue for the more simulated one of two; .5: it cannot tell."""
    is_trivial: bool = False
    """Whether it looks at one number that anybody could count."""


class Folds(StrEnum):
    """Units held out in the cross-validation of classifiers."""

    PERSON = "person"
    """Neither the real nor the simulated user."""
    PERSON_AND_AGENT = "person_and_agent"
    """Neither the user nor the agent."""


class Behavior(Record):
    """Part one."""

    sample: Sample
    """The dialogues and users that this part is computed on."""
    distances: tuple[Distance, ...]
    """Acts, vocabulary, lengths, turns, endings, copied messages."""
    discriminators: tuple[Discriminator, ...]
    """The classifier, the same after matching lengths, and trivial ones."""
    folds: Folds = Folds.PERSON
    """Cross-validation of the classifier."""
    split_half: Estimate
    """AUC of the same classifier on random halves of the real users: its own yardstick."""
    is_fair: bool | None = None
    """Whether that yardstick lies within two standard errors of .5; None: unknown."""
    gaps: tuple[Gap, ...] = ()
    """Every feature, those that give most away first."""


class SystemRank(Record):
    """One system in the order of one side's users."""

    system: str
    """Name of the system."""
    value: float
    """Mean outcome of the system, in the unit of the measure."""
    rank: int | None
    """1 for the best."""
    low: int | None = None
    """Best plausible rank (lower end of the interval); None: unknown."""
    high: int | None = None
    """Worst plausible rank (upper end of the interval); None: unknown."""


class SystemOrder(Record):
    """Systems by one outcome of one side's users."""

    measure: str
    """Full name of the measure."""
    ranks: tuple[SystemRank, ...]
    """Systems with means and ranks, best first."""
    sample: Sample
    """The dialogues and users that the order is computed on."""


class RankingValidity(Record):
    """Part two, for one outcome of simulated users and one of real ones."""

    simulated: SystemOrder
    """Order of the systems by simulated users."""
    real: SystemOrder
    """Order of the systems by real users."""
    pairs: int
    """Number of pairs of systems that both sides met."""
    concordant: float
    """Pairs that both put in the same order, ties on either side as a half."""
    concordance: Estimate
    """Their share; with an interval from eight systems on."""
    p: float | None = Field(default=None, ge=0, le=1)
    """Two-sided p-value of Spearman's correlation under random orders, exact up to seven systems."""
    is_exact: bool = False
    """Whether all orders were tried."""
    refusal: Reason | None = None
    """Why nothing can be concluded: fewer than five systems."""


class Dose(Record):
    """An agent of which a share of the replies was made worse."""

    system: str
    """Name of the agent with this dose, as the system of its dialogues."""
    share: float = Field(ge=0, le=1)
    """Share of the replies."""
    outcome: Estimate
    """Mean outcome of the users who met it."""
    change: Estimate | None = None
    """Against the agent itself, paired by user; None for the agent itself."""
    needed: int | None = None
    """Users that both must meet for a fall to be found with power .8 at a level of .05; None: nothing fell, or unknown."""


class KnownGroup(Record):
    """Part three, for one agent: doses in rising order."""

    agent: str
    """Name of the agent itself."""
    way: str
    """What replies were replaced with, in words."""
    measure: str
    """The outcome, by its full name."""
    doses: tuple[Dose, ...]
    """The agent itself first."""
    order_share: Estimate
    """Share of resamples of the users in which the outcome falls with every dose."""
    needed: int | None = None
    """Users from which on the outcome falls with every dose in 80% of resamples; None: no number that was tried."""
    sample: Sample
    """The simulated dialogues and users behind it."""


class Factor(StrEnum):
    """Varied factor."""

    SEED = "seed"
    """The seed: other needs, other choices."""
    VERSION = "version"
    """The version of the users: another prompt, another model, other options."""


class SystemSpread(Record):
    """One system at all levels of a factor."""

    system: str
    """Name of the system."""
    values: dict[str, float]
    """Its mean at each level."""
    spread: float
    """Highest of the means less the lowest, in the unit of the measure."""
    by_chance: float
    """Spread to be expected if only the sample of dialogues differed between levels."""


class VarianceShares(Record):
    """Variance components of single dialogues."""

    systems: Estimate
    """Between systems: what simulated users are for."""
    levels: Estimate
    """Between levels of the factor, for all systems alike."""
    both: Estimate
    """Between levels, differently for different systems: what changes rankings."""
    rest: Estimate
    """Between dialogues of one system at one level."""


class Stability(Record):
    """Part four, for one factor and one outcome."""

    factor: Factor
    """What differs between levels, such as the seed."""
    measure: str
    """Full name of the outcome."""
    levels: tuple[str, ...]
    """Levels of the factor."""
    spreads: tuple[SystemSpread, ...]
    """One for each system."""
    orders: int
    """Different orders of the systems, over the levels."""
    shares: VarianceShares | None = None
    """From five levels on."""
    why: Reason | None = None
    """Why there are none."""
    sample: Sample
    """The dialogues and users that this is computed on."""


class GateShare(Record):
    """Share of dialogues with one fault."""

    gate: Gate | None
    """The fault; None: any of them, but for hints."""
    simulated: Estimate
    """Share of the simulated dialogues that could show it."""
    real: Estimate
    """Share among real dialogues: false detections, or faults of real users."""


class Gates(Record):
    """Part five."""

    sample: Sample
    """The dialogues and users that this part is computed on."""
    shares: tuple[GateShare, ...]
    """Any fault first, then each."""


class Cost(Record):
    """Part six."""

    sample: Sample
    """The dialogues and users that this part is computed on."""
    turns: Estimate
    """User messages of a dialogue: each is at least one call where a model plays the user."""
    calls: float | None = None
    """Model calls of the users in a dialogue, those answered from the cache included; None: no model, or unknown."""
    tokens_in: float | None = None
    """Prompt tokens of a dialogue."""
    tokens_out: float | None = None
    """Answer tokens of a dialogue."""
    money: float | None = None
    """Price of a dialogue; None: unknown."""
    currency: str | None = None
    """Currency of the price."""
    seconds: float | None = None
    """Wall-clock seconds of a dialogue, the agent's included; None: nothing was timed."""
    why: Reason | None = None
    """Reason for unknown values."""
    models: dict[str, int] = Field(default_factory=dict)
    """Number of users' messages by the model (id and fingerprint) that answered; {}: not recorded."""
    wordings: dict[str, int] = Field(default_factory=dict)
    """Outcomes of the model's wordings of an agenda's messages: ``model``, or why one was rejected; {}: there are none."""


class PassportFindings(Record):
    """The passport of some simulated users."""

    kind: ClassVar[str] = "passport"

    title: str
    """Heading of the passport."""
    users: str
    """Name of the simulated users."""
    signature: str | None = None
    """Signature of prompts or weights; None if there are none."""
    real: tuple[str, ...] = ()
    """The real users they are compared with."""
    answer: tuple[str, ...] = ("",)
    """One sentence for each part."""
    behavior: Behavior | None = None
    """Part one: whether they behave as real users do; None: see ``missing``."""
    rankings: tuple[RankingValidity, ...] = ()
    """Part two: whether they order systems as real users do; (): see ``missing``."""
    orders: tuple[SystemOrder, ...] = ()
    """Systems by every outcome of the simulated users, whether or not real users met them."""
    known_groups: tuple[KnownGroup, ...] = ()
    """Part three: whether their outcome falls where an agent was made worse; (): see ``missing``."""
    stability: tuple[Stability, ...] = ()
    """Part four: variation over seeds, prompts and models; (): see ``missing``."""
    gates: Gates | None = None
    """Part five: how many dialogues show users who do not behave as users."""
    cost: Cost | None = None
    """Part six: time, calls, tokens and money per dialogue."""
    missing: tuple[MissingPart, ...] = ()
    """Missing elements with reasons."""
    threats: tuple[Threat, ...] = ()
    """Threats, blocking ones first."""
    warnings: tuple[str, ...] = ()
    """Caveats on the data."""
    methods: tuple[str, ...] = ()
    """Paragraphs on what was computed, and how."""
    sources: tuple[str, ...] = ()
    """Sources of the methods."""
    manifest: Manifest
    """Provenance: command, settings, seed, versions and checksums of the inputs."""

    @property
    def is_blocked(self) -> bool:
        """Whether a threat leaves no verdict on behavior."""
        return any(each.severity.value == "blocks" for each in self.threats)
