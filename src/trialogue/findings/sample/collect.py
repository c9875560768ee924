"""Collect the facts of a sample from its units and its ratings: one pass over each."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from trialogue.findings.sample.copies import count_copies
from trialogue.findings.sample.records import Crossing, Draw, Factor, RatingColumn, Sample, UnitCounts
from trialogue.metrics.human_ratings import repeated_rater
from trialogue.records import ClusterKind, MeasuredUnits, PopulationKind, Raters, Scale, Score
from trialogue.records.kinds.origins import kinds_of
from trialogue.records.kinds.suspicions import Suspicion
from trialogue.stats.contingency import fisher_p

PERIODS = 4  # of equal numbers of dialogues
FEWEST_CODES = 5  # that begin with the same words, from which they may be one person's
ONE_SIDED = 0.001  # level of Fisher's test that as many say so to other systems
UNANSWERED = 0.01  # the same, of dialogues that end with a question: what both logs cut off says nothing
FACTORS: Mapping[ClusterKind, Factor] = {
    ClusterKind.PERSON: Factor.PEOPLE,
    ClusterKind.NEED: Factor.NEEDS,
    ClusterKind.TASK: Factor.TASKS,
    ClusterKind.SITUATION: Factor.SITUATIONS,
}


def sample_of(
    tables: Sequence[MeasuredUnits], scores: Iterable[Score] = (), *, systems: Set[str] | None = None
) -> Sample:
    """The facts of a sample.

    Args:
        tables: units of the systems.
        scores: scores, among them those with a rater.
        systems: names of those that are compared; None: all.
    """
    own = [table for table in tables if table.ids and (systems is None or table.system in systems)]
    columns: dict[str, _Column] = defaultdict(_Column)
    sizes: Counter[str] = Counter()
    chances: dict[tuple[str, str], float | None] = {}
    for table in own:
        chances.update(zip(((table.system, name) for name in table.ids), table.chances, strict=bool(table.chances)))
        if table.kind_of is not PopulationKind.SITUATIONS:
            sizes[table.system] += len(table.ids)
    for score in scores:
        if score.rater is not None and score.value is not None and score.measure.is_judgement:
            columns[score.measure].add(score)
    return Sample(
        units=tuple(map(_counts, own)),
        crossings=tuple(_crossings(own, columns.values())),
        columns=tuple(each.record(name, sizes, chances) for name, each in columns.items()),
    )


def _counts(table: MeasuredUnits) -> UnitCounts:
    sizes = Counter(table.clusters).values()
    return UnitCounts(
        system=table.system,
        units=len(table.ids),
        clusters=len(sizes),
        effective=len(table.ids) ** 2 / sum(size**2 for size in sizes),
        sources=dict(sorted(Counter(table.sources).items())),
        suspects={sign: len(names) for sign, names in table.suspects.items()},
        echoes=len(table.echoes),
        copies=count_copies(table.copies),
        near_copies=count_copies([*table.near_copies, *table.one_sided]),
        twins=len(table.twins),
        is_of_situations=table.kind_of is PopulationKind.SITUATIONS,
    )


Levels = dict[Factor, str]
"""The level of each factor that a unit or a rating has."""


def _crossings(tables: Sequence[MeasuredUnits], columns: "Iterable[_Column]") -> Iterator[Crossing]:
    """Every pair of factors that occur together, those beside the systems first."""
    units = {(system, name): own for system, name, own in _unit_levels(tables)}
    people = {own[Factor.PEOPLE] for own in units.values() if Factor.PEOPLE in own}
    cells: dict[tuple[Factor, Factor], set[tuple[str, str]]] = defaultdict(set)
    for own in units.values():
        _add_cells(cells, own)
    for column in columns:
        for rater, system, name in column.given:
            if f"user:{rater}" not in people:  # else they took part
                named = {Factor.RATERS: rater, Factor.DIALOGUES: f"{system}\0{name}", Factor.SYSTEMS: system}
                _add_cells(cells, units.get((system, name), {}) | named, only=Factor.RATERS)
    order = list(Factor)
    for (factor, beside), pairs in sorted(
        cells.items(), key=lambda each: (each[0][1] is not Factor.SYSTEMS, *map(order.index, each[0]))
    ):
        met = Counter(one for one, _ in pairs)
        others = len({other for _, other in pairs})
        if others > 1:
            yield Crossing(
                factor=factor,
                beside=beside,
                levels=len(met),
                others=others,
                cells=len(pairs),
                several=sum(each > 1 for each in met.values()),
                every=sum(each == others for each in met.values()),
            )


def _add_cells(
    cells: dict[tuple[Factor, Factor], set[tuple[str, str]]], own: Levels, *, only: Factor | None = None
) -> None:
    held = [factor for factor in Factor if factor in own]
    for place, factor in enumerate(held):
        for beside in held[place + 1 :]:
            if only is None or only in (factor, beside):
                cells[factor, beside].add((own[factor], own[beside]))


def _unit_levels(tables: Sequence[MeasuredUnits]) -> Iterator[tuple[str, str, Levels]]:
    """(System, unit, its levels)."""
    times = sorted(each for table in tables for each in table.times if each is not None)
    ends = [times[len(times) * part // PERIODS] for part in range(1, PERIODS)] if times else []
    first: dict[str, float] = {}
    for table in tables:
        for cluster, time in zip(table.clusters, table.times, strict=False):
            if time is not None:
                first[cluster] = min(time, first.get(cluster, time))
    for table in tables:
        factor = FACTORS.get(table.clustered_by)
        for at, (name, cluster) in enumerate(zip(table.ids, table.clusters, strict=True)):
            own = {Factor.SYSTEMS: table.system}
            if factor is not None:
                own[factor] = cluster
            if table.sources:
                own[Factor.SOURCES] = table.sources[at]
            time = table.times[at] if table.times else None
            if time is not None:
                own[Factor.PERIODS] = str(bisect_right(ends, time))
                if factor is Factor.PEOPLE:
                    own[Factor.POSITIONS] = "first" if time == first[cluster] else "later"
            yield table.system, name, own


def look_across(tables: Sequence[MeasuredUnits]) -> list[MeasuredUnits]:
    """Tables with what can only be seen beside those of other systems: equal dialogues, openings that only one hears, and
    questions that only one leaves without an answer.

    The same invented user may say the same to two systems that reply the same: of these, a twin is in another cluster. What
    people say to both systems alike is the wording of a study, or chance.
    """
    if len({source for table in tables for source in table.sources}) < 2:
        tables = [table.model_copy(update={"sources": ()}) for table in tables]
    held: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for table in tables:
        for texts in (table.texts, table.unnamed):
            for text, cluster in zip(texts, table.clusters, strict=bool(texts)):
                held[text][table.system].add(cluster)
    return [
        table.model_copy(
            update={
                "twins": _twins(table, held),
                "one_sided": _one_sided(table, tables),
                "suspects": _suspects(table, tables),
            }
        )
        for table in tables
    ]


def _twins(table: MeasuredUnits, held: Mapping[str, Mapping[str, Set[str]]]) -> tuple[str, ...]:
    suspects = {name for names in table.suspects.values() for name in names}
    found = []
    for name, cluster, *texts in zip(
        table.ids, table.clusters, table.texts, table.unnamed or table.texts, strict=bool(table.texts)
    ):
        if name not in suspects:
            held_by = [own for text in texts if text for system, own in held[text].items() if system != table.system]
            if set().union(*held_by) - (set() if table.users is None else {cluster}):
                found.append(name)
    return tuple(found)


def _suspects(table: MeasuredUnits, tables: Sequence[MeasuredUnits]) -> dict[Suspicion, tuple[str, ...]]:
    """Suspects, and dialogues that end with a question where those of other systems rarely do."""
    found: dict[Suspicion, tuple[str, ...]] = {
        sign: names for sign, names in table.suspects.items() if sign is not Suspicion.UNANSWERED
    }
    others = [each for each in tables if each.system != table.system and each.users == table.users]
    own, size = len(table.unanswered), sum(len(each.ids) for each in others)
    elsewhere = sum(len(each.unanswered) for each in others)
    is_more = own * size > elsewhere * len(table.ids)
    if is_more and fisher_p(own, len(table.ids), elsewhere, size) < UNANSWERED:
        found[Suspicion.UNANSWERED] = table.unanswered
    return found


def _one_sided(table: MeasuredUnits, tables: Sequence[MeasuredUnits]) -> tuple[tuple[str, ...], ...]:
    others = [each for each in tables if each.system != table.system and each.openings]
    size = sum(len(each.ids) for each in others)
    if not table.openings or not size:
        return ()
    heard = Counter(opening for each in others for opening in each.openings)
    places: dict[str, list[int]] = defaultdict(list)
    for at, opening in enumerate(table.openings):
        places[opening].append(at)
    return tuple(
        tuple(table.ids[at] for at in own)
        for opening, own in places.items()
        if opening
        and len({table.clusters[at] for at in own}) >= FEWEST_CODES
        and fisher_p(len(own), len(table.ids), heard[opening], size) < ONE_SIDED < len(own) / len(table.ids)
    )


@dataclass
class _Column:
    """The ratings of one question, added one after another."""

    origins: set[Raters] = field(default_factory=set)
    raters: Counter[str] = field(default_factory=Counter)
    given: list[tuple[str, str, str]] = field(default_factory=list)
    """(Rater, system, unit) of ratings by raters who may have rated other things."""
    scale: Scale | None = None
    count: int = 0
    is_of_dialogues: bool = True
    low: float = float("inf")
    high: float = float("-inf")
    rated: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, score: Score) -> None:
        value, system = score.value or 0.0, score.system or ""
        self.count += 1
        self.low, self.high = min(self.low, value), max(self.high, value)
        self.origins.add(score.raters)
        self.scale = self.scale or score.scale
        self.rated[system].add(score.dialogue_id or score.situation_id or "")
        self.is_of_dialogues &= score.level == "dialogue"
        rater = repeated_rater(score)
        if rater is not None:
            self.raters[rater] += 1
            self.given.append((rater, system, score.dialogue_id or score.situation_id or ""))

    def draw(self, sizes: Mapping[str, int], chances: Mapping[tuple[str, str], float | None]) -> Draw:
        """How the rated units were chosen."""
        if self.is_of_dialogues and all(len(units) == sizes[system] for system, units in self.rated.items()):
            return Draw.ALL
        own = {system: {chances.get((system, unit)) for unit in units} for system, units in self.rated.items()}
        if any(None in each for each in own.values()):
            return Draw.UNKNOWN
        drawn = {system: {chance for (of, _), chance in chances.items() if of == system} - {None} for system in own}
        return Draw.RECORDED if all(len(each) == 1 for each in drawn.values()) else Draw.UNEQUAL

    def record(
        self, name: str, sizes: Mapping[str, int], chances: Mapping[tuple[str, str], float | None]
    ) -> RatingColumn:
        return RatingColumn(
            measure=name,
            origins=kinds_of(self.origins),
            ratings=self.count,
            raters=len(self.raters),
            largest_share=max(self.raters.values(), default=0) / self.count,
            scale=self.scale,
            low=self.low,
            high=self.high,
            rated={system: len(units) for system, units in sorted(self.rated.items())},
            units=dict(sorted(sizes.items())) if self.is_of_dialogues else {},
            draw=self.draw(sizes, chances),
        )
