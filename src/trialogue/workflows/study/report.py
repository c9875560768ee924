"""``trialogue study report``: the report of a human study, from its export.

An export's files and columns are specified in ``docs/design/study-export.md``. In short: ``scores.jsonl``
(``Score`` records with rater), ``preferences.jsonl`` (``Preference`` records), ``labels.csv``; and next to them
``participants.csv`` (or ``.jsonl``: participant, state, reached, reason, flags, started_at, finished_at),
``presentations.csv`` (position and seconds of what was shown), ``codes.csv``, ``study.json`` (title, scales, planned rules).
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.findings.people import StudyFindings, conclude_study, infer_study
from trialogue.workflows.inputs.study_files import read_export
from trialogue.workflows.pipeline import report
from trialogue.workflows.rerun.calls import arguments_of, manifest_of


def study_findings(
    export: Path | str | Sequence[Path | str],
    *,
    title: str | None = None,
    seed: int = 0,
    alpha: float = 0.05,
    progress: Callable[[str], None] | None = None,
) -> StudyFindings:
    """Analyse a study's export.

    Args:
        export: the folder of an export, or its files one by one.
        title: heading of the report; None: the title of the study.
        seed: random seed; the same seed gives the same findings.
        alpha: significance level, after correction.
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
    inferred = infer_study(data, seed=seed, alpha=alpha, progress=progress)
    findings = conclude_study(inferred, manifest=manifest)
    return findings if title is None else findings.model_copy(update={"title": title})


def study_report(
    export: Path | str | Sequence[Path | str],
    out: Path | str,
    *,
    title: str | None = None,
    seed: int = 0,
    alpha: float = 0.05,
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
        progress: called with progress lines.

    Raises:
        DataError: files that cannot be read, with all problems in them.
        UsageError: an option out of range, or a folder that cannot be written.
    """
    findings = study_findings(export, title=title, seed=seed, alpha=alpha, progress=progress)
    return report(findings, out)
