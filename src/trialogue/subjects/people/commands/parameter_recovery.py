"""Parameter recovery of a study's analysis: scripted participants of known effects take part, the study is exported and
analysed, and the estimated differences of the systems are compared with the true ones."""

import math
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Literal, TypeAlias

from trialogue.errors import UsageError
from trialogue.findings.standings import Verdict
from trialogue.records import Estimate, Record
from trialogue.study.bots.simulation import SimulatedStudy, simulate_study
from trialogue.study.design.items import HUMAN, SIMULATED
from trialogue.subjects.people import StudyFindings
from trialogue.subjects.people.commands.report import study_findings
from trialogue.subjects.people.pages.document import write_study_report

EXPORT, REPORT = "export", "report"

Outcome: TypeAlias = Literal["right", "wrong", "inconclusive", "undefined"]
"""Whether a verdict names the better system, the other one, or neither; undefined if the analysis has none."""
VerdictByPair: TypeAlias = Mapping[tuple[str, str], tuple[Verdict, Estimate | None]]
"""By pair of systems: which one the analysis calls better, and the odds of a higher rating of the first."""


class KnownPair(Record):
    """True and estimated difference of two systems."""

    a: str
    """The one that is truly better."""
    b: str
    """The one that is truly worse."""
    known: float
    """True difference of their effects, in logits."""
    found: float | None
    """Estimated difference: log-odds of a higher rating of a, by the ordinal model; None: it has no fit, or the study has no
    ratings."""
    interval: tuple[float, float] | None = None
    """95% interval of the estimate, in logits."""
    verdict: Outcome = "undefined"
    """What the analysis says of the pair."""

    @property
    def is_covered(self) -> bool | None:
        """Whether the interval covers the true difference; None without one."""
        return None if self.interval is None else self.interval[0] <= self.known <= self.interval[1]


class Recovery(Record):
    """A simulated study, and how well its analysis recovered the true effects."""

    simulated: SimulatedStudy
    pairs: tuple[KnownPair, ...]
    """Every pair of systems with different effects."""
    report: str
    """Path of the report's page."""

    @property
    def wrong(self) -> list[KnownPair]:
        """Pairs of which the analysis calls the other one better."""
        return [pair for pair in self.pairs if pair.verdict == "wrong"]


def simulate_and_analyse(
    folder: Path | str,
    out: Path | str,
    *,
    workers: int,
    effects: Mapping[str, float] | None = None,
    seed: int = 0,
    drop_out: float = 0.1,
    careless: float = 0.1,
    straight: float = 0.0,
    obedient: float = 0.0,
    progress: Callable[[str], None] = lambda line: None,
) -> Recovery:
    """Run a study with scripted participants, export and analyse it, and compare the findings with the true effects.

    Args:
        folder: study folder; neither its database nor its exports are touched.
        out: new or empty folder; gets ``export/`` and ``report/``.
        workers: number of participants.
        effects: utility by system, in logits; None: evenly spaced.
        seed: random seed.
        drop_out: share of participants that leave at some page.
        careless: share that answer at random.
        straight: share that always choose the first point of a scale.
        obedient: share that answer at random, but pass attention checks.
        progress: called with a line now and then.

    Raises:
        DataError: a study that cannot be read.
        UsageError: options that make no sense, or ``out`` has something in it.
    """
    out_folder = Path(out)
    if out_folder.exists() and (not out_folder.is_dir() or any(out_folder.iterdir())):
        raise UsageError(f"{out} exists already; give a new or empty folder.")
    simulated = simulate_study(
        folder,
        workers=workers,
        effects=effects,
        seed=seed,
        drop_out=drop_out,
        careless=careless,
        straight=straight,
        obedient=obedient,
        export=out_folder / EXPORT,
        progress=progress,
    )
    findings = study_findings(out_folder / EXPORT, seed=seed, models=True, progress=progress)
    page = write_study_report(findings, out_folder / REPORT)
    return Recovery(simulated=simulated, pairs=compare_with_truth(findings, simulated.effects), report=str(page))


def compare_with_truth(findings: StudyFindings, effects: Mapping[str, float]) -> tuple[KnownPair, ...]:
    """Findings on every pair with different true effects, largest difference first."""
    verdicts = _rating_verdicts(findings) or _choice_verdicts(findings)
    from_best = sorted(effects, key=lambda name: (-effects[name], name))
    pairs = [
        _known_pair(a, b, effects[a] - effects[b], verdicts)
        for a, b in combinations(from_best, 2)
        if effects[a] > effects[b]
    ]
    return tuple(sorted(pairs, key=lambda pair: -pair.known))


def _rating_verdicts(findings: StudyFindings) -> VerdictByPair:
    """Of the first criterion."""
    first = findings.ratings[0] if findings.ratings else None
    if first is None or first.league is None:
        return {}
    odds = {(each.a, each.b): each.odds_ratio for each in first.model.pairs} if first.model is not None else {}
    flipped = {(b, a): _invert(each) for (a, b), each in odds.items()}
    return {(pair.a, pair.b): (pair.verdict, (odds | flipped).get((pair.a, pair.b))) for pair in first.league.contrasts}


def _invert(odds: Estimate) -> Estimate:
    """The odds of the other one."""
    if not odds.value:
        return odds
    ends = odds.interval
    turned = None if ends is None else ends.model_copy(update={"low": 1 / ends.high, "high": 1 / ends.low})
    return odds.model_copy(update={"value": 1 / odds.value, "interval": turned})


def _choice_verdicts(findings: StudyFindings) -> VerdictByPair:
    """Of a study of choices, without odds. In a study of realism, the simulated user is the side ``simulated``."""
    pairs = findings.choices.pairs if findings.choices else ()
    realism = findings.choices is not None and findings.choices.task == "realism"
    return {
        (SIMULATED if realism and pair.a != HUMAN else pair.a, pair.b): (pair.verdict, None)
        for pair in pairs
        if not pair.group
    }


def _known_pair(a: str, b: str, known: float, verdicts: VerdictByPair) -> KnownPair:
    """The pair with the system that is truly better first; the findings may name it second."""
    better: Verdict
    if (a, b) in verdicts:
        verdict, odds = verdicts[a, b]
        better, sign = "a", 1.0
    elif (b, a) in verdicts:
        verdict, odds = verdicts[b, a]
        better, sign = "b", -1.0
    else:
        return KnownPair(a=a, b=b, known=known, found=None)
    decided: Outcome = "right" if verdict == better else "wrong"
    outcome = verdict if verdict == "inconclusive" or verdict == "undefined" else decided
    estimated = None if odds is None or not odds.value else sign * math.log(odds.value)
    interval = None
    if odds is not None and odds.interval is not None and odds.interval.low > 0:
        low, high = sorted(sign * math.log(end) for end in (odds.interval.low, odds.interval.high))
        interval = (low, high)
    return KnownPair(a=a, b=b, known=known, found=estimated, interval=interval, verdict=outcome)
