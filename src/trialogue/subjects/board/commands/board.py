"""Board of many runs: a leaderboard of comparable rows, histories of versions, and rows that others report."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from trialogue.analysis.calls import arguments_of, manifest_of
from trialogue.analysis.decision import Decision, read_decision, refuse_other_exclusions
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.findings import Measure, SystemFacts
from trialogue.findings.differences.system_sample import collect_system
from trialogue.findings.threats.listening import UNRECOGNISED
from trialogue.long_work import Progress
from trialogue.options import Alpha, Resamples, Seed, Title
from trialogue.records import Basis, JsonValue, Manifest, MeasuredUnits, Reason, ReasonCode, StoredParts
from trialogue.subjects.board.commands.read import VersionRun, problems_of_rows, read_reported, read_versions
from trialogue.subjects.board.conclude import BoardSettings, conclude_board
from trialogue.subjects.board.entries import ColumnKey, Entry, EntryRun
from trialogue.subjects.board.pooling import Sampling
from trialogue.subjects.board.records import BoardFindings, LeftOut
from trialogue.subjects.board.reported import ReportedRow
from trialogue.subjects.evaluation.commands.evaluate import Run

MAX_COLUMNS = 5  # shown by default: what fits beside the names of rows on a laptop


@dataclass(frozen=True, repr=False)
class Board:
    """A board of runs."""

    findings: BoardFindings
    """Rows, columns, histories and the answer."""

    def __repr__(self) -> str:
        """The answer's first sentence and the size."""
        rows, columns = len(self.findings.rows), len(self.findings.columns)
        return f"Board({rows} rows, {columns} measures): {self.findings.answer[0]}"

    def write(self, folder: Path | str) -> Path:
        """Write the page and the exports; returns the path of ``board.html``.

        ``board.json`` (everything), ``leaderboard.csv``, ``leaderboard.md``, ``leaderboard.tex``, ``history.csv``,
        ``rows.json`` (the board's own rows as others read them) and ``figures/``.
        """
        from trialogue.subjects.board.pages.document import write_board

        return write_board(self.findings, Path(folder))

    def to_markdown(self) -> str:
        """The leaderboard in Markdown."""
        from trialogue.render.media.papers import document_markdown
        from trialogue.subjects.board.pages.document import board_document

        return document_markdown(board_document(self.findings))

    def to_latex(self) -> str:
        """The leaderboard for a paper, with booktabs."""
        from trialogue.render.media.papers import document_latex
        from trialogue.subjects.board.pages.document import board_document

        return document_latex(board_document(self.findings))

    def _repr_html_(self) -> str:
        """Answer and leaderboard, in a notebook."""
        from trialogue.render.media.papers import document_html
        from trialogue.subjects.board.pages.document import board_document

        return document_html(board_document(self.findings))


def board(
    *runs: str | Path | Run,
    rows: Sequence[str | Path] = (),
    baseline: str | None = None,
    on: Sequence[str] = (),
    decide: Decision | None = None,
    systems: Sequence[str] = (),
    title: Title = "Board",
    alpha: Alpha = 0.05,
    seed: Seed = 0,
    resamples: Resamples = 10_000,
    progress: Progress | None = None,
) -> Board:
    """Put many runs on one board. Comparable rows are ranked together; the others state why they are not.

    Args:
        runs: folders that ``evaluate``, ``align`` or ``run`` wrote, or runs in memory, oldest first.
            ``"NAME=FOLDER"`` names the version; several folders of one name (seeds, prompts) are pooled.
        rows: files with results reported by others (JSON; see: trialogue list schemas rows).
        baseline: version with which the others are compared in the history (default: no history).
        on: measures to show, the first one leads (default: people's ratings, else the task outcome of simulated users).
            Full names or beginnings of them; where there is neither, the measures on which the runs' answers are based.
        decide: a decision protocol, as a YAML file or its fields, in place of ``on`` and ``alpha``.
        systems: systems to show (default: all).
        title: title of the board.
        alpha: level of the verdicts, after correction across the pairs of a league.
        seed: random seed for permutation tests.
        resamples: arrangements of permutation tests.
        progress: called with progress lines.

    Raises:
        UsageError: unclear versions, unknown measures, systems or baselines, impossible options.
        DataError: folders or files that cannot be read or do not fit; all mistakes at once.
    """
    call = arguments_of(board, locals())
    protocol = read_decision(decide)
    if protocol is not None:
        if on:
            raise UsageError("a decision protocol names the measures: omit on (--on).")
        on, alpha = [str(name) for name in (protocol.measure, *protocol.measures)], protocol.alpha
    tell = progress or (lambda _line: None)
    tell(f"reading {len(runs)} {'run' if len(runs) == 1 else 'runs'}")
    given_paths = [Path(one) for one in rows]
    try:
        read = read_versions(runs)
    except DataError as error:
        raise DataError([*error.problems, *problems_of_rows(given_paths)]) from error
    given = read_reported(given_paths)
    versions = list(dict.fromkeys(each.version for each in read))
    if baseline is not None and baseline not in versions:
        raise UnknownNameError("version", baseline, versions, where="on the board")
    _check_systems(systems, read)
    refuse_other_exclusions(protocol, {each.name: each.stored.concluded for each in read})
    keys, not_shown = _columns(read, on)
    entries, left_out = _entries(read, keys, systems)
    tell(f"comparing {len(entries)} rows on {len(keys)} measures")
    findings = conclude_board(
        entries,
        keys,
        _reported_names(given, [entry.name for entry in entries]),
        left_out,
        versions=versions,
        not_shown=not_shown,
        manifest=_manifest(call, read, rows, on, systems, baseline, alpha, seed, resamples),
        settings=BoardSettings(
            title=title,
            baseline=baseline,
            alpha=alpha,
            is_declared=bool(on),
            protocol=protocol,
            sampling=Sampling(seed, resamples),
        ),
    )
    return Board(findings)


def _check_systems(systems: Sequence[str], read: Sequence[VersionRun]) -> None:
    known = sorted({facts.system for run in read for facts in run.stored.concluded.systems})
    for name in systems:
        if name not in known:
            raise UnknownNameError("system", name, known, where="in the runs")


def _columns(read: Sequence[VersionRun], on: Sequence[str]) -> tuple[list[ColumnKey], list[str]]:
    """Columns to show: the requested ones, else the default ones; and titles of measures that could decide beside these.

    Raises:
        UsageError: an unknown measure, one without a direction, or nothing that decides.
    """
    measures: dict[ColumnKey, Measure] = {}
    for each in read:
        for entry_run in _runs_of(each, ()):
            for key, league in entry_run.columns.items():
                measures.setdefault(key, league.measure)
    directed = {key: measure for key, measure in measures.items() if measure.better != "neither"}
    if not on:
        ordered = _default_columns(directed, read)
        return ordered[:MAX_COLUMNS], [directed[key].title for key in ordered[MAX_COLUMNS:]]
    chosen: list[ColumnKey] = []
    for name in on:
        matching = [key for key, measure in measures.items() if name == measure.name or key[0].is_called(name)]
        if not matching:
            raise UnknownNameError("measure", name, sorted({str(key[0]) for key in measures}), where="in the runs")
        if not [key for key in matching if key in directed]:
            raise UsageError(f"{name} cannot rank systems: it has no direction (neither higher nor lower is better).")
        chosen += [key for key in matching if key in directed and key not in chosen]
    return chosen, []


def _default_columns(directed: Mapping[ColumnKey, Measure], read: Sequence[VersionRun]) -> list[ColumnKey]:
    """What can decide an answer, by the kind of evidence: people's measures, task outcomes of simulated users, what the
    runs' answers rest on, then the others; of each kind, those in most runs first."""
    counts = Counter(key for each in read for key in {own for run in _runs_of(each, ()) for own in run.valued_columns})
    directed = {key: measure for key, measure in directed.items() if counts[key]}
    primary = {each.stored.concluded.primary for each in read}
    deciding = {key: measure for key, measure in directed.items() if measure.basis is not Basis.REPLIES}
    people = [key for key, measure in deciding.items() if measure.basis is Basis.PEOPLE]
    outcomes = [key for key, measure in deciding.items() if measure.card is not None and measure.card.is_task_outcome]
    leading = [key for key, measure in directed.items() if measure.name in primary]
    others = [] if people or outcomes else list(deciding)
    kinds = (people, outcomes, leading, others)
    chosen = list(dict.fromkeys(key for keys in kinds for key in _commonest(keys, counts)))
    if not chosen:
        raise UsageError(
            "no run has human ratings, task outcomes of simulated users or a verdict: choose a measure with on "
            f"(--on). Measures with a direction: {', '.join(sorted({str(key[0]) for key in directed})) or 'none'}."
        )
    items = [key for key in directed if (key[0].metric, key[0].variant) == UNRECOGNISED and key not in chosen]
    return chosen + _commonest(items, counts)


def _commonest(keys: Sequence[ColumnKey], counts: Mapping[ColumnKey, int]) -> list[ColumnKey]:
    return sorted(keys, key=lambda key: -counts[key])


def _runs_of(run: VersionRun, systems: Sequence[str], measures: Sequence[str] | None = None) -> list[EntryRun]:
    """The systems of a run, with single values of some measures (none: of no measure)."""
    findings = run.stored.concluded
    scores = [score for score in run.stored.scores if score.measure in measures] if measures else []
    yardsticks = sorted({each.system for league in findings.leagues for each in league.baselines}) if scores else []
    parts = [each for each in run.stored.counts if measures and _is_needed(each, measures)]
    baselines = tuple(collect_system(name, name, findings.leagues, scores, parts) for name in yardsticks)
    return [
        EntryRun(
            run.name, findings, collect_system(facts.system, facts.system, findings.leagues, scores, parts), baselines
        )
        for facts in findings.systems
        if not systems or facts.system in systems
    ]


def _is_needed(part: StoredParts, measures: Sequence[str]) -> bool:
    return isinstance(part, MeasuredUnits) or part.measure in measures


def _entries(
    read: Sequence[VersionRun], keys: Sequence[ColumnKey], systems: Sequence[str]
) -> tuple[list[Entry], list[LeftOut]]:
    """Rows with their runs; copies are left out."""
    left_out: list[LeftOut] = []
    groups: dict[tuple[str, str], list[EntryRun]] = {}
    seen: dict[str, VersionRun] = {}
    for run in read:
        bare = _runs_of(run, systems)
        copied = seen.setdefault(run.digest, run)
        if copied is not run:
            why = Reason.of(ReasonCode.BOARD_SAME_RUN, run=copied.name)
            left_out += [LeftOut(run=run.name, version=run.version, system=each.side.system, why=why) for each in bare]
            continue
        shown = sorted({league.measure.name for each in bare for key, league in each.columns.items() if key in keys})
        for each in _runs_of(run, systems, shown):
            own = groups.setdefault((each.side.system, run.version), [])
            same = next((other for other in own if _same_dialogues(each, other)), None)
            if same is not None:
                why = Reason.of(ReasonCode.BOARD_SAME_DIALOGUES, run=same.run)
                left_out.append(LeftOut(run=run.name, version=run.version, system=each.side.system, why=why))
            else:
                own.append(each)
    _check_models(groups)
    names = _row_names(list(groups))
    entries = [Entry(names[key], *key, tuple(runs)) for key, runs in groups.items() if runs]
    return [_with_row_names(entry) for entry in entries], left_out


def _same_dialogues(one: EntryRun, other: EntryRun) -> bool:
    """Whether two runs hold the same dialogues of a system, evaluated twice: they are one run, not two."""
    populations = [
        {
            (each.kind_of, each.users, each.sample, each.replies)
            for each in run.findings.populations
            if each.system == run.side.system
        }
        for run in (one, other)
    ]
    return bool(populations[0]) and populations[0] == populations[1]


def _check_models(groups: Mapping[tuple[str, str], Sequence[EntryRun]]) -> None:
    """Refuse to pool runs of different systems under one name.

    Raises:
        UsageError: other language models answered in some of the runs.
    """
    wrong = []
    for (system, version), runs in groups.items():
        answered = {run.run: _models(run.facts) for run in runs}
        if len(set(answered.values())) > 1:
            listed = "; ".join(f"{run}: {models or 'none recorded'}" for run, models in answered.items())
            wrong.append(
                f"the runs of {system} in version {version!r} were answered by different language models ({listed}). "
                "They are different systems: give the runs different versions (NAME=FOLDER)."
            )
    if wrong:
        raise UsageError("\n".join(wrong))


def _models(facts: SystemFacts) -> str:
    return ", ".join(facts.models)


def _row_names(keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Names of rows: the version where all are one system, the system where it has one version, else both.

    Raises:
        UsageError: two rows would have one name.
    """
    systems = Counter(system for system, _ in keys)
    if len(systems) == 1 and len(keys) > 1:
        names = {key: key[1] for key in keys}
    else:
        names = {
            (system, version): system if systems[system] == 1 else f"{system} ({version})" for system, version in keys
        }
    counts = Counter(names.values())
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise UsageError(
            f"two rows would both be called {twice[0]!r}: give the versions different names (NAME=FOLDER)."
        )
    return names


def _with_row_names(entry: Entry) -> Entry:
    """Sides called by the name of their row."""
    runs = tuple(replace(run, side=replace(run.side, name=entry.name)) for run in entry.runs)
    return replace(entry, runs=runs)


def _reported_names(given: Sequence[tuple[Path, ReportedRow]], taken: Sequence[str]) -> dict[str, ReportedRow]:
    """Names of reported rows: their system and version; with the file and a number where a name is taken."""
    names: dict[str, ReportedRow] = {}
    for path, row in given:
        name = f"{row.system} ({row.version})" if row.version else row.system
        candidates = [name, f"{name} [{path.stem}]"]
        number = 2
        while candidates[0] in taken or candidates[0] in names:
            candidates.pop(0)
            candidates.append(f"{name} [{path.stem} #{number}]")
            number += 1
        names[candidates[0]] = row
    return names


def _manifest(
    call: Mapping[str, JsonValue],
    read: Sequence[VersionRun],
    rows: Sequence[str | Path],
    on: Sequence[str],
    systems: Sequence[str],
    baseline: str | None,
    alpha: float,
    seed: int,
    resamples: int,
) -> Manifest:
    from trialogue.records import sha256_of

    inputs = {f"{run.version}/{run.name}/{name}": digest for run in read for name, digest in run.stored.inputs.items()}
    inputs |= {Path(path).name: sha256_of(Path(path)) for path in rows}
    return manifest_of(
        "board",
        call,
        config={
            "versions": [run.version for run in read],
            "on": list(on),
            "systems": list(systems),
            "baseline": baseline,
            "alpha": alpha,
            "resamples": resamples,
        },
        seed=seed,
        inputs=inputs,
    )
