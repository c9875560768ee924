"""Measure which metrics of a finished run agree with people."""

import fnmatch
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trialogue.analysis.calls import arguments_of, manifest_of
from trialogue.analysis.default_metrics import BASELINES
from trialogue.analysis.domains import domain_lines
from trialogue.analysis.saved_results import SCORES, Storable, StoredRun, read_run
from trialogue.analysis.training_data import training_lines
from trialogue.errors import DataError, Problem, TrialogueError, UsageError
from trialogue.findings import Measure
from trialogue.findings.resampling import Resampling
from trialogue.findings.wording import not_people
from trialogue.long_work import Progress
from trialogue.metrics import get_metric
from trialogue.options import Confidence, Resamples, Seed, TieMargin
from trialogue.records import JsonValue, MeasureName, Score
from trialogue.records.kinds.origins import kinds_of, named_raters, with_raters
from trialogue.subjects.agreement.agreement import Plan, agreement
from trialogue.subjects.agreement.records import AgreementFindings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from trialogue.render.exports import Form


class Agreement(AgreementFindings):
    """Agreement of measures with people, with tables and figures."""

    def table(self, form: "Form" = "frame") -> Any:
        """All coefficients, one per row, as in ``agreement.csv``.

        A data frame (pandas, polars, else records), records, LaTeX or Markdown.

        Raises:
            UsageError: no such form.
        """
        from trialogue.render.exports import export_rows
        from trialogue.subjects.agreement.pages.tables import numbers_table

        return export_rows(numbers_table(self).tidy(), form)

    def to_markdown(self) -> str:
        """All coefficients, in Markdown."""
        return str(self.table("markdown"))

    def figure(self, place: int = 0) -> "Figure":
        """A figure of the page, as a matplotlib figure: one per question, then one for preferences.

        Raises:
            UsageError: there is none at this place.
        """
        from trialogue.subjects.agreement.pages.figure import agreement_figures

        drawn = agreement_figures(self)
        if not 0 <= place < len(drawn):
            raise UsageError(f"there is no figure {place}; figures are numbered 0 to {len(drawn) - 1}.")
        return drawn[place].matplotlib()

    def _repr_html_(self) -> str:
        """The answer and the coefficients, in a notebook."""
        from trialogue.render.exports import rows_html
        from trialogue.subjects.agreement.pages.tables import numbers_table

        return rows_html(self.title, self.answer, numbers_table(self).tidy())


def agree(
    run: Path | str | Storable,
    *,
    groups: Sequence[str] = (),
    tie_margin: TieMargin = "matched",
    seed: Seed = 0,
    resamples: Resamples = 2_000,
    confidence: Confidence = 0.95,
    title: str | None = None,
    progress: Progress | None = None,
) -> Agreement:
    """Measure the agreement of every measure of a run with the ratings and votes in it.

    Args:
        run: a run in memory, or a folder that ``trialogue evaluate`` wrote.
        groups: report the systems of one dataset separately, as NAME=PATTERN, such as redial=*_redial.
        tie_margin: which differences are ties in preference agreement: ``"matched"``, or a number.
        seed: random seed.
        resamples: number of resamples of people or dialogues.
        confidence: confidence level of the intervals.
        title: heading of the page.
        progress: called with progress lines.

    Raises:
        DataError: there are no scores, none of people, or none of measures; every mistake at once.
        UsageError: an option that makes no sense.
    """
    call = arguments_of(agree, locals())
    tell = progress or (lambda _line: None)
    how = Resampling(seed, resamples, confidence)
    group_of = parse_grouping(groups)
    stored = _read(Path(run), tell) if isinstance(run, str | Path) else run.to_stored()
    scores, preferences, evaluated = stored.scores, stored.preferences, stored.findings
    _check(stored, str(Path(run) / SCORES) if isinstance(run, str | Path) else "")
    shown = {league.measure.name: league.measure for league in evaluated.leagues} if evaluated else {}
    measures = {**_measures_of_cards(scores), **shown}
    config: dict[str, JsonValue] = {
        "groups": [*groups],
        "tie_margin": tie_margin,
        "resamples": resamples,
        "confidence": confidence,
    }
    manifest = manifest_of("agree", call, config=config, inputs=stored.inputs, seed=seed)
    tell(f"{len(scores):,} scores, {len(preferences):,} votes")
    raters = kinds_of(
        [*(score.raters for score in scores if score.rater is not None), *(vote.raters for vote in preferences)]
    )
    found = agreement(
        scores,
        preferences,
        title=title or f"Agreement with {named_raters(raters)}: {stored.name}",
        data=with_raters(_data(stored), raters),
        manifest=manifest,
        plan=Plan(measures=measures, baselines=baseline_names(), group_of=group_of, margin=tie_margin, resampling=how),
    )
    exposures = evaluated.training_data if evaluated else ()
    used = [fit for fit in evaluated.domains if fit.is_measured] if evaluated else []
    warnings = (*not_people(found.all_raters), *domain_lines(used), *training_lines(exposures), *found.warnings)
    found = found.model_copy(update={"training_data": exposures, "warnings": warnings})
    missing = [name for name in baseline_names() if name not in found.baselines]
    if not missing:
        return _with_tables(found)
    advice = f"The scores lack baselines to compare with: {', '.join(missing)}. Evaluate again with -m " + " -m ".join(
        f"'{MeasureName(name).short}'" for name in missing
    )
    return _with_tables(found.model_copy(update={"warnings": (*found.warnings, advice)}))


def _with_tables(found: AgreementFindings) -> Agreement:
    """The same findings, with tables and figures."""
    return Agreement.model_construct(**{name: getattr(found, name) for name in AgreementFindings.model_fields})


def baseline_names() -> tuple[str, ...]:
    """Full names of the trivial baselines: length and distinct bigrams per reply."""
    return tuple(get_metric(name).measure for name in BASELINES)


def parse_grouping(groups: Sequence[str]) -> Callable[[str], str] | None:
    """Group of a system by ``NAME=PATTERN``; the first match, "" without one.

    >>> parse_grouping(["redial=*_redial"])("kbrd_redial")
    'redial'

    Raises:
        UsageError: with every text of another shape.
    """
    pairs = [given.partition("=") for given in groups]
    wrong = [given for given, (name, _, pattern) in zip(groups, pairs, strict=True) if not name or not pattern]
    if wrong:
        raise UsageError(
            f"a group must have the form NAME=PATTERN, such as redial='*_redial'; got {', '.join(map(repr, wrong))}."
        )
    if not groups:
        return None
    return lambda system: next((name for name, _, pattern in pairs if fnmatch.fnmatchcase(system, pattern)), "")


def _read(folder: Path, tell: Progress) -> StoredRun:
    tell(f"reading {folder}")
    return read_run(folder)


def _check(run: StoredRun, file: str) -> None:
    """Refuse a run without people's answers or without measures; ``file``: path of its scores."""
    scores, votes = run.scores, run.preferences
    units = [score for score in scores if score.level in ("utterance", "response", "dialogue")]
    problems = []
    if not any(score.rater for score in units) and not votes:
        hint = "Agreement needs human ratings or votes in the evaluated data."
        problems.append(Problem("it contains no score by a person.", file=file, hint=hint))
    if not any(score.rater is None for score in units):
        hint = "Evaluate again with a metric (-m NAME), or without -m to compute the default metrics."
        problems.append(Problem("it contains no metric scores of single dialogues or replies.", file=file, hint=hint))
    if problems:
        raise DataError(problems)


def _measures_of_cards(scores: Sequence[Score]) -> dict[str, Measure]:
    """Titles and directions of metrics that are installed here, such as baselines that a run measures and does not show."""
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


def _data(run: StoredRun) -> str:
    """Whose answers a run holds, in words."""
    inputs = run.findings.manifest.config.get("inputs") if run.findings else None
    names = ", ".join(str(name) for name in inputs) if isinstance(inputs, list) else ""
    return names or run.name
