"""What becomes of ratings if a doubt about those who gave them is right."""

from collections import Counter, defaultdict
from dataclasses import replace

from trialogue.findings.comparison.sample_changes import Changed, Sides, of_means, rows_at, tables_of
from trialogue.findings.comparison.system_sample import Rows
from trialogue.findings.standings import Measure
from trialogue.records.score import AGGREGATE

DOMINANT = 0.5  # of the ratings of a system, by one rater of several


def _rows_without(rows: dict[str, Rows], left_out: dict[str, set[int]]) -> dict[str, Changed]:
    """Rows without some of their places; systems that lose nothing are left out."""
    changed = {}
    for system, places in left_out.items():
        own = rows[system]
        kept = [at for at in range(len(own.units)) if at not in places]
        if places:
            changed[system] = rows_at(own, kept, own.sums[kept]), len(places)
    return changed


@of_means
def without_dominant_rater(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Ratings without those of the rater who gave the largest share of a system's, if it is half or more."""
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    counts = {system: Counter(rater for rater in own.raters if rater is not None) for system, own in rows.items()}
    shares = {
        rater: max(own[rater] / len(rows[system].units) for system, own in counts.items())
        for rater in sorted(set().union(*counts.values()))
    }
    rater = max(shares, key=shares.__getitem__, default=None)
    if len(shares) < 2 or rater is None or shares[rater] < DOMINANT:
        return {}
    return _rows_without(
        rows, {s: {at for at, each in enumerate(own.raters) if each == rater} for s, own in rows.items()}
    )


@of_means
def contradictions_settled(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Of different ratings that a rater gave a unit, or copies of it, the one that speaks most against the better system.

    Nothing says which of them is meant. Without them all, what is left would be no fair sample.
    """
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    highest = max(rows, key=lambda system: float(rows[system].sums[:, 0].mean()))
    changed = {}
    for system, own in rows.items():
        places: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
        tables = tables_of(sides[system], own)
        first = {name: group[0] for table in tables for group in table.copies for name in group}
        for at, (unit, giver) in enumerate(zip(own.units, own.givers, strict=bool(own.givers))):
            if giver not in ("", AGGREGATE):
                person = own.clusters[at] if own.raters[at] is None else ""  # the participant
                places[first.get(unit, unit), f"{giver}\0{person}"].append(at)
        values = own.sums[:, 0].tolist()
        several = [each for each in places.values() if len({values[at] for at in each}) > 1]
        pick = min if system == highest else max
        left_out = {at for each in several for at in each if at != pick(each, key=values.__getitem__)}
        if left_out:
            kept = [at for at in range(len(own.units)) if at not in left_out]
            changed[system] = rows_at(own, kept, own.sums[kept]), len(several)
    return changed


@of_means
def without_own_ratings(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """Ratings without those by raters who are called as a system is."""
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    systems = {_plain(name) for side in sides.values() for name in (side.name, side.system)}
    return _rows_without(
        rows,
        {
            system: {at for at, rater in enumerate(own.raters) if rater is not None and _plain(rater) in systems}
            for system, own in rows.items()
        },
    )


@of_means
def lookalikes_joined(sides: Sides, measure: Measure) -> dict[str, Changed]:
    """People at one address, or whose codes differ only in case, spaces and signs, as one: "Ann", "ann " and "ANN"."""
    changed = {}
    rows = {system: side.rows[measure.name] for system, side in sides.items()}
    for system, own in rows.items():
        tables = tables_of(sides[system], own)
        address_of = {name: key for table in tables for key, names in table.addresses.items() for name in names}
        clusters = tuple(
            address_of.get(dialogue) or (f"person:{_plain(each)}" if _is_person(each) else each)
            for dialogue, each in zip(own.dialogues, own.clusters, strict=True)
        )
        raters = tuple(None if each is None else _plain(each) for each in own.raters)
        merged = len(set(own.clusters)) - len(set(clusters)) + len(set(own.raters)) - len(set(raters))
        changed[system] = replace(own, clusters=clusters, raters=raters), merged
    return changed if any(count for _, count in changed.values()) else {}


def _is_person(cluster: str) -> bool:
    return cluster[:5] == "user:"


def _plain(name: str) -> str:
    """Letters and digits of a name; the name where it has none."""
    return "".join(filter(str.isalnum, name.casefold())) or name
