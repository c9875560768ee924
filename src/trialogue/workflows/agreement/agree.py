"""Agree: which measure agrees with people, from what ``evaluate`` left in a folder."""

import fnmatch
from collections.abc import Callable, Sequence
from pathlib import Path

from trialogue.errors import DataError, Problem, TrialogueError, UsageError
from trialogue.findings import Findings, Measure
from trialogue.findings.agreement.agreement import Plan, agreement
from trialogue.findings.agreement.preference_agreement import Margin
from trialogue.findings.agreement.records import AgreementFindings
from trialogue.findings.people.methods import not_people
from trialogue.findings.resampling import Resampling
from trialogue.metrics import get_metric
from trialogue.records import Manifest, MeasureName, Preference, Score, read_records, sha256_of
from trialogue.records.files.manifest import versions_of
from trialogue.records.kinds.origins import kinds_of, named_raters, with_raters
from trialogue.report.evaluation.write import read_findings
from trialogue.workflows.evaluation import PACKAGES, Progress
from trialogue.workflows.pipeline.default_metrics import FLOORS
from trialogue.workflows.pipeline.domains import domain_lines
from trialogue.workflows.pipeline.training_data import training_lines

SCORES, PREFERENCES = "scores.jsonl", "preferences.jsonl"


def agree(
    folder: Path | str,
    *,
    groups: Sequence[str] = (),
    margin: Margin = "matched",
    seed: int = 0,
    resamples: int = 2_000,
    confidence: float = 0.95,
    title: str | None = None,
    progress: Progress | None = None,
) -> AgreementFindings:
    """How far every measure of a run agrees with the people whose ratings and votes are in it.

    Args:
        folder: what ``trialogue evaluate`` wrote.
        groups: ``NAME=PATTERN``, such as ``"redial=*_redial"``: systems of one dataset, also shown apart.
        margin: which differences are ties in preference agreement: ``"matched"``, or a number.
        seed: of everything random.
        resamples: of people or dialogues.
        confidence: of the intervals.
        title: heading of the page.
        progress: called with a line now and then.

    Raises:
        DataError: there are no scores, none of people, or none of measures; every mistake at once.
        UsageError: an option that makes no sense.
    """
    folder, tell = Path(folder), progress or (lambda _line: None)
    how = checked_resampling(seed, resamples, confidence)
    group_of = grouping(groups)
    tell(f"reading {folder}")
    scores, preferences = read_run_folder(folder)
    evaluated = _evaluated(folder)
    shown = {league.measure.name: league.measure for league in evaluated.leagues} if evaluated else {}
    measures = {**_from_cards(scores), **shown}
    files = [path for name in (SCORES, PREFERENCES) if (path := folder / name).is_file()]
    manifest = Manifest(
        command="agree",
        config={"groups": list(groups), "margin": margin, "resamples": resamples, "confidence": confidence},
        seed=seed,
        inputs={path.name: sha256_of(path) for path in files},
        versions=versions_of(*PACKAGES),
    )
    tell(f"{len(scores):,} scores, {len(preferences):,} votes")
    raters = kinds_of(
        [*(score.raters for score in scores if score.rater is not None), *(vote.raters for vote in preferences)]
    )
    found = agreement(
        scores,
        preferences,
        title=title or f"Agreement with {named_raters(raters)}: {folder.resolve().name}",
        data=with_raters(_data(folder, evaluated), raters),
        manifest=manifest,
        plan=Plan(measures=measures, floors=floor_names(), group_of=group_of, margin=margin, how=how),
    )
    exposures = evaluated.training_data if evaluated else ()
    used = [fit for fit in evaluated.domains if fit.is_measured] if evaluated else []
    warnings = (*not_people(found.all_raters), *domain_lines(used), *training_lines(exposures), *found.warnings)
    found = found.model_copy(update={"training_data": exposures, "warnings": warnings})
    missing = [name for name in floor_names() if name not in found.floors]
    if not missing:
        return found
    advice = (
        f"No floor to hold against: {', '.join(missing)} not among the scores. Evaluate again with -m "
        + " -m ".join(f"'{MeasureName(name).short}'" for name in missing)
    )
    return found.model_copy(update={"warnings": (*found.warnings, advice)})


def floor_names() -> tuple[str, ...]:
    """Full names of the measures that cost nothing: length and distinct bigrams per reply."""
    return tuple(get_metric(name).measure for name in FLOORS)


def checked_resampling(seed: int, resamples: int, confidence: float) -> Resampling:
    """The setting of all intervals.

    Raises:
        UsageError: with every impossible value.
    """
    mistakes = []
    if resamples < 1:
        mistakes.append(f"resamples must be a whole number of at least 1, got {resamples!r}.")
    if not 0 < confidence < 1:
        mistakes.append(f"confidence must be between 0 and 1, got {confidence!r}.")
    if mistakes:
        raise UsageError("\n".join(mistakes))
    return Resampling(seed, resamples, confidence)


def grouping(groups: Sequence[str]) -> Callable[[str], str] | None:
    """The group of a system, from ``NAME=PATTERN``; the first that fits, "" if none does.

    >>> grouping(["redial=*_redial"])("kbrd_redial")
    'redial'

    Raises:
        UsageError: with every text of another shape.
    """
    pairs = [given.partition("=") for given in groups]
    wrong = [given for given, (name, _, pattern) in zip(groups, pairs, strict=True) if not name or not pattern]
    if wrong:
        raise UsageError(f"a group is NAME=PATTERN, such as redial='*_redial'; got {', '.join(map(repr, wrong))}.")
    if not groups:
        return None
    return lambda system: next((name for name, _, pattern in pairs if fnmatch.fnmatchcase(system, pattern)), "")


def read_run_folder(folder: Path) -> tuple[list[Score], list[Preference]]:
    """Scores and votes of a run.

    Raises:
        DataError: no run is there, or its scores cannot be compared.
    """
    path = folder / SCORES
    if not path.is_file():
        hint = f"Make them first: trialogue evaluate DATA --out {folder}"
        raise DataError(Problem(f"there is no {SCORES} here.", file=str(folder), hint=hint))
    held = list(read_records(path, Score, Preference))
    scores = [record for record in held if isinstance(record, Score)]
    votes = [record for record in held if isinstance(record, Preference)]
    beside = folder / PREFERENCES
    if beside.is_file():
        votes += read_records(beside, Preference)
    _check(path, scores, votes)
    return scores, votes


def _check(path: Path, scores: Sequence[Score], votes: Sequence[Preference]) -> None:
    units = [score for score in scores if score.level in ("utterance", "response", "dialogue")]
    problems = []
    if not any(score.rater for score in units) and not votes:
        hint = "Agreement needs people's ratings or votes in the data that were evaluated."
        problems.append(Problem("there is no score of a person in it.", file=str(path), hint=hint))
    if not any(score.rater is None for score in units):
        hint = "Evaluate again with a metric (-m), or without -m for all that fit."
        problems.append(
            Problem("there is no score of a metric for single dialogues or replies.", file=str(path), hint=hint)
        )
    if problems:
        raise DataError(problems)


def _evaluated(folder: Path) -> Findings | None:
    """What the run found; None where it holds scores alone."""
    try:
        return read_findings(folder)
    except DataError:
        return None


def _from_cards(scores: Sequence[Score]) -> dict[str, Measure]:
    """Titles and directions of metrics that are installed here, such as floors that the run measured but does not show."""
    found: dict[str, Measure] = {}
    for name in sorted({score.measure for score in scores if score.rater is None}):
        try:
            metric = get_metric(name)
        except TrialogueError:  # somebody else's metric, or one with an extra that is not here
            continue
        if metric.measure == name:
            card = metric.card
            found[name] = Measure(
                name=name, title=card.title, by="metric", better=card.better, unit=card.unit, card=card
            )
    return found


def _data(folder: Path, evaluated: Findings | None) -> str:
    """Whose answers a run holds, in words."""
    inputs = evaluated.manifest.config.get("inputs") if evaluated else None
    names = ", ".join(str(name) for name in inputs) if isinstance(inputs, list) else ""
    return names or folder.resolve().name
