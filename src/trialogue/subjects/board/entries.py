"""Entries of a board: the runs of one version of one system, with the conditions of every value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from trialogue.findings.differences.system_sample import SystemSample
from trialogue.findings.records import Findings, SystemFacts
from trialogue.findings.standings import Contrast, League, Measure, Standing
from trialogue.findings.threats.users import OF_SITUATIONS
from trialogue.records import MeasureName, Population, PopulationKind, Scale
from trialogue.subjects.board.conditions import Conditions, Met

ColumnKey = tuple[MeasureName, str | None]
"""(What was measured, kind of simulated users)."""


@dataclass(frozen=True)
class EntryRun:
    """One system in one run."""

    run: str
    """Name of the run."""
    findings: Findings
    side: SystemSample
    """Its values, and the single values behind them."""
    baselines: Sequence[SystemSample] = ()
    """The same of the run's baselines that ignore the user."""

    @property
    def facts(self) -> SystemFacts:
        """How much there is of the system."""
        return next(facts for facts in self.findings.systems if facts.system == self.side.system)

    @property
    def columns(self) -> Mapping[ColumnKey, League]:
        """The run's leagues by the column of the board that they belong to."""
        return {self.key_of(league.measure): league for league in self.findings.leagues}

    @property
    def valued_columns(self) -> list[ColumnKey]:
        """Columns on which the system has a value."""
        standings = {key: self.standing(key) for key in self.columns}
        return [key for key, each in standings.items() if each is not None and each.estimate.value is not None]

    def key_of(self, measure: Measure) -> ColumnKey:
        """The board's column of a measure of the run.

        A run that evaluates simulated dialogues alone has columns that name no users; their sources do.
        """
        if measure.users is not None or measure.by == "people":
            return measure.measured, measure.users
        users = {each.users for each in self._populations_of(measure)}
        return measure.measured, next(iter(users)) if len(users) == 1 else None

    def standing(self, key: ColumnKey) -> Standing | None:
        """The system's result on a column; None where it has none."""
        league = self.columns.get(key)
        every = league.standings if league is not None else ()
        return next((each for each in every if each.system == self.side.system), None)

    def contrast(self, key: ColumnKey, other: str) -> Contrast | None:
        """The run's own comparison with another of its systems; None if it has none."""
        league = self.columns.get(key)
        pair = {self.side.system, other}
        every = league.contrasts if league is not None else ()
        return next((each for each in every if {each.a, each.b} == pair), None)

    def met(self, measure: Measure) -> Met:
        """What the system met on a measure."""
        own = self._populations_of(measure)
        units = sum(each.units for each in own)
        if not own or any(each.sample is None for each in own):
            return Met(kind_of=own[0].kind_of if own else PopulationKind.PEOPLE, units=units, sample=None)
        if any(each.kind_of is PopulationKind.PEOPLE for each in own):
            everybody = [each for each in self.findings.populations if each.kind_of is PopulationKind.PEOPLE]
            return Met(
                kind_of=PopulationKind.PEOPLE,
                units=sum(each.units for each in everybody),
                sample="+".join(sorted(str(each.sample) for each in everybody)),
            )
        return Met(kind_of=own[0].kind_of, units=units, sample="+".join(sorted(str(each.sample) for each in own)))

    def replies(self, measure: Measure) -> str:
        """Fingerprint of what the system answered to what it met on a measure; "" where it is unknown."""
        return "+".join(sorted(each.replies for each in self._populations_of(measure)))

    def _populations_of(self, measure: Measure) -> list[Population]:
        """Populations that a measure's values come from."""
        own = [each for each in self.findings.populations if each.system == self.side.system]
        situations = [each for each in own if each.kind_of is PopulationKind.SITUATIONS]
        dialogues = [each for each in own if each.kind_of is not PopulationKind.SITUATIONS]
        if measure.users is not None:
            return [each for each in dialogues if each.users == measure.users]
        if any(league.measure.users is not None for league in self.findings.leagues):  # simulated ones have own columns
            dialogues = [each for each in dialogues if each.kind_of is PopulationKind.PEOPLE]
        rows = self.side.rows.get(measure.name)
        if rows is not None and situations:
            return situations if rows.of_situations else dialogues
        if situations and dialogues:
            needs = measure.card.needs if measure.card is not None else ()
            return situations if not OF_SITUATIONS.isdisjoint(needs) else dialogues
        return dialogues or situations


@dataclass(frozen=True)
class Entry:
    """One row of the board that rests on runs."""

    name: str
    """Name of the row."""
    system: str
    """Name of the system in its runs."""
    version: str
    runs: Sequence[EntryRun] = field(default_factory=tuple)
    """Its runs, at least one; no two hold the same dialogues."""

    def conditions(self, key: ColumnKey) -> Conditions | None:
        """What its value on a column must share with others; None where a run has not measured it."""
        every = [_conditions(run, key) for run in self.runs]
        known = [each for each in every if each is not None]
        if len(known) < len(every) or not known or len({each.instrument for each in known}) > 1:
            return None
        return known[0].model_copy(
            update={
                "met": tuple(sorted((each.met[0] for each in known), key=_place)),
                "user_models": tuple(sorted({model for each in known for model in each.user_models})),
            }
        )


def with_declared_scales(entries: Sequence[Entry]) -> list[Entry]:
    """Entries whose undeclared ratings are on the scale that others declare, if it holds them, as in one evaluation."""
    runs = [run for entry in entries for run in entry.runs]
    declared: dict[ColumnKey, dict[Scale, Measure]] = {}
    for run in runs:
        for key, league in run.columns.items():
            if league.measure.scale is not None:
                declared.setdefault(key, {})[league.measure.scale] = league.measure
    known = {key: next(iter(found.values())) for key, found in declared.items() if len(found) == 1}
    holding = [_holding(run, known) for run in runs]
    if not any(holding):
        return list(entries)
    scales: dict[int, dict[str, Measure]] = {}
    for run, found in zip(runs, holding, strict=True):  # systems of one run share its findings, and must go on to
        scales.setdefault(id(run.findings), {}).update(found)
    findings = {id(run.findings): _with_measures(run.findings, scales[id(run.findings)]) for run in runs}
    return [
        replace(entry, runs=tuple(replace(run, findings=findings[id(run.findings)]) for run in entry.runs))
        for entry in entries
    ]


def _holding(run: EntryRun, known: Mapping[ColumnKey, Measure]) -> dict[str, Measure]:
    """Measures of a run without a scale, whose values lie on the one that others declare; by name, as these have it."""
    return {
        own.name: known[key]
        for key, league in run.columns.items()
        if key in known
        and (own := league.measure).by == "people"
        and own.scale is None
        and (scale := known[key].scale) is not None
        and all(scale.holds(value) for _, _, value in run.side.units(own.name))
    }


def _with_measures(findings: Findings, known: Mapping[str, Measure]) -> Findings:
    leagues = []
    for league in findings.leagues:
        other = known.get(league.measure.name)
        update = {} if other is None else {"scale": other.scale, "unit": other.unit}
        leagues.append(league.model_copy(update={"measure": league.measure.model_copy(update=update)}))
    return findings.model_copy(update={"leagues": tuple(leagues)}) if known else findings


def _place(met: Met) -> tuple[str, str, int]:
    return (met.kind_of.value, met.sample or "", met.units)


def _conditions(run: EntryRun, key: ColumnKey) -> Conditions | None:
    league = run.columns.get(key)
    if league is None or run.standing(key) is None:
        return None
    measure, protocol = league.measure, run.findings.protocol
    rules = protocol.protocol if protocol is not None else None
    is_simulated = key[1] is not None
    return Conditions(
        measure=str(measure.measured),
        better=measure.better,
        unit=measure.unit,
        labels_from=measure.labels_from,
        is_calibrated=measure.is_calibrated,
        counts_failures=measure.counts_failures,
        scale=measure.scale,
        raters=measure.raters,
        users=key[1],
        user_models=run.facts.user_models if is_simulated else (),
        excluded=tuple(each.model_dump_json() for each in rules.exclude) if rules is not None else (),
        blocks=tuple(sorted(code.value for code in rules.blocks)) if rules is not None else (),
        met=(run.met(measure),),
    )
