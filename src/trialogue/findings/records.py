"""Findings: the complete results of an evaluation, ready to be rendered. The report draws them and computes nothing.

Everything is a record, so ``findings.json`` is the whole content of a report and can be rendered again anywhere.
"""

from enum import StrEnum
from typing import ClassVar, Literal, TypeAlias

from pydantic import Field, model_validator

from trialogue.findings.label_origins import LabelCounts
from trialogue.findings.log_records import LogFindings
from trialogue.findings.protocol import ProtocolCheck
from trialogue.findings.sample.records import MissingValues, ReEstimate, Sample
from trialogue.findings.standings import Contrast, League
from trialogue.findings.threat import Threat
from trialogue.fingerprints import TrainingExposure
from trialogue.records import (
    CompletionCounts,
    Dialogue,
    DomainFit,
    Estimate,
    LanguageFinding,
    LanguageMismatch,
    Manifest,
    Population,
    PopulationKind,
    Raters,
    Reading,
    Reason,
    Record,
    Score,
)
from trialogue.records.kinds.shifts import CorpusShift
from trialogue.records.kinds.suspicions import Gate


class Strength(Record):
    """One system in a vote ranking."""

    system: str
    """Name of the system."""
    strength: Estimate
    """Bradley-Terry strength on the Elo scale (mean 1000), with interval."""
    strength_half: float | None = None
    """The same where a tie counts as half a win for each: the scale of most published tables."""
    rank_low: int | None
    """Best rank in 95% of resamples; None: unknown."""
    rank_high: int | None
    """Worst rank in 95% of resamples."""
    elo: float
    """Elo rating after the votes in file order, for comparison with published ones."""
    elo_rank_low: int
    """Best rank by Elo over shuffled orders of the votes."""
    elo_rank_high: int
    """Worst rank by Elo over shuffled orders of the votes."""
    win_rate: Estimate
    """Share of decisive and tied votes won, ties as half a win."""


class Votes(Record):
    """Results of pairwise preferences."""

    strengths: tuple[Strength, ...]
    """Systems, strongest first."""
    votes: int
    """Number of votes counted, ties included."""
    ties: int
    """Number of ``votes`` that prefer neither system."""
    raters: int
    """Different raters known by code; 0: no vote names its rater."""
    rater_kinds: tuple[Raters, ...] = ()
    """Kinds of those who voted, such as people or a language model."""
    wins: dict[str, dict[str, float]]
    """``wins[a][b]``: votes for a against b; ties under ``wins[a][b]`` and ``wins[b][a]`` as a half each."""
    contrasts: tuple[Contrast, ...] = ()
    """Every pair: difference of strengths with interval; verdict after correction."""
    why: Reason | None = None
    """Why there is no ranking, or no interval (systems never compared, one rater, ...)."""
    left_out: Reason | None = None
    """Description of excluded votes."""
    method: str = ""
    """Model, estimation and resampling, in words."""


class RankReversal(Record):
    """Two variants of one metric that rank two systems in opposite order."""

    metric: str
    """Name of the metric, without the variant."""
    a: str
    """Name of one system."""
    b: str
    """Name of the other system."""
    for_a: tuple[str, ...]
    """Variants under which a is ahead."""
    for_b: tuple[str, ...]
    """Variants under which b is ahead."""
    sure: bool
    """Whether each side has at least one variant whose difference survives correction."""


class Sensitivity(Record):
    """Ranking under all variants of one metric."""

    metric: str
    """Name of the metric, without the variant."""
    leagues: tuple[League, ...]
    """One league a variant, never in one column."""
    flips: tuple[RankReversal, ...]
    """Pairs of systems whose order depends on the variant."""


class Example(Record):
    """A dialogue to inspect."""

    dialogue: Dialogue
    """The whole dialogue, with texts."""
    role: Literal["best", "worst", "liked", "praised"]
    """Reason for the choice of the example; ``liked``: high with people and low on the measure, ``praised``: the reverse."""
    measure: str
    """The measure it was chosen by."""
    value: float
    """Value of the dialogue on ``measure``."""
    facts: dict[str, str] = Field(default_factory=dict)
    """Other values of the same dialogue, written out, by measure."""
    answers: tuple[Score, ...] = ()
    """People's answers about single replies from separate files; those in the record are not repeated."""


class Values(StrEnum):
    """Kind of the numbers of a column."""

    PLAIN = "plain"
    """By the type of a cell: estimates, counts, other numbers, texts."""
    SHARES = "shares"
    """Shares, which people read in percent."""
    P_VALUES = "p_values"
    """p-values."""


class SectionColumn(Record):
    """Column of a section's table."""

    head: str
    """Heading of the column."""
    values: Values = Values.PLAIN
    """Kind of its numbers."""

    @model_validator(mode="before")
    @classmethod
    def _from_head(cls, given: object) -> object:
        """A bare text is the head of a column of plain values."""
        return {"head": given} if isinstance(given, str) else given


def columns(*heads: str, values: Values = Values.PLAIN) -> tuple[SectionColumn, ...]:
    """Columns of a section by their heads; numbers of one kind in all of them."""
    return tuple(SectionColumn(head=head, values=values) for head in heads)


class Noted(Record):
    """Cell of a table with a line below its value."""

    value: Estimate | None
    """Its value; None: there is only the note."""
    note: str
    """Text of the line below the value."""


CellValue: TypeAlias = Noted | Estimate | int | float | str | None
"""Cell of a section's table, unrounded; None: undefined."""


class Section(Record):
    """Report section of another analysis: sentences, a table, and a page of its own."""

    title: str
    """Heading of the section."""
    sentences: tuple[str, ...]
    """Text of the section."""
    columns: tuple[SectionColumn, ...] = ()
    """Columns of the table; the first one names what a row is about."""
    rows: tuple[tuple[CellValue, ...], ...] = ()
    """Cells, one row for each thing."""
    file: str = ""
    """Name of the CSV file of the table, without suffix; "": it has none."""
    page: str | None = None
    """The page with everything, beside the report."""

    @property
    def heads(self) -> list[str]:
        """Heads of the columns."""
        return [each.head for each in self.columns]


class StatementKind(StrEnum):
    """Topic of a statement."""

    VERDICT = "verdict"
    """Better system on the leading measure, with the conditions of the verdict."""
    MARGIN = "margin"
    """Result relative to the margins of a decision protocol."""
    PROTOCOL = "protocol"
    """Whether the decision protocol was kept."""
    BASELINE = "baseline"
    """Comparison of the systems with the best baseline."""
    SIDES = "sides"
    """Whether people, simulated users and estimates put the systems in the same order."""
    VOTES = "votes"
    """Result of pairwise votes."""
    THREAT = "threat"
    """Threat that blocks a verdict."""
    SCOPE = "scope"
    """Limit of the answer: automatic measures are not human judgements."""
    OTHER = "other"
    """Statement of another analysis."""


class Statement(Record):
    """One or two related sentences of the answer."""

    kind_of: StatementKind = StatementKind.OTHER
    """Topic, by which code finds a statement without reading its text."""
    text: str
    """One or two complete sentences."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, given: object) -> object:
        """A bare text is a statement of no known kind."""
        return {"text": given} if isinstance(given, str) else given

    def __str__(self) -> str:
        """Text of the statement."""
        return self.text


class SharedSituations(Record):
    """Two systems that answered different situations."""

    a: str
    """Name of one system."""
    b: str
    """Name of the other system."""
    shared: int
    """Situations that both answered, on which they are compared."""


class SeparateUsers(Record):
    """Two systems whose dialogues are with different people, or simulated users with different needs: none met both."""

    kind_of: PopulationKind
    """Whether they are people or simulated users."""
    a: str
    """Name of one system."""
    b: str
    """Name of the other system."""


class SystemFacts(Record):
    """Counts of a system's data."""

    system: str
    """Name of the system."""
    dialogues: int
    """Conversations with it (or dialogues whose situations it answered)."""
    replies: int
    """Number of its replies, in dialogues and to situations."""
    people: int | None = None
    """Different people who talked to it, where they are known."""
    simulated: int = 0
    """Number of dialogues with simulated users, to which results from people hardly apply."""
    seeds: tuple[int, ...] = ()
    """Seeds that these users were drawn with; (): not recorded."""
    models: tuple[str, ...] = ()
    """Language models behind the system, by id and fingerprint; (): none, or not recorded."""
    user_models: tuple[str, ...] = ()
    """Language models that played its users, in the same way."""
    completion: CompletionCounts | None = None
    """Completed share of the requested work; None: unknown."""
    gates: dict[Gate, int] = Field(default_factory=dict)
    """Its dialogues whose user shows a fault, by fault; those that no dialogue shows, or could show, are left out."""
    gated: int = 0
    """Its dialogues whose user shows any of them, but for hints (``HINTS``)."""
    shift: CorpusShift | None = None
    """How far its replies, or else the references beside them, are from the calibration data of the model that labelled
    them; None: not further than other dialogues of that corpus, or not examined."""


class Findings(Record):
    """Complete findings of a report."""

    kind: ClassVar[str] = "findings"

    title: str
    """Title of the evaluated data."""
    answer: tuple[Statement, ...]
    """The answer; the first statement stands at the top of the page."""
    systems: tuple[SystemFacts, ...]
    """Amount of data by system, in alphabetical order."""
    leagues: tuple[League, ...]
    """People's measures first, then metrics in the order they were asked for."""
    primary: str | None
    """Name of the measure on which the answer is based."""
    votes: Votes | None = None
    """Results of votes; None without votes."""
    labels: tuple[LabelCounts, ...] = ()
    """Labellers of the compared strategies, two entries per system; () without labels."""
    sensitivity: tuple[Sensitivity, ...] = ()
    """Metrics under all their variants, where asked for."""
    judge_leagues: tuple[League, ...] = ()
    """Columns of judges whose scores were given: raw, and beside it corrected where people labelled some dialogues.
    They are shown in league tables, and no conclusion is based on them, because a corrected value contains people's
    answers.
    """
    log: LogFindings | None = None
    """The engineer's part; None: the dialogues are not people's, or only their texts are known."""
    sections: tuple[Section, ...] = ()
    """Sections of other analyses: agreement with people, realism of simulated users."""
    examples: tuple[Example, ...] = ()
    """Best and worst dialogues."""
    no_explorer: Reason | None = None
    """Why the explorer was not written, unless the user left it out."""
    warnings: tuple[str, ...] = ()
    """Caveats on the data: repairs, defects, small samples."""
    domains: tuple[DomainFit, ...] = ()
    """Fit of the dialogues to the domains of measures; includes dialogues excluded for it."""
    shared_situations: tuple[SharedSituations, ...] = ()
    """Pairs of systems that answered different situations."""
    separate_users: tuple[SeparateUsers, ...] = ()
    """Pairs of systems that had dialogues, and no person or need in common."""
    sample: Sample = Field(default_factory=Sample)
    """What was compared; empty in older files."""
    re_estimates: tuple[ReEstimate, ...] = ()
    """Verdicts computed again under each doubt about the sample; () in older files, and where there is no doubt."""
    missing: tuple[MissingValues, ...] = ()
    """Verdicts in which one system lacks more values than the other; () in older files."""
    training_data: tuple[TrainingExposure, ...] = ()
    """Dialogues of systems in a measure's training data, and how they were scored."""
    threats: tuple[Threat, ...] = ()
    """Threats to the verdicts, blocking ones first. The leagues have passed the gate."""
    languages: tuple[LanguageFinding, ...] = ()
    """Languages of systems, users and references."""
    language_mismatches: tuple[LanguageMismatch, ...] = ()
    """Measures that do not fit these languages, left out or kept."""
    protocol: ProtocolCheck | None = None
    """Whether an experiment kept its decision protocol; None: this is no experiment."""
    populations: tuple[Population, ...] = ()
    """What each system was evaluated on."""
    reading: Reading = Field(default_factory=Reading)
    """What was read from the inputs, and what was not."""
    dialogues: int | None = None
    """Different dialogues in all; None: unknown, and the systems' counts are summed."""
    people: int | None = None
    """Different people in all; None: unknown (one person may have met several systems, so counts do not sum)."""
    methods: tuple[str, ...] = ()
    """Methods text that precedes the report's own."""
    alpha: float = 0.05
    """Significance level of the verdicts, after correction for multiple comparisons."""
    correction: str = "Bonferroni"
    """Correction for multiple comparisons, over the pairs of systems of a measure; ``OVER_MEASURES`` is
    over measures."""
    manifest: Manifest
    """Provenance: command, settings, seed, versions and checksums of the inputs."""
