"""Evaluate a metric on CRSArena-Eval in the benchmark's own form, plus what that omits: n, coverage, intervals, baselines.

The official evaluator gives Pearson's and Spearman's correlation per dataset and aspect, pooled over systems, and silently
skips missing predictions. The two are kept apart here: ``official`` is its table, number by number; the findings
hold the rest.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trialogue.analysis.calls import arguments_of, manifest_of
from trialogue.analysis.default_metrics import BASELINES
from trialogue.datasets import get_corpus
from trialogue.datasets.base import Head
from trialogue.datasets.crsarena.evaluation import FORMAT, read_labels, read_run, write_run
from trialogue.datasets.store import locate
from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.findings import Measure
from trialogue.findings.resampling import Resampling
from trialogue.long_work import Progress
from trialogue.metrics import AnyMetric, conversations_of, get_metrics, measure
from trialogue.records import Dialogue, Record, Score, read_records, sha256_of
from trialogue.records.files.jsonl import Note, warn
from trialogue.records.files.opening import write_text
from trialogue.records.runs import run_draft
from trialogue.subjects.agreement.agreement import Plan, agreement
from trialogue.subjects.agreement.answer import measure_sentence
from trialogue.subjects.agreement.commands.agree import baseline_names
from trialogue.subjects.agreement.records import AgreementFindings, RatingAgreement

BENCHMARKS = ("crsarena-eval",)
LABELS = "crs_arena_eval.json"
OFFICIAL_TABLE, RUN_FILE = "official.json", "run.json"
OFFICIAL = (
    "relevance",
    "interestingness",
    "understanding",
    "task_completion",
    "efficiency",
    "interest_arousal",
    "dialogue_overall",
)
"""The aspects that the official evaluator scores, in its order."""


class OfficialCell(Record):
    """One cell of the official table."""

    aspect: str
    """Name of the rated aspect."""
    dataset: str
    """Name of the dataset, ``redial`` or ``opendialkg``."""
    pearson_penalised: float | None = None
    """Pearson's correlation over all rated units, those that the run says nothing of counting as its worst guesses."""
    spearman_penalised: float | None = None
    """Spearman's correlation, with missing values as in ``pearson_penalised``."""
    pearson: float | None
    """Pearson's correlation over the units that the run has a value for, as the official evaluator; None: undefined."""
    spearman: float | None
    """Spearman's correlation over the units of ``pearson``; None: undefined."""
    n: int
    """Units that both have; the official evaluator does not say how many."""
    rated: int
    """Units that people rated."""


@dataclass(frozen=True)
class BenchmarkResult:
    """Result of evaluating a run on the benchmark."""

    findings: AgreementFindings
    official: tuple[OfficialCell, ...]
    """The official table of the run."""
    run: tuple[Score, ...]
    """The run's scores, one aspect each: what a run file for the official evaluator holds."""

    def write(self, folder: Path | str) -> Path:
        """Write the page, the official table and a run for the official evaluator; returns the path of the page."""
        from trialogue.subjects.agreement.pages.document import write_agreement

        cells = [cell.to_json() for cell in self.official]
        with run_draft(folder, self.findings.manifest) as draft:
            text = json.dumps(cells, indent=1, ensure_ascii=False, allow_nan=False)
            write_text(draft / OFFICIAL_TABLE, text + "\n")
            self.write_run(draft / RUN_FILE)
            page = write_agreement(self.findings, draft)
        return Path(folder) / page.name

    def write_run(self, path: Path | str) -> int:
        """Write the run in the official evaluator's format; returns the number of conversations."""
        return write_run(path, self.run)


def agree_benchmark(
    name: str,
    run: Path | str,
    *,
    labels: Path | str | None = None,
    seed: int = 0,
    resamples: int = 2_000,
    confidence: float = 0.95,
    progress: Progress | None = None,
    note: Note = warn,
) -> BenchmarkResult:
    """Evaluate a metric's run on CRSArena-Eval.

    Args:
        name: ``"crsarena-eval"``.
        run: predictions in the official form (JSON), or scores of a metric as ``trialogue score --out`` writes them (JSON
            Lines; a score without an aspect stands for every aspect of its level).
        labels: the labels file; that of the corpus by default.
        seed: random seed.
        resamples: number of resamples of dialogues.
        confidence: confidence level of the intervals.
        progress: called with progress lines.
        note: called with each repair, and with what a run says nothing of.

    Raises:
        UnknownNameError: another benchmark.
        DataError: a file cannot be read, or the run and the labels have no conversation in common; all mistakes at once.
        MissingDataError: the corpus is not on this machine.
    """
    call = arguments_of(agree_benchmark, locals())
    if name not in BENCHMARKS:
        raise UnknownNameError("benchmark", name, BENCHMARKS)
    how = Resampling(seed, resamples, confidence)
    tell = progress or (lambda _line: None)
    path = Path(labels) if labels is not None else locate(get_corpus(name)) / LABELS
    tell(f"reading {path.name} and {Path(run).name}")
    dialogues, people = _labels(path, note)
    held = _predictions(Path(run), people, note)
    tell(f"baselines of {len(dialogues)} conversations")
    baselines, cards = _baselines(dialogues)
    manifest = manifest_of(
        "agree --benchmark",
        call,
        config={"benchmark": name, "resamples": resamples, "confidence": confidence},
        inputs={path.name: sha256_of(path), Path(run).name: sha256_of(Path(run))},
        seed=seed,
    )
    tell("comparing with people")
    findings = agreement(
        [*people, *held, *baselines],
        title=f"{Path(run).stem} on CRSArena-Eval",
        data=f"CRSArena-Eval, {len(dialogues)} conversations",
        manifest=manifest,
        plan=Plan(measures=cards, baselines=baseline_names(), group_of=dataset_of, resampling=how),
    )
    findings = findings.model_copy(update={"answer": (*_run_sentences(findings, held), *findings.answer)})
    return BenchmarkResult(findings, tuple(_official(findings, held)), tuple(held))


def _run_sentences(findings: AgreementFindings, run: Sequence[Score]) -> list[str]:
    """Agreement of the run itself with people, on the overall aspect or else the first one."""
    own = {score.measure for score in run}
    rows = {each.question: each for each in findings.ratings if each.measure in own}
    first = next((rows[aspect] for aspect in (OFFICIAL[-1], *OFFICIAL) if aspect in rows), None)
    return [] if first is None else [measure_sentence(findings, first)]


def dataset_of(system: str) -> str:
    """Training dataset of an arena system.

    >>> dataset_of("kbrd_redial")
    'redial'
    """
    return system.rpartition("_")[2]


def _labels(path: Path, note: Note) -> tuple[list[Dialogue], list[Score]]:
    dialogues, scores = [], []
    for record in read_labels(path, note=note):
        if isinstance(record, Dialogue):
            dialogues.append(record)
        else:
            scores.append(record)
    return dialogues, scores


def _predictions(path: Path, people: Sequence[Score], note: Note) -> list[Score]:
    """The run's scores, one for each unit and aspect."""
    if not path.is_file():
        raise DataError(Problem("there is no such file.", file=str(path)))
    head = Head(path)
    predicts = head.has_keys("turn_level_pred") or head.has_keys("dial_level_pred")
    official = FORMAT.recognises(head) or head.is_json_list or predicts
    scores = list(read_run(path, note=note)) if official else list(_repeat_by_aspect(read_records(path, Score), people))
    _check(path, scores, people, note)
    return scores


def _repeat_by_aspect(scores: Iterable[Score], people: Sequence[Score]) -> Iterable[Score]:
    """Scores without an aspect once for every aspect of their level; people's are left out."""
    aspects = {level: {each.measure for each in people if each.level == level} for level in ("utterance", "dialogue")}
    for score in scores:
        if score.rater is not None or score.level not in aspects:
            continue
        if score.measure.aspect in aspects[score.level]:
            yield score
        else:
            for name in sorted(aspects[score.level]):
                yield score.model_copy(update={"measure": score.measure.with_aspect(name)})


def _check(path: Path, scores: Sequence[Score], people: Sequence[Score], note: Note) -> None:
    """Told is what the run leaves out or has too much of.

    Raises:
        DataError: nothing of the run can be compared, or it holds several measures of one aspect.
    """
    file = str(path)
    judged = {each.dialogue_id for each in people}
    known = {each.dialogue_id for each in scores}
    problems = []
    if all(each.value is None for each in scores):
        hint = "Expected: the benchmark's run format, or scores of utterances and dialogues (trialogue score --out)."
        problems.append(Problem("it contains no predictions for utterances or dialogues.", file=file, hint=hint))
    elif not judged & known:
        what = f"none of its {len(known)} conversations is among the {len(judged)} labelled ones, such as"
        problems.append(Problem(f"{what} {min(map(str, judged))!r}.", file=file))
    families = sorted({each.measure.family for each in scores})
    if len(families) > 1:
        hint = "Write one file per metric: trialogue score DATA -m METRIC --out FILE."
        problems.append(Problem(f"it contains several metrics: {', '.join(families)}.", file=file, hint=hint))
    if problems:
        raise DataError(problems)
    if too_many := known - judged:
        note(Problem(f"{len(too_many)} of its {len(known)} conversations are not labelled.", file=file))
    if left_out := judged - known:
        what = f"it has no predictions for {len(left_out)} of the {len(judged)} labelled conversations."
        note(Problem(what, file=file, hint="The official evaluator skips them; see the coverage."))


def _baselines(dialogues: Sequence[Dialogue]) -> tuple[list[Score], dict[str, Measure]]:
    """Baseline scores of every reply and dialogue, with their descriptions."""
    metrics: list[AnyMetric] = get_metrics(BASELINES)
    scores: list[Score] = []
    measure(conversations_of(dialogues), metrics, sink=scores.append)
    kept = [score for score in scores if score.value is not None]
    return kept, {
        metric.measure: Measure(
            name=metric.measure,
            title=metric.card.title,
            by="metric",
            better="higher",  # as baselines are meant: more is taken for better
            unit=metric.card.unit,
            card=metric.card,
        )
        for metric in metrics
    }


def _official(findings: AgreementFindings, run: Sequence[Score]) -> Iterable[OfficialCell]:
    """The run's rows of the official table."""
    own = {score.measure for score in run}
    rows = [each for each in findings.ratings if each.measure in own and each.question in OFFICIAL]
    for row in sorted(rows, key=lambda each: OFFICIAL.index(each.question)):
        for dataset in ("redial", "opendialkg"):
            yield _cell(row, dataset)


def _cell(row: RatingAgreement, dataset: str) -> OfficialCell:
    pearson, spearman = row.get("pearson", f"group:{dataset}"), row.get("spearman", f"group:{dataset}")
    return OfficialCell(
        aspect=row.question,
        dataset=dataset,
        pearson_penalised=pearson.headline.value if pearson else None,
        spearman_penalised=spearman.headline.value if spearman else None,
        pearson=pearson.estimate.value if pearson else None,
        spearman=spearman.estimate.value if spearman else None,
        n=spearman.estimate.n if spearman else 0,
        rated=row.rated_by_group.get(dataset, 0),
    )
