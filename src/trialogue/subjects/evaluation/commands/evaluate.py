"""Evaluate several recommenders on their conversations: scores, differences with uncertainty, and a verdict."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trialogue.analysis import Choice, Estimates, choose, conclude, infer, measure, prepare, read
from trialogue.analysis.beside import Beside, profiles_beside
from trialogue.analysis.calls import arguments_of, manifest_of, short_name
from trialogue.analysis.decision import Decision, exclude, read_decision
from trialogue.analysis.read import Step
from trialogue.analysis.saved_results import StoredRun
from trialogue.analysis.system_facts import FaultsOfUsers
from trialogue.dask_cluster import ALONE, Workers
from trialogue.datasets.door.feedback import kind_of_rater
from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import UsageError
from trialogue.findings import Findings, League
from trialogue.findings.family import FamilyScope
from trialogue.findings.protocol import DecisionProtocol
from trialogue.findings.sample.records import Sample
from trialogue.findings.systems.answer import texts_of
from trialogue.inputs.inputs import InputRecords
from trialogue.inputs.locations import Named
from trialogue.inputs.memory import Data, InMemory, with_data_read
from trialogue.long_work import Progress, few_collections
from trialogue.metrics import Settings, get_metrics
from trialogue.options import Alpha, AnyLanguage, CatalogueDate, Family, Jobs, Resamples, Seed, Title
from trialogue.records import JsonValue, Preference, Raters, Score, StoredParts
from trialogue.subjects.evaluation.commands.display import ShowsFindings
from trialogue.subjects.evaluation.commands.report import report
from trialogue.subjects.judging.commands.beside import judges_beside, unused_beside
from trialogue.subjects.judging.units import with_chances
from trialogue.subjects.simulated_users.commands.beside import passports_beside, wordings_beside

if TYPE_CHECKING:
    from trialogue.inputs.redaction import Redaction

MAX_EXPLORED = 100_000  # rows; a browser reads the columns of all of them before it shows one


@dataclass(frozen=True, repr=False)
class Run(ShowsFindings):
    """Result of an evaluation."""

    findings: Findings
    """Findings of the report."""
    scores: Sequence[Score]
    """Every score: single ratings, units, systems, differences; where people judged, also of metrics that are not shown."""
    preferences: tuple[Preference, ...] = ()
    """People's votes, as they were read."""
    counts: tuple[StoredParts, ...] = ()
    """Units, sums and counts by system, sufficient for comparisons with other runs."""
    material: InputRecords = field(default_factory=InputRecords)
    """The records that were measured."""
    faults: FaultsOfUsers = field(default_factory=dict)
    """Faults of users, by (system, dialogue)."""

    def __repr__(self) -> str:
        return self._summary()

    @property
    def answer(self) -> str:
        """The answer, in sentences."""
        return " ".join(texts_of(self.findings.answer))

    @property
    def sample(self) -> Sample:
        """What was compared: who met what, who rated, and what is suspicious about it."""
        return self.findings.sample

    def league(self, measure: str) -> League:
        """The league of one measure, by full name or a prefix of it.

        Raises:
            KeyError: no measure begins so.
        """
        for league in self.findings.leagues:
            if league.measure.name == measure or league.measure.measured.is_called(measure):
                return league
        raise KeyError(f"{measure!r} is not one of {', '.join(each.measure.name for each in self.findings.leagues)}")

    def to_stored(self) -> StoredRun:
        """The run as ``read_run`` would load it from a folder."""
        inputs = dict(self.findings.manifest.inputs)
        return StoredRun(self.findings.title, self.findings, self.scores, self.preferences, inputs, self.counts)

    def write(self, folder: Path | str, *, parquet: bool = False, explorer: bool | None = None) -> Path:
        """Write scores, findings, manifest, tables, figures, the explorer and the report; returns the path of the report.

        Args:
            folder: folder to write to.
            parquet: whether scores of replies and dialogues are written as ``scores.parquet`` (needs the extra ``parquet``).
            explorer: whether ``explorer.html`` is written, with which single dialogues are looked up; its data take about as
                much room as the dialogues. None: of up to 100,000 dialogues and replies; of more, the report says why not.
        """
        return report(
            self.findings,
            folder,
            scores=self.scores,
            preferences=self.preferences,
            counts=self.counts,
            parquet=parquet,
            material=None if explorer is False else self.material,
            faults=self.faults,
            most_explored=MAX_EXPLORED if explorer is None else None,
        )


@few_collections()
def evaluate(
    *given: str | Path | Data,
    references: Iterable[str | Sequence[str]] | None = None,
    contexts: Iterable[Any] | None = None,
    metrics: Sequence[str] | None = None,
    all_variants: Sequence[str] = (),
    format_name: str | None = None,
    mapping: Columns | None = None,
    origin: str | None = None,
    key: str | None = None,
    chances: str | Path | None = None,
    title: Title | None = None,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    alpha: Alpha = 0.05,
    family: Family | FamilyScope = "questions",
    decide: Decision | None = None,
    catalogue: str | None = None,
    known: str | Path | None = None,
    catalogue_date: CatalogueDate | None = None,
    steps: Sequence[Step] = (),
    baselines: bool = True,
    any_language: AnyLanguage = False,
    redact: bool = False,
    without_texts: bool = False,
    jobs: Jobs = 1,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Run:
    """Measure every system in the given corpora and files, and compare them.

    Args:
        given: names of corpora (``"crsarena-dial"``), paths, or ``"SYSTEM=path"`` to name a file's system. Or data in
            memory: a dictionary of systems by name, or a list: of replies (the i-th answers the i-th situation), of
            conversations ``{"messages": [{"role": ..., "content": ...}, ...], "system": ..., "rating": ...}``, of records,
            of rows; or a data frame of pandas, polars or Arrow.
        references: what a person replied in each situation, or a list of several replies, where lists of replies are given.
        contexts: what was said before each reply, where lists of replies are given: the user's text, or a list of texts or
            messages that ends on the user's.
        metrics: metrics, such as ``'distinct(n=2)@ratio'`` (default: all that the data allow, one variant of each).
        all_variants: metrics of which all variants are computed, to see whether the ranking changes.
        format_name: input format (default: auto-detect).
        mapping: which column of a table is what, as fields or a YAML file that holds them; None: guessed, and a
            warning says how.
        origin: origin of the ratings: person, model, program or unknown (default: as the data state). Where they state
            none, those under the names of feedback fields are by people, and others unknown.
        key: id column that joins a table of scores to the conversations (default: auto-detect).
        chances: label plan that records how the labelled units were drawn (trialogue judge plan). It has the
            probability with which each unit was drawn to be rated; None: it is not recorded how the rated units were
            chosen.
        title: heading of the report.
        seed: random seed.
        resamples: bootstrap resamples and permutations.
        alpha: significance level, after correction.
        family: p-values are corrected across the pairs of systems of each ``"measure"``; of each measure and over all of
            people's ``"questions"``, none of which was declared to decide; or of all ``"measures"`` that are shown and have
            a direction.
        decide: a decision protocol, as a YAML file or its fields: the measure that decides, level, margins, family and
            exclusions; ``alpha`` is then ignored. None: the answer is based on the criterion that a study's export
            declares (``primary`` in ``study.json``), else on people's ratings, else on the measure with the best
            evidence.
        catalogue: catalogue to which item titles in replies are linked: demo, a MovieLens corpus, or a file.
        known: list of real items, to separate real titles outside the catalogue from unrecognised ones. Titles a line,
            CSV or JSON Lines: a title that is in the list but not in the catalogue counts as outside the catalogue; a
            title in neither is not recognised.
        catalogue_date: year up to which items are in the catalogue; None: that of its file, else of its latest item. Titles
            with a later year are counted apart.
        steps: applied to the records before anything is measured.
        baselines: whether baselines that ignore the user are shown with measures of alignment.
        any_language: keep measures that are not made for the language of a system.
        redact: replace e-mail addresses, telephone, card and account numbers before anything is measured or written (needs
            the extra ``redact``).
        without_texts: keep no text of a dialogue in what the run writes, so that its report can be shared.
        jobs: processes that measure dialogues, check their users and search replies for titles; the files are the same for
            any number.
        cluster: address of a Dask scheduler whose workers do so, or ``"local"`` for one of ``jobs`` processes on this
            machine; None: no cluster.
        progress: called with progress lines.

    Raises:
        DataError: unreadable input, or nothing to evaluate in it.
        UsageError: an unknown metric, variant or parameter.
        MissingDataError: a corpus that is not on this machine.
    """
    call = arguments_of(evaluate, locals())
    refuse_text(metrics)
    sources = with_data_read(given, references=references, contexts=contexts, mapping=mapping)
    tell, workers = progress or (lambda _line: None), Workers(jobs, cluster)
    tell("reading " + ", ".join(map(str, sources)))
    redaction = _redaction() if redact else None
    material = prepare(
        read(sources, format_name=format_name, mapping=mapping, origin=raters_of(origin), key=key, tell=tell),
        *([] if chances is None else [partial(with_chances, Path(chances))]),
        *([] if redaction is None else [redaction.material]),
        *([_with_own_words] if without_texts else []),
        *_linking(catalogue, known, catalogue_date),
        *steps,
    )
    if material.catalogue is not None or known is not None or catalogue_date is not None:
        from trialogue.inputs.link import check_titles  # here: most data are of no known catalogue

        material = check_titles(material, known=known, date=catalogue_date, tell=tell, workers=workers)
    protocol = read_decision(decide)
    if protocol is not None:
        material, excluded = exclude(material, protocol.exclude)
        material.warnings.extend(excluded)
    choice = choose(material, metrics, variants_of=all_variants, baselines=baselines, any_language=any_language)
    inferred = estimate_records(
        material,
        choice,
        given=sources,
        seed=seed,
        resamples=resamples,
        alpha=alpha if protocol is None else protocol.alpha,
        family=_scope(family) if protocol is None else FamilyScope.MEASURE,
        protocol=protocol,
        call=call,
        tell=tell,
        workers=workers,
    )
    run = conclude_records(inferred, title=title, given=sources)
    if redaction is not None:
        clean = {"title": redaction.text(run.findings.title), "manifest": redaction.record(run.findings.manifest)}
        run = replace(run, findings=run.findings.model_copy(update=clean))
    return _without_texts(run) if without_texts else run


def _redaction() -> "Redaction":
    from trialogue.inputs.redaction import Redaction  # here: few logs are redacted

    return Redaction()


def _with_own_words(material: InputRecords) -> InputRecords:
    from trialogue.inputs.without_texts import with_own_words  # here: few reports go without texts

    return with_own_words(material)


def _without_texts(run: Run) -> Run:
    from trialogue.inputs.without_texts import findings_without_texts, without_texts

    findings = findings_without_texts(run.findings, quoting=run.material.warnings)
    material = without_texts(run.material)
    return replace(run, findings=findings, material=material, preferences=tuple(material.preferences))


def estimate_records(
    material: InputRecords,
    choice: Choice,
    *,
    given: Sequence[Named | InMemory] = (),
    seed: int = 0,
    resamples: int = 10_000,
    alpha: float = 0.05,
    family: FamilyScope = FamilyScope.QUESTIONS,
    protocol: DecisionProtocol | None = None,
    command: str = "evaluate",
    call: Mapping[str, JsonValue] | None = None,
    tell: Progress = lambda _line: None,
    workers: Workers = ALONE,
) -> Estimates:
    """Measure and infer, from prepared records.

    Args:
        material: the records.
        choice: metrics to compute.
        given: what they were read from, for the manifest.
        seed: random seed.
        resamples: bootstrap resamples and permutations.
        alpha: significance level, after correction.
        family: which p-values are corrected together.
        protocol: decides on what the answer rests; None: the kind of evidence does.
        command: the command, for the manifest.
        call: its arguments, with which it can be run again; None: it cannot.
        tell: called with progress lines.
        workers: measure dialogues.
    """
    if protocol is not None:
        wanted = [name for name in (protocol.measure, *protocol.measures) if not name.is_judgement]
        known = {metric.measure for metric in choice.shown}
        choice = replace(choice, shown=(*choice.shown, *get_metrics([each for each in wanted if each not in known])))
    config: dict[str, JsonValue] = {
        "inputs": [_short(one) for one in given],
        "metrics": [metric.measure for metric in choice.shown],
        "variants_of": list(choice.families),
        "resamples": resamples,
        "alpha": alpha,
    }
    if family is not FamilyScope.QUESTIONS:
        config["family"] = family.value
    if protocol is not None:
        config["decide"] = protocol.to_json()
    declared = material.study if protocol is None else None
    if declared is not None and family is FamilyScope.QUESTIONS:
        family = FamilyScope.MEASURE  # one question decides, and the study declared which
    manifest = manifest_of(command, call or {}, config=config, inputs=material.hashes, seed=seed)
    settings = Settings(seed=seed, resamples=resamples, permutations=resamples)
    measured = measure(material, choice, manifest=manifest, settings=settings, tell=tell, workers=workers)
    inferred = infer(measured, alpha=alpha, family=family, protocol=protocol)
    tell("drawing conclusions")
    return inferred


def conclude_records(
    inferred: Estimates,
    *,
    title: str | None = None,
    given: Sequence[Named | InMemory] = (),
    beside: Beside | None = None,
) -> Run:
    """Conclude from estimates, and from what lies beside the records.

    Args:
        inferred: the estimates.
        title: heading of the report.
        given: what the records were read from.
        beside: sections and warnings of a command's own, before the others; None: profiles of what is aligned.
    """
    measured, scores = inferred.measured, inferred.scores()
    material, alpha, manifest = measured.material, inferred.alpha, measured.manifest
    title = title or "Evaluation of " + ", ".join(_short(one) for one in given)
    beside = profiles_beside(inferred) if beside is None else beside
    beside += passports_beside(given) + wordings_beside(measured.wordings)
    beside += judges_beside(material, scores, title=title, alpha=alpha, manifest=manifest) + unused_beside(material)
    findings = conclude(inferred, title=title, beside=beside)
    return Run(findings, scores, tuple(material.preferences), measured.counts, material, measured.faults)


def _linking(catalogue: str | None, known: str | Path | None, date: int | None) -> list[Step]:
    if catalogue is None:
        return []
    from trialogue.inputs.link import link_step  # here: without a catalogue, nothing of it is imported

    return [link_step(catalogue, known=known, date=date)]


def refuse_text(metrics: object) -> None:
    """Raise UsageError for a text in place of a list of metrics."""
    if isinstance(metrics, str):
        raise UsageError(f"metrics must be a list of names, got the text {metrics!r}. Write metrics=[{metrics!r}].")


def raters_of(origin: str | None) -> Raters | None:
    """Kind of rater of a declared origin.

    Raises:
        UsageError: it is none.
    """
    kind = None if origin is None else kind_of_rater(origin)
    if origin is not None and kind is None:
        raise UsageError(f"origin must be person, model, program or unknown, got {origin!r}.")
    return kind


def _scope(family: str) -> FamilyScope:
    if family not in set(FamilyScope):
        raise UsageError(f"family must be {' or '.join(map(repr, map(str, FamilyScope)))}, got {family!r}.")
    return FamilyScope(family)


def _short(given: Named | InMemory) -> str:
    return str(given) if isinstance(given, InMemory) else short_name(given)
