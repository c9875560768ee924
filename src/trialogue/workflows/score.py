"""Score files in one streaming pass: dialogues are measured as they are read, and not kept in memory."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import DataError, Problem, UsageError
from trialogue.findings.family import correct_family
from trialogue.findings.languages import screen
from trialogue.findings.threats.language_texts import language_lines
from trialogue.inputs.inputs import sources_of
from trialogue.inputs.locations import Input
from trialogue.inputs.memory import Data, InMemory, with_data_read
from trialogue.long_work import few_collections
from trialogue.metrics import Settings, get_metric, get_metrics, measure, offline_conversations
from trialogue.metrics.base import needs_offline
from trialogue.metrics.engine.engine import Sink
from trialogue.options import AnyLanguage, Jobs
from trialogue.records import Manifest, Score
from trialogue.records.files.jsonl import Note, warn
from trialogue.subjects.evaluation.commands.display import Scores
from trialogue.workflows.score_merge import Tell, measured_pieces
from trialogue.workflows.score_parts import Task, pieces_of


@few_collections()
def score(
    *given: str | Path | Data,
    metrics: Sequence[str] = (),
    metric: str | None = None,
    references: Iterable[str | Sequence[str]] | None = None,
    contexts: Iterable[Any] | None = None,
    format_name: str | None = None,
    mapping: Columns | None = None,
    settings: Settings | None = None,
    any_language: AnyLanguage = False,
    note: Note = warn,
    sink: Sink | None = None,
    jobs: Jobs = 1,
    cluster: str | None = None,
    progress: Tell | None = None,
) -> Scores:
    """Compute system scores (and differences, with p-values corrected within each measure) of files of any size.

    Metrics that need a reference or targets take replies to situations; the others take dialogues, and replies to
    situations only where there are no dialogues.

    Args:
        given: corpora, files, or ``"SYSTEM=file"``; or data in memory, as ``evaluate`` takes them.
        metrics: names such as ``"distinct(n=2)@ratio"``.
        metric: a single one.
        references: what a person replied in each situation, or a list of several replies, where lists of replies are given.
        contexts: what was said before each reply, where lists of replies are given.
        format_name: input format (default: auto-detect).
        mapping: which column of a table is what, as fields or a YAML file that holds them.
        settings: seed, resamples, confidence.
        any_language: keep measures that are not made for the language of a system.
        note: called with each repair, and with what is left out because of its language.
        sink: called with every score of a single reply or dialogue, as they are read: also with those of measures whose
            totals are left out because of a language, which is known at the end.
        jobs: processes that read and measure, where dialogues are Trialogue's JSON Lines and not compressed; values are the
            same for any number.
        cluster: address of a Dask scheduler whose workers see the same files, or ``"local"`` for one of ``jobs`` processes
            on this machine; None: no cluster.
        progress: called with progress lines, where several processes measure.

    Raises:
        DataError: unreadable input, nothing to score in it, clashing ids, or a file that no worker could measure.
        UsageError: an unknown metric, variant or parameter.
    """
    names = _names(metrics, metric)
    chosen = get_metrics(names)
    sources = with_data_read(given, references=references, contexts=contexts, mapping=mapping)
    inputs = sources_of(sources, format_name=format_name, mapping=mapping)
    offline_only = [metric for metric in chosen if needs_offline(metric)]
    task = Task(
        tuple(name for name in names if not needs_offline(get_metric(name))),
        settings,
        keeps_units=sink is not None,
    )
    pieces = pieces_of(inputs, jobs, note, on_cluster=cluster is not None)
    tell = progress or (lambda _line: None)
    with measured_pieces(pieces, task, jobs=jobs, cluster=cluster, note=note, sink=sink, tell=tell) as found:
        data_hash = _hash(found.digests)
        found.measurement.rest_on(data_hash)
        found.measurement.finish()
        scores = found.measurement.scores()
    survey = found.survey
    offline = offline_conversations(found.situations, found.responses)
    if offline:
        answering = offline_only if found.has_dialogues else chosen
        scores += measure(survey.watch(offline), answering, settings=settings, data_hash=data_hash, sink=sink)
    if not scores:
        raise DataError(
            _no_records_problem(inputs, [metric.measure for metric in chosen], found_dialogues=found.has_dialogues)
        )
    fitting = screen(scores, chosen, survey, any_language=any_language)
    lines = language_lines(fitting.mismatches)
    if not fitting.scores:
        raise DataError(Problem(" ".join(lines), file=_list_inputs(inputs)))
    for line in lines:
        note(Problem(line))
    return Scores(correct_scores(fitting.scores))


def correct_scores(scores: Sequence[Score]) -> list[Score]:
    """Copy of the scores with p-values corrected across all pairs of systems of their measure."""
    pairs: dict[str, list[int]] = {}
    for place, score_ in enumerate(scores):
        if score_.level == "difference":
            pairs.setdefault(score_.measure, []).append(place)
    found = list(scores)
    for places in pairs.values():
        adjusted = correct_family([found[place] for place in places]).adjusted
        for place, p in zip(places, adjusted, strict=True):
            found[place] = found[place].model_copy(update={"p_adjusted": p})
    return found


def _names(metrics: Sequence[str], metric: str | None) -> list[str]:
    if isinstance(metrics, str):
        raise UsageError(f"metrics must be a list of names, got the text {metrics!r}. Write metric={metrics!r}.")
    names = [*metrics, *([metric] if metric is not None else [])]
    if not names:
        raise UsageError("there is nothing to compute: name a metric, such as metric='distinct(n=2)'.")
    return names


def _list_inputs(inputs: Sequence[Input | InMemory]) -> str:
    return ", ".join(each.given for each in inputs)


def _no_records_problem(
    inputs: Sequence[Input | InMemory], measures: Sequence[str], *, found_dialogues: bool
) -> Problem:
    file = _list_inputs(inputs)
    if found_dialogues:
        names = ", ".join(measures)
        return Problem(f"{names} compare responses with a reference, but the input has only dialogues.", file=file)
    hint = "Name a file or corpus that contains them."
    return Problem("there are neither dialogues nor responses to score.", file=file, hint=hint)


def _hash(digests: Iterable[str]) -> str:
    return Manifest(command="score", inputs={str(place): digest for place, digest in enumerate(digests)}).data_hash
