"""Records of a study's findings. The report draws them and computes nothing."""

from typing import ClassVar, Literal

from pydantic import Field

from trialogue.findings.records import Votes
from trialogue.findings.standings import Contrast, League, Verdict
from trialogue.findings.threat import Threat
from trialogue.inputs.study_data import InterimLook
from trialogue.records import Estimate, Manifest, Raters, Reason, Record
from trialogue.subjects.people.model_records import ModelChoices, ModelRatings


class Attrition(Record):
    """Participants who stopped at a stage."""

    stage: str
    """The furthest stage they reached."""
    reason: str
    """``failed: attention``, ``withdrew``, ``timed_out``, ..."""
    count: int
    """Number of participants who stopped there for this reason."""


class Exclusion(Record):
    """One exclusion rule with its counts."""

    rule: str
    """Name of the rule, such as ``failed_checks``."""
    meaning: str
    """Description of the rule."""
    planned: bool
    """Whether the rule was fixed before launch; others do not exclude from the main analysis."""
    participants: int
    """Completed participants that hit it."""


class ManualExclusion(Record):
    """Participants excluded manually by the study's staff, for one reason."""

    reason: str
    """The reason, in the words of the study's staff."""
    participants: int
    """Number of completed participants excluded for it."""


class ParticipantFlow(Record):
    """Participant flow by stage."""

    reached: dict[str, int]
    """People who came at least as far as ``arrived``, ``consented``, ``screened``, ``active``, ``completed``."""
    losses: tuple[Attrition, ...]
    """Participants who stopped, by stage and reason; active ones as ``under way``."""
    excluded: int
    """Completed, but hit a planned rule or were excluded by hand."""
    analysed: int
    """People in the main analysis."""
    rules: tuple[Exclusion, ...]
    """Every exclusion rule, whether anybody hit it or not."""
    by_hand: tuple[ManualExclusion, ...] = ()
    """Exclusions by hand, which no rule named before launch, with their reasons."""
    minutes: Estimate | None = None
    """Median minutes of completed participants."""
    page_seconds: Estimate | None = None
    """Median over analysed participants of their median time on a page."""


class Agreement(Record):
    """One coefficient of agreement."""

    name: str
    """Name of the coefficient, such as ``Krippendorff's alpha, ordinal``."""
    estimate: Estimate
    """Its value; undefined, with the reason, where it cannot be computed."""
    note: str = ""
    """What it is computed on, or how to read it."""


class SystemRatings(Record):
    """Ratings of one system."""

    system: str
    counts: tuple[int, ...]
    """Ratings at each point of the scale."""
    mean: Estimate
    """Mean of its units, as every evaluation estimates it."""
    ratings: int
    raters: int
    items: int
    """Different replies (or dialogues) that were rated."""


class ModelPair(Record):
    """Two systems in the ordinal model: a against b."""

    a: str
    b: str
    odds_ratio: Estimate
    """Odds of a higher rating of a; p uncorrected."""
    p_adjusted: float | None = Field(ge=0, le=1)
    """p-value after Bonferroni across all pairs."""


class ModelFindings(Record):
    """Ordinal mixed model of the ratings, for papers that report one; no verdict rests on it."""

    n: int
    pairs: tuple[ModelPair, ...] = ()
    """Every pair of systems."""
    spreads: dict[str, Estimate]
    """Standard deviation of each random factor, in logits."""
    fixed: tuple[str, ...]
    """Fixed effects: ``system``, and ``position`` and ``rater`` where the data allow them."""
    left_out: dict[str, Reason]
    """Effects that the data do not allow, and why."""
    log_likelihood: float | None
    why: Reason | None = None
    """Why there is no fit."""


class PositionFindings(Record):
    """Effect of the presentation position."""

    shifts: dict[str, Estimate]
    """Points at each position less those at the first, of the same system; raters are clusters."""
    means: dict[str, float]
    """Plain mean by position."""


class SensitivityRow(Record):
    """Main comparison under other exclusion rules."""

    name: str
    """Exclusion rules of this row, in words."""
    participants: int
    ratings: int
    why: Reason | None = None
    """Why there is no comparison."""
    contrasts: tuple[Contrast, ...] = ()
    """Each pair of systems, in the order of the main analysis."""
    main: bool = False
    """Whether it is the main analysis."""

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """After correction."""
        return tuple(each.verdict for each in self.contrasts)


class RatingFindings(Record):
    """Findings on one criterion."""

    measure: str
    title: str
    """Display name; includes the kind of rater unless they are people."""
    raters: tuple[Raters, ...] = ()
    """The kinds of those who rated; () in older files."""
    better: Literal["higher", "lower"]
    points: tuple[float, ...]
    """Points of the scale."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Words of points on the scale, by the point."""
    systems: tuple[SystemRatings, ...]
    """Ratings of each system, best first."""
    coverage: dict[str, int] = Field(default_factory=dict)
    """Number of rated things by how many ratings they have."""
    agreement: tuple[Agreement, ...] = ()
    league: League | None = None
    """The systems, compared as every evaluation compares them, past the gate; None: they were not."""
    why: Reason | None = None
    """Why they were not."""
    model: ModelFindings | None = None
    """Ordinal mixed model; None: nobody asked for it."""
    position: PositionFindings | None = None
    sensitivity: tuple[SensitivityRow, ...] = ()
    warnings: tuple[str, ...] = ()


class ChoicePair(Record):
    """Two sides, and how often a was chosen."""

    a: str
    b: str
    group: str = ""
    """Part of the data it rests on (a recommender); empty: all."""
    wins: int
    losses: int
    ties: int
    shares: dict[str, Estimate]
    """Of ``win``, ``lose`` and ``tie``."""
    decisive: Estimate
    """Share of wins among judgements that are no tie; the wider of the intervals clustered by pair and by rater."""
    exact: Estimate
    """The same with the exact interval and binomial p, as if judgements were independent."""
    p_by_item: float | None
    """Sign flips, judgements of one pair together."""
    p_by_rater: float | None
    """Sign flips, judgements of one person together."""
    p: float | None = Field(ge=0, le=1)
    """Two-way where both pairs and people repeat (``crossed_raters``); else of the one that does."""
    p_adjusted: float | None = Field(ge=0, le=1)
    """After Bonferroni, over the rows without group, or over those with one."""
    items: int
    """Number of different pairs that were judged."""
    raters: int
    verdict: Verdict


class ChoiceSensitivity(Record):
    """Choices under other exclusion rules."""

    name: str
    """Exclusion rules of this row, in words."""
    participants: int
    judgements: int
    why: Reason | None = None
    """Why there are no pairs."""
    pairs: tuple[ChoicePair, ...] = ()
    """Pairs of the main analysis over all its groups, with the same side first; those without judgements are missing."""
    main: bool = False
    """Whether it is the main analysis."""


class CodeFindings(Record):
    """Findings on one explanation code."""

    code: str
    counts: dict[str, int]
    """Explanations that got it, by coder."""
    by_side: dict[str, int]
    """Times it was given, by the first side of the judgement (the simulator)."""
    share: float
    """Share of all codes by all coders, 0 to 1."""
    kappa: Estimate
    """Cohen's, of the two coders, over explanations that both coded."""


class ChoiceFindings(Record):
    """Findings on preferences or realism."""

    task: Literal["choice", "realism"]
    raters: tuple[Raters, ...] = ()
    """The kinds of those who chose; () in older files."""
    pairs: tuple[ChoicePair, ...]
    votes: Votes | None = None
    """Bradley-Terry with ties, where several systems were compared."""
    agreement: tuple[Agreement, ...] = ()
    first: Estimate
    """Share of decisive judgements that took the side shown first; 0.5: no position effect."""
    first_p: float | None = None
    judgements: int
    without_reason: int
    """Judgements left out for lack of an explanation (realism)."""
    codes: tuple[CodeFindings, ...] = ()
    sensitivity: tuple[ChoiceSensitivity, ...] = ()
    """The main analysis first; empty where nothing is known of participants."""
    warnings: tuple[str, ...] = ()


class LabelClass(Record):
    """Findings on one label."""

    label: str
    count: int
    """Utterances it was finally given to."""
    given: int
    """Times annotators gave it."""
    kappa: Estimate
    """Agreement on this label against all others (Krippendorff's alpha, nominal)."""


class LabelFindings(Record):
    """Findings on utterance labels."""

    utterances: int
    annotators: int
    disputed: int
    """Utterances whose annotators disagree."""
    adjudicated: int
    undecided: int
    """Disputed, without a majority, and not adjudicated."""
    agreement: tuple[Agreement, ...]
    classes: tuple[LabelClass, ...]
    confusions: tuple[tuple[str, str, int], ...]
    """Pairs of labels that two annotators gave one utterance, the commonest first."""
    warnings: tuple[str, ...] = ()


class Answers(Record):
    """Answers to a question that is not about a system."""

    measure: str
    title: str
    counts: dict[str, int]
    """Times that each answer was given, in the order of the numbers."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Words of points; empty for numbers."""
    spread: tuple[float, ...] = ()
    """For numbers: minimum, quartiles and maximum; empty for scales."""


class OptionRow(Record):
    """Result of one option of a question."""

    option: str
    """The option, or the system whose reply it was."""
    estimate: Estimate
    """Mean rank, best–worst score, or share of answers that ticked it; raters are clusters."""
    best: int | None = None
    """Times that it was the first or best; None: boxes and choices."""
    worst: int | None = None
    """Times that it was the last or worst; None: boxes and choices."""
    count: int | None = None
    """Participants who chose it; None: not a choice."""


class OptionFindings(Record):
    """Findings on a question with a multi-option answer."""

    question: str
    title: str
    system: str = ""
    """System that was asked about; "": the question was not about one."""
    agreement: Estimate | None = None
    """Krippendorff's alpha, nominal, where one option was chosen about each system; None: another kind of question."""
    answer_kind: Literal["ranking", "best_worst", "choices", "choice"]
    answers: int
    raters: int
    missing: int | None = None
    """Participants without an answer to a choice; None: unknown, or not a choice."""
    options: tuple[OptionRow, ...]
    """The best or most often ticked first; of choices, in the order of the question."""


class StudyFindings(Record):
    """Complete findings of a study."""

    kind: ClassVar[str] = "study-findings"

    title: str
    answer: tuple[str, ...]
    """Sentences, the most important one first."""
    raters: tuple[Raters, ...] = ()
    """The kinds of those who answered; () in older files."""
    flow: ParticipantFlow | None = None
    ratings: tuple[RatingFindings, ...] = ()
    choices: ChoiceFindings | None = None
    labels: LabelFindings | None = None
    model_ratings: tuple[ModelRatings, ...] = ()
    """Ratings by language models, beside people's."""
    model_choices: tuple[ModelChoices, ...] = ()
    """The same of choices."""
    answers: tuple[Answers, ...] = ()
    options: tuple[OptionFindings, ...] = ()
    """Rankings, best–worst choices and boxes."""
    warnings: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    """A paragraph for a paper, in sentences."""
    primary: str | None = None
    """Name of the measure that the answer rests on; None: of choices or labels, or of nothing."""
    threats: tuple[Threat, ...] = ()
    """Threats to the verdicts on ratings, with which the leagues have passed the gate."""
    alpha: float = 0.05
    study_hash: str | None = None
    """Hash of the launched study file."""
    early_looks: tuple[InterimLook, ...] = ()
    """Looks at results before the planned end."""
    manifest: Manifest
