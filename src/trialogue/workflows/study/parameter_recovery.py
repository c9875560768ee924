"""Validate a study's analysis with scripted participants whose effects are known: simulate, export, report, compare."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.findings.people import StudyFindings
from trialogue.records import Estimate, Record
from trialogue.study.bots.outcome import SimulatedStudy
from trialogue.study.bots.simulation import simulate_study
from trialogue.study.design.items import HUMAN, SIMULATED
from trialogue.workflows.pipeline import report
from trialogue.workflows.study.report import study_findings

EXPORT, REPORT = "export", "report"


class KnownPair(Record):
    """True and estimated difference of two systems."""

    a: str
    """The better one, as is known."""
    b: str
    known: float
    """Difference of their effects, in logits."""
    found: float | None
    """Log-odds of a higher rating of a, by the ordinal model; None: it has no fit, or the study has no ratings."""
    interval: tuple[float, float] | None = None
    """Interval of the estimate."""
    verdict: str = "undefined"
    """``right``, ``wrong`` (the other one is called better), ``inconclusive`` or ``undefined``."""

    @property
    def is_covered(self) -> bool | None:
        """Whether the interval covers the true difference; None without one."""
        return None if self.interval is None else self.interval[0] <= self.known <= self.interval[1]


class Recovery(Record):
    """A simulated study, and how well its analysis recovered the true effects."""

    simulated: SimulatedStudy
    pairs: tuple[KnownPair, ...]
    """Every two systems of different effects."""
    report: str
    """Its page."""

    @property
    def wrong(self) -> list[KnownPair]:
        """Pairs for which the analysis finds the wrong direction."""
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
        workers: how many participants come.
        effects: utility by system, in logits; None: evenly spaced.
        seed: of everything random.
        drop_out: share of participants that is gone at some page.
        careless: share that answers at random.
        straight: share that always takes the first point.
        obedient: share that answers at random, and passes checks.
        progress: called with a line now and then.

    Raises:
        DataError: a study that cannot be read.
        UsageError: options that make no sense, or ``out`` has something in it.
    """
    room = Path(out)
    if room.exists() and (not room.is_dir() or any(room.iterdir())):
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
        export=room / EXPORT,
        progress=progress,
    )
    findings = study_findings(room / EXPORT, seed=seed, progress=progress)
    page = report(findings, room / REPORT)
    return Recovery(simulated=simulated, pairs=compare_with_truth(findings, simulated.effects), report=str(page))


def compare_with_truth(findings: StudyFindings, effects: Mapping[str, float]) -> tuple[KnownPair, ...]:
    """Findings on every pair with different true effects, largest difference first."""
    verdicts = _rating_verdicts(findings) or _choice_verdicts(findings)
    systems = sorted(effects, key=lambda name: (-effects[name], name))
    found = []
    for place, a in enumerate(systems):
        for b in systems[place + 1 :]:
            if effects[a] > effects[b]:
                found.append(_pair(a, b, effects[a] - effects[b], verdicts))
    return tuple(sorted(found, key=lambda pair: -pair.known))


Said = Mapping[tuple[str, str], tuple[str, Estimate | None]]


def _rating_verdicts(findings: StudyFindings) -> Said:
    """By pair: the verdict of the first criterion, and odds of a higher rating of the first system."""
    pairs = findings.ratings[0].pairs if findings.ratings else ()
    return {(pair.a, pair.b): (pair.verdict, pair.odds_ratio) for pair in pairs}


def _choice_verdicts(findings: StudyFindings) -> Said:
    """By pair: the verdict. In a study of realism, the simulated user is the side ``simulated``."""
    pairs = findings.choices.pairs if findings.choices else ()
    realism = findings.choices is not None and findings.choices.task == "realism"
    return {
        (SIMULATED if realism and pair.a != HUMAN else pair.a, pair.b): (pair.verdict, None)
        for pair in pairs
        if not pair.group
    }


def _pair(a: str, b: str, known: float, said: Said) -> KnownPair:
    if (a, b) in said:
        verdict, odds = said[a, b]
        better, sign = "a", 1.0
    elif (b, a) in said:
        verdict, odds = said[b, a]
        better, sign = "b", -1.0
    else:
        return KnownPair(a=a, b=b, known=known, found=None)
    words = verdict if verdict in ("inconclusive", "undefined") else ("right" if verdict == better else "wrong")
    found = None if odds is None or not odds.value else sign * math.log(odds.value)
    interval = None
    if odds is not None and odds.interval is not None and odds.interval.low > 0:
        low, high = sorted(sign * math.log(end) for end in (odds.interval.low, odds.interval.high))
        interval = (low, high)
    return KnownPair(a=a, b=b, known=known, found=found, interval=interval, verdict=words)
