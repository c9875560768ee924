"""Data model shared by all packages: frozen, closed records that round-trip through JSON.

``Dialogue`` (of ``Utterance``), ``Situation`` and ``Response`` hold conversations; ``Score`` and ``Preference`` hold what a
metric or a person made of them; ``Manifest`` records how a file was made; ``Card`` describes a metric.
Unknown is ``None``, empty is empty, zero is zero.
"""

from trialogue.records.base import JsonValue, Record
from trialogue.records.card import Basis, Card, FailurePolicy, TextUse, Variant
from trialogue.records.completion import ActCounts, CompletionCounts, completion_counts
from trialogue.records.dialogue import (
    ClaimVerdict,
    Dialogue,
    DialogueAct,
    ItemClaim,
    ItemOpinion,
    Mention,
    PairBelief,
    Rating,
    SlotValue,
    Speaker,
    StrategyDistribution,
    StrategyLabel,
    Utterance,
    has_ground_truth,
    labeller_of,
)
from trialogue.records.domain import Departure, DomainFit
from trialogue.records.estimate import Estimate, Interval
from trialogue.records.files.jsonl import read_records, write_records
from trialogue.records.files.manifest import Manifest, sha256_of
from trialogue.records.kinds.acts import NO_STRATEGY, STRATEGIES
from trialogue.records.kinds.endings import Ending, Fault, RetryCost
from trialogue.records.kinds.origins import ActOrigin, Labeller, MentionedBy, Raters, Role, UnknownAct
from trialogue.records.language import LanguageFinding, LanguageMismatch, Misfit, Writer
from trialogue.records.measure_name import VOTES, MeasureKind, MeasureName
from trialogue.records.need import Constraint, Need, NeedSource
from trialogue.records.reading import ClusterKind, Rated, Reading, UnreadColumns
from trialogue.records.reasons.codes import ReasonCode
from trialogue.records.reasons.reason import Reason
from trialogue.records.scale import Scale
from trialogue.records.score import Level, Preference, Score
from trialogue.records.scores.measured_units import (
    DistinctCounts,
    MeasuredUnits,
    MeasureSums,
    Population,
    PopulationKind,
    StoredParts,
)
from trialogue.records.scores.score_block import ScoreBlock
from trialogue.records.situation import Response, Situation, situations_of
from trialogue.records.turns import merge_turns

__all__ = [
    "NO_STRATEGY",
    "STRATEGIES",
    "VOTES",
    "ActCounts",
    "ActOrigin",
    "Basis",
    "Card",
    "ClaimVerdict",
    "ClusterKind",
    "CompletionCounts",
    "Constraint",
    "Departure",
    "Dialogue",
    "DialogueAct",
    "DistinctCounts",
    "DomainFit",
    "Ending",
    "Estimate",
    "FailurePolicy",
    "Fault",
    "Interval",
    "ItemClaim",
    "ItemOpinion",
    "JsonValue",
    "Labeller",
    "LanguageFinding",
    "LanguageMismatch",
    "Level",
    "Manifest",
    "MeasureKind",
    "MeasureName",
    "MeasureSums",
    "MeasuredUnits",
    "Mention",
    "MentionedBy",
    "Misfit",
    "Need",
    "NeedSource",
    "PairBelief",
    "Population",
    "PopulationKind",
    "Preference",
    "Rated",
    "Raters",
    "Rating",
    "Reading",
    "Reason",
    "ReasonCode",
    "Record",
    "Response",
    "RetryCost",
    "Role",
    "Scale",
    "Score",
    "ScoreBlock",
    "Situation",
    "SlotValue",
    "Speaker",
    "StoredParts",
    "StrategyDistribution",
    "StrategyLabel",
    "TextUse",
    "UnknownAct",
    "UnreadColumns",
    "Utterance",
    "Variant",
    "Writer",
    "completion_counts",
    "has_ground_truth",
    "labeller_of",
    "merge_turns",
    "read_records",
    "sha256_of",
    "situations_of",
    "write_records",
]
