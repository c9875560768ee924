"""Columnar table of the ratings of one criterion."""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from trialogue.errors import DataError, Problem
from trialogue.inputs.study_data import Key, Presentation, key_of
from trialogue.records import Score
from trialogue.records.score import AGGREGATE

UNKNOWN = (AGGREGATE, "")  # raters that are nobody in particular
FEW_RATERS = 6  # fewer people are no sample of people: they are taken as they are


@dataclass(frozen=True)
class Row:
    """One rating."""

    rating: float
    rater: str
    system: str
    item: str
    """Unit that several systems can answer: a situation, or else the dialogue."""
    thing: Hashable
    """Rated unit: one system's reply to the item."""
    group: str
    """The dialogue that items come from."""
    position: int | None
    seconds: float | None


@dataclass(frozen=True)
class RatingTable:
    """Ratings of one criterion, with summaries."""

    rows: tuple[Row, ...]

    @cached_property
    def ratings(self) -> list[float]:
        """The ratings."""
        return [row.rating for row in self.rows]

    def column(self, name: str) -> list[str]:
        """A column of labels."""
        return [getattr(row, name) for row in self.rows]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Systems, sorted."""
        return tuple(sorted({row.system for row in self.rows}))

    @cached_property
    def raters(self) -> int:
        """Number of distinct raters."""
        return len({row.rater for row in self.rows})

    @cached_property
    def known_raters(self) -> bool:
        """Whether every rating has a known rater."""
        return all(row.rater not in UNKNOWN for row in self.rows)

    @cached_property
    def positions(self) -> tuple[int, ...]:
        """Distinct positions, if every rating has one; else empty."""
        if any(row.position is None for row in self.rows):
            return ()
        return tuple(sorted({row.position for row in self.rows if row.position is not None}))

    def select_raters(self, raters: Collection[str] | None) -> "RatingTable":
        """Ratings of some raters; all for None."""
        return self if raters is None else RatingTable(tuple(row for row in self.rows if row.rater in raters))

    def group_by_thing(self) -> dict[Hashable, dict[str, float]]:
        """Ratings by item, then by rater."""
        table: dict[Hashable, dict[str, float]] = {}
        for row in self.rows:
            table.setdefault(row.thing, {})[row.rater] = row.rating
        return table

    def groups(self) -> dict[Hashable, Hashable]:
        """Dialogue of each item."""
        return {row.thing: row.group for row in self.rows}

    def coverage(self) -> dict[str, int]:
        """Number of items by their number of ratings."""
        counts = Counter(len(given) for given in self.group_by_thing().values())
        return {str(size): counts[size] for size in sorted(counts)}


def table_of(
    scores: Iterable[Score], presentations: Mapping[Key, Presentation] | None = None
) -> tuple[RatingTable, int]:
    """Build the rating table of one criterion, and count missing values.

    Raises:
        DataError: a rating given twice by one person to one thing, or one of no system.
    """
    rows, skipped, problems = [], 0, []
    seen: set[Key] = set()
    for score in scores:
        if score.value is None:
            skipped += 1
            continue
        key = key_of(score)
        if score.system is None:
            problems.append(Problem(f"a rating by {score.rater!r} names no system.", field="system"))
            continue
        if key in seen and score.rater not in (None, *UNKNOWN):
            what = f"{score.rater!r} rated {score.system!r} twice in {score.situation_id or score.dialogue_id!r}."
            problems.append(Problem(what, hint="A person rates each unit once; keep the rating that counts."))
        seen.add(key)
        rows.append(_row(score, score.system, (presentations or {}).get(key)))
    if problems:
        raise DataError(problems)
    return RatingTable(tuple(rows)), skipped


def _row(score: Score, system: str, shown: Presentation | None) -> Row:
    place = "" if score.utterance is None else f"#{score.utterance}"
    item = (score.situation_id or score.dialogue_id or "") + place
    return Row(
        rating=score.value if score.value is not None else float("nan"),
        rater=score.rater or "",
        system=system,
        item=item,
        thing=(item, system),
        group=score.dialogue_id or score.situation_id or "",
        position=shown.position if shown else None,
        seconds=shown.seconds if shown else None,
    )
