"""The engineer's part of a report, from what was measured: nothing in it decides anything."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from trialogue.findings.log_records import (
    Blame,
    BlameCount,
    BlameRule,
    LogFindings,
    LogMeasure,
    Slice,
    SliceKind,
    WorstDialogue,
)
from trialogue.findings.logs.blame import blame_of
from trialogue.findings.logs.slices import MANY_IDENTIFIED, Question, Rated, pairs_of, slices_of
from trialogue.findings.records import Findings
from trialogue.findings.standings import Contrast, League
from trialogue.findings.threat import Validity
from trialogue.metrics.base import ratio
from trialogue.metrics.dialogue.resources import calls_of, satisfaction_in, wait_of
from trialogue.records import Basis, Dialogue, Reason, ReasonCode, Role, Score
from trialogue.records.scores.score_table import ScoreTable
from trialogue.stats import cluster_sums, estimate_of_sums
from trialogue.stats.comparison.shares import quantile_of

WORST = 10
MANY = 1_000  # dialogues of which the worst are chosen at a time
QUANTILES = {"Latency, p50": 0.5, "Latency, p95": 0.95}
MEASURES = ("cost", "tokens", "tool_calls")
"""Metrics of what systems did, in order; their variants are in the order in which they were measured."""
OF_ALL = frozenset({"per_dialogue", "all", "input", "output"})
"""Variants that every dialogue should have a value of."""
OF_SLICES = frozenset({Basis.PEOPLE, Basis.OUTCOME})


@dataclass
class _Tally:
    """What the dialogues of one version add up to."""

    dialogues: int = 0
    waits: list[float] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    """Cluster of each wait."""
    replies: int = 0
    failed: list[tuple[float, float]] = field(default_factory=list)
    clusters: list[str] = field(default_factory=list)
    judged: int = 0
    """Those that are known to have satisfied somebody, or not."""
    blames: Counter[Blame] = field(default_factory=Counter)
    has_traces: bool = False

    def add(self, dialogue: Dialogue, blame: Blame | None) -> None:
        """Count a dialogue."""
        self.dialogues += 1
        self.clusters.append(dialogue.cluster)
        self.judged += satisfaction_in(dialogue) is not None
        self.failed.append((float(blame is not None), 1.0))
        if blame is not None:
            self.blames[blame.model_copy(update={"tool": None})] += 1
        replies = [said for said in dialogue.utterances if said.speaker == "system"]
        waits = [wait for wait in map(wait_of, replies) if wait is not None]
        self.replies += len(replies)
        self.waits += waits
        self.waiting += [dialogue.cluster] * len(waits)
        has_trace = dialogue.trace is not None or any(said.trace is not None for said in replies)
        self.has_traces = self.has_traces or has_trace


@dataclass
class _Seen:
    """What one pass over the dialogues keeps of them."""

    badness: Callable[[WorstDialogue], Any]
    tallies: dict[str, _Tally] = field(default_factory=dict)
    rated: list[Rated] = field(default_factory=list)
    _worst: list[WorstDialogue] = field(default_factory=list)

    def add(self, dialogue: Dialogue, value: tuple[float, float] | None) -> None:
        """Add a dialogue with the sum and the number of its values; None: it has none."""
        blame = blame_of(dialogue)
        self.tallies.setdefault(dialogue.system or "", _Tally()).add(dialogue, blame)
        self._worst.append(_worst(dialogue, blame, value))
        if len(self._worst) == MANY:
            self._worst = self.worst()
        if value is not None:
            self.rated.append(Rated.of(dialogue, *value, with_texts=len(self.rated) <= MANY_IDENTIFIED))

    def worst(self) -> list[WorstDialogue]:
        """The worst dialogues."""
        return sorted(self._worst, key=self.badness)[:WORST]


def log_findings(
    findings: Findings,
    dialogues: Iterable[Dialogue],
    scores: Iterable[Score],
    units: ScoreTable,
    *,
    leads: bool,
    permutations: int,
) -> LogFindings | None:
    """The engineer's part of a report; None where dialogues are not people's, or nothing was recorded of them but texts.

    Args:
        findings: findings with the measure that the answer rests on.
        dialogues: the dialogues of the systems.
        scores: scores of single dialogues and replies by people.
        units: scores of single dialogues by metrics.
        leads: whether a terminal may show it in place of other measures.
        permutations: arrangements of a test.
    """
    if any(facts.simulated for facts in findings.systems):
        return None
    primary = next((each for each in findings.leagues if each.measure.name == findings.primary), None)
    values = {} if primary is None else _values(primary.measure.name, scores, units)
    is_lower = primary is not None and primary.measure.better == "lower"
    seen = _Seen(partial(_badness, sign=-1.0 if is_lower else 1.0))
    for dialogue in dialogues:
        if dialogue.role is Role.SYSTEM and dialogue.need is None:
            seen.add(dialogue, values.get((dialogue.system or "", dialogue.id)))
    if not (seen.rated or any(each.has_traces or each.blames for each in seen.tallies.values())):
        return None
    versions = sorted(seen.tallies, key=natural_key)
    old, new = versions if len(versions) == 2 else (None, None)
    contrast = None if primary is None or new is None else primary.contrast_of(new, old or "")
    harm = _harm(primary, contrast)
    slices: tuple[Slice, ...] | None = None
    if primary is not None and primary.measure.basis in OF_SLICES and _is_open(primary, harm, len(versions)):
        slices = slices_of(seen.rated, _question(primary, versions, findings, permutations))
    return LogFindings(
        old=old,
        new=new,
        measures=tuple(_measures(findings.leagues, seen.tallies, old, new)),
        harm=harm if isinstance(harm, float) else None,
        is_harm_conditional=Validity.CONDITIONAL in (primary and primary.validity, contrast and contrast.validity),
        no_harm=harm if isinstance(harm, Reason) else None,
        sliced=None if slices is None or primary is None else primary.measure.name,
        slices=slices or (),
        fields=tuple(dict.fromkeys(each.field for each in slices or () if each.by is SliceKind.FIELD)),
        worst=tuple(seen.worst()),
        blames=tuple(_blames(seen.tallies)),
        leads=leads and any(each.has_traces for each in seen.tallies.values()),
    )


def _values(measure: str, scores: Iterable[Score], units: ScoreTable) -> dict[tuple[str, str], tuple[float, float]]:
    """(sum, number) of the values of each dialogue: of its own, several raters' averaged, else of its replies."""
    own: dict[tuple[str, str], list[float]] = {}
    of_replies: dict[tuple[str, str], list[float]] = {}
    for score in scores:
        if score.measure == measure and score.value is not None and score.system and score.dialogue_id:
            side = own if score.level == "dialogue" else of_replies if score.level == "utterance" else None
            if side is not None:
                side.setdefault((score.system, score.dialogue_id), []).append(score.value)
    for system, dialogue, _, value in units.dialogue_values(measures=[measure]):
        own.setdefault((system, dialogue), []).append(value)
    return {key: (sum(found), float(len(found))) for key, found in of_replies.items()} | {
        key: (sum(found) / len(found), 1.0) for key, found in own.items()
    }


def _worst(dialogue: Dialogue, blame: Blame | None, value: tuple[float, float] | None) -> WorstDialogue:
    waits = [wait for wait in map(wait_of, dialogue.utterances) if wait is not None]
    return WorstDialogue(
        system=dialogue.system or "",
        dialogue=dialogue.id,
        blame=blame,
        value=None if value is None else value[0] / value[1],
        failed_calls=sum(call.error is not None for call in calls_of(dialogue) or ()),
        latency_s=max(waits, default=None),
    )


def _badness(each: WorstDialogue, sign: float) -> tuple[bool, bool, float, int, float, str, str]:
    """Failed ones first, then by their value, failed calls and wait; those without a value last."""
    value = 0.0 if each.value is None else sign * each.value
    return (
        each.blame is None,
        each.value is None,
        value,
        -each.failed_calls,
        -(each.latency_s or 0.0),
        each.system,
        each.dialogue,
    )


def _is_open(league: League, harm: float | Reason, versions: int) -> bool:
    """Whether versions may be compared on parts of the dialogues."""
    return isinstance(harm, float) if versions == 2 else league.validity is not Validity.BLOCKED


def natural_key(name: str) -> list[tuple[bool, int, str]]:
    """Key by which v9 comes before v10.

    >>> sorted(["v10", "v9", "beta"], key=natural_key)
    ['beta', 'v9', 'v10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name.casefold())
    return [(part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts] + [(False, 0, name)]


def _question(league: League, versions: Sequence[str], findings: Findings, permutations: int) -> Question:
    bounds = league.measure.bounds
    ends = (None, None) if bounds is None else (bounds.low, bounds.high)
    return Question(
        pairs=pairs_of(versions),
        is_share=league.measure.is_share,
        higher_is_better=league.measure.better != "lower",
        scale=ends,
        seed=findings.manifest.seed or 0,
        permutations=permutations,
        alpha=findings.alpha,
    )


def _harm(league: League | None, contrast: Contrast | None) -> float | Reason:
    """Probability that the new version is worse, from the two-sided p-value of its difference, under a flat prior."""
    if league is None or contrast is None:
        return Reason.of(ReasonCode.NOT_TWO_VERSIONS)
    if Validity.BLOCKED in (league.validity, contrast.validity):
        return Reason.of(ReasonCode.VERDICT_WITHHELD)
    difference = contrast.difference
    if difference.value is None or difference.p is None or difference.interval is None:
        return difference.why or Reason.of(ReasonCode.NOT_TWO_VERSIONS)
    gain = -difference.value if league.measure.better == "lower" else difference.value
    return difference.p / 2 if gain > 0 else 1 - difference.p / 2


def _measures(
    leagues: Sequence[League], tallies: Mapping[str, _Tally], old: str | None, new: str | None
) -> Iterator[LogMeasure]:
    """People's questions and outcomes, failures, waits, costs and calls."""
    judged = [each for each in leagues if each.measure.basis in OF_SLICES]
    yield from (_of_league(each, old, new) for each in judged)
    failed = {
        system: estimate_of_sums(cluster_sums(each.failed, each.clusters), ratio, is_share=True)
        for system, each in tallies.items()
    }
    yield LogMeasure(title="Failed, by any sign", unit="share", values=failed)
    for title, share in QUANTILES.items():
        if any(each.waits for each in tallies.values()):
            waits = {system: quantile_of(each.waits, each.waiting, share) for system, each in tallies.items()}
            replies = {system: each.replies for system, each in tallies.items()}
            yield LogMeasure(title=title, unit="s", values=waits, units=replies)
    dialogues = {system: each.dialogues for system, each in tallies.items()}
    satisfying = {system: each.judged for system, each in tallies.items()}
    by_metric = {name: [each for each in leagues if each.measure.measured.metric == name] for name in MEASURES}
    for league in chain.from_iterable(by_metric.values()):
        variant = league.measure.measured.variant
        units = dialogues if variant in OF_ALL else satisfying if variant == "per_satisfied" else {}
        yield _of_league(league, old, new).model_copy(update={"units": units})


def _of_league(league: League, old: str | None, new: str | None) -> LogMeasure:
    contrast = None if old is None or new is None else league.contrast_of(new, old)
    return LogMeasure(
        title=league.measure.title,
        unit=league.measure.unit,
        values={each.system: each.estimate for each in league.standings},
        difference=None if contrast is None else contrast.difference,
        measure=league.measure.name,
    )


def _blames(tallies: Mapping[str, _Tally]) -> Iterator[BlameCount]:
    """Failed dialogues by party and rule, in the order of the rules."""
    known = {blame for each in tallies.values() for blame in each.blames}
    for blame in sorted(known, key=lambda each: list(BlameRule).index(each.rule)):
        yield BlameCount(blame=blame, dialogues={system: each.blames[blame] for system, each in tallies.items()})
