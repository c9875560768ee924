"""``trialogue study report``: the report of a human study, from its export.

An export's files and columns are specified in ``docs/design/study-export.md``. In short: ``scores.jsonl``
(``Score`` records with rater), ``preferences.jsonl`` (``Preference`` records), ``labels.csv``; and next to them
``participants.csv`` (or ``.jsonl``: participant, state, reached, reason, flags, started_at, finished_at),
``presentations.csv`` (position and seconds of what was shown), ``codes.csv``, ``study.json`` (title, scales, planned rules).
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from trialogue.analysis import Choice
from trialogue.analysis.calls import arguments_of, manifest_of
from trialogue.errors import UsageError
from trialogue.findings import Findings
from trialogue.inputs.inputs import InputRecords
from trialogue.inputs.study_answers import DeclaredStudy
from trialogue.inputs.study_data import StudyData
from trialogue.inputs.study_files import read_export
from trialogue.options import Alpha, Seed
from trialogue.records import Manifest, MeasureName
from trialogue.subjects.evaluation.commands.evaluate import conclude_records, estimate_records
from trialogue.subjects.people import StudyFindings, conclude_study, infer_study
from trialogue.subjects.people.pages.document import write_study_report


def study_findings(
    export: Path | str | Sequence[Path | str],
    *,
    title: str | None = None,
    seed: Seed = 0,
    alpha: Alpha = 0.05,
    models: bool = False,
    progress: Callable[[str], None] | None = None,
) -> StudyFindings:
    """Analyse a study's export.

    Args:
        export: the folder of an export, or its files one by one.
        title: heading of the report; None: the title of the study.
        seed: random seed; the same seed gives the same findings.
        alpha: significance level, after correction.
        models: whether to fit ordinal mixed models of the ratings, too, for papers that report them; no conclusion is
            based on them.
        progress: called with progress lines.

    Raises:
        DataError: files that cannot be read, with all problems in them.
        UsageError: an option out of range.
    """
    call = arguments_of(study_findings, locals())
    if not 0 < alpha < 1:
        raise UsageError(f"alpha must lie between 0 and 1, got {alpha}. The default is 0.05.")
    if seed < 0:
        raise UsageError(f"the seed must not be negative, got {seed}.")
    data, hashes = read_export(export)
    manifest = manifest_of("study report", call, config={"alpha": alpha}, inputs=hashes, seed=seed)
    findings = analyse(data, manifest=manifest, seed=seed, alpha=alpha, models=models, progress=progress)
    return findings if title is None else findings.model_copy(update={"title": title})


def analyse(
    data: StudyData,
    *,
    manifest: Manifest,
    seed: int = 0,
    alpha: float = 0.05,
    models: bool = False,
    progress: Callable[[str], None] | None = None,
) -> StudyFindings:
    """Analyse a study's data; its ratings as ``evaluate`` does, which makes the decision.

    Args:
        data: what was collected.
        manifest: how the findings are made.
        seed: random seed.
        alpha: significance level, after correction.
        models: whether to fit ordinal mixed models, too.
        progress: called with progress lines.
    """

    def evaluate_ratings(raters: frozenset[str] | None) -> Findings | None:
        counted = data.countable_people if raters is None else raters
        scores = [each for each in data.system_ratings if counted is None or each.rater in counted]
        if not any(each.value is not None for each in scores):
            return None
        primary = None if data.primary is None else DeclaredStudy(MeasureName(data.primary), data.study_hash)
        talks = [each for each in data.dialogues if counted is None or each.user in counted]
        material = InputRecords(dialogues=talks, scores=scores, study=primary)
        inferred = estimate_records(material, Choice(()), seed=seed, alpha=alpha, command="study report")
        return conclude_records(inferred).findings

    inferred = infer_study(data, evaluate_ratings, seed=seed, alpha=alpha, models=models, progress=progress)
    return conclude_study(inferred, manifest=manifest)


def study_report(
    export: Path | str | Sequence[Path | str],
    out: Path | str,
    *,
    title: str | None = None,
    seed: Seed = 0,
    alpha: Alpha = 0.05,
    models: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Path:
    """Analyse a study's export and write its report; returns the path of ``report.html``.

    Next to the page: ``findings.json`` (everything on it), ``pairs.csv``, ``systems.csv``, ``agreement.csv``,
    ``sensitivity.csv``, ``methods.txt`` and ``figures/``. The same export, seed and versions give the same bytes.

    Args:
        export: the folder of an export, or its files one by one.
        out: folder for the report.
        title: heading of the report; None: the title of the study.
        seed: random seed.
        alpha: significance level, after correction.
        models: also fit ordinal mixed models, for a paper; verdicts do not use them.
        progress: called with progress lines.

    Raises:
        DataError: files that cannot be read, with all problems in them.
        UsageError: an option out of range, or a folder that cannot be written.
    """
    findings = study_findings(export, title=title, seed=seed, alpha=alpha, models=models, progress=progress)
    return write_study_report(findings, Path(out))
