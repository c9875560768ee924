"""Join tables of scores to the conversations that they are about, by the ids that both have."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from trialogue.datasets.door.units import quote_names
from trialogue.datasets.tables.scores import ScoreRow, ScoreTable
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Rating, Response, Utterance
from trialogue.records.files.jsonl import Note

HALF = 0.5  # of a table's ids that must be known for a column to be its key without a doubt


class Target(StrEnum):
    """What the ids of a table are ids of."""

    DIALOGUE = "dialogues"
    SITUATION = "situations"
    UTTERANCE = "utterances"
    PERSON = "people"


Found = dict[str, list[tuple[str, str]]]
"""(System, dialogue, situation or utterance) by the id that a table may name."""


@dataclass
class Joined:
    """Ratings to add to records."""

    of_dialogues: dict[tuple[str, str], list[Rating]] = field(default_factory=dict)
    """By system and dialogue."""
    of_situations: dict[tuple[str, str], list[Rating]] = field(default_factory=dict)
    """By system and situation."""
    of_utterances: dict[tuple[str, str], list[Rating]] = field(default_factory=dict)
    """By system and id of the utterance."""

    def dialogue(self, dialogue: Dialogue) -> Dialogue:
        """A dialogue with its ratings, and those of its utterances."""
        system = dialogue.system or ""
        own = self.of_dialogues.get((system, dialogue.id))
        changes: dict[str, object] = {"ratings": (*dialogue.ratings, *own)} if own else {}
        if self.of_utterances:
            changes["utterances"] = tuple(self._utterance(system, said) for said in dialogue.utterances)
        return dialogue.model_copy(update=changes) if changes else dialogue

    def _utterance(self, system: str, said: Utterance) -> Utterance:
        own = self.of_utterances.get((system, said.id)) if said.id is not None else None
        return said.model_copy(update={"ratings": (*said.ratings, *own)}) if own else said

    def response(self, response: Response) -> Response:
        """A response with its ratings."""
        own = self.of_situations.get((response.system, response.situation_id))
        if not own:
            return response
        said = response.utterance.model_copy(update={"ratings": (*response.utterance.ratings, *own)})
        return response.model_copy(update={"utterance": said})


def join(
    tables: Sequence[ScoreTable],
    dialogues: Iterable[Dialogue],
    responses: Iterable[Response],
    note: Note,
    *,
    key: str | None = None,
) -> Joined:
    """Find the record of every row; a line says by which ids, and how many rows found none.

    Args:
        tables: tables of scores.
        dialogues: the conversations.
        responses: replies to situations.
        note: called with a line for each table.
        key: the column of ids to join by; None: the one with the most known ids.

    Raises:
        DataError: no id of a table is known, several columns fit equally, or ids are of several systems and no column
            says which.
    """
    targets = _targets(dialogues, responses)
    joined = Joined()
    problems: list[Problem] = []
    for table in tables:
        try:
            column, target = _key(table, targets, key)
            _join(table, column, target, targets[target], joined, note)
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError(problems)
    return joined


def _targets(dialogues: Iterable[Dialogue], responses: Iterable[Response]) -> dict[Target, Found]:
    found: dict[Target, Found] = {target: {} for target in Target}
    for dialogue in dialogues:
        system = dialogue.system or ""
        found[Target.DIALOGUE].setdefault(dialogue.id, []).append((system, dialogue.id))
        if dialogue.user is not None:
            found[Target.PERSON].setdefault(dialogue.user, []).append((system, dialogue.id))
        for said in dialogue.utterances:
            if said.id is not None:
                found[Target.UTTERANCE].setdefault(said.id, []).append((system, said.id))
    for response in responses:
        found[Target.SITUATION].setdefault(response.situation_id, []).append((response.system, response.situation_id))
    return found


def _key(table: ScoreTable, targets: dict[Target, Found], asked: str | None) -> tuple[str, Target]:
    """The column of ids and what they are ids of."""
    columns = table.columns.units if asked is None else (asked,)
    if asked is not None and asked not in table.columns.units:
        there = ", ".join(table.columns.units)
        raise DataError(Problem(f"there is no column of ids {asked!r}.", table.source, hint=f"There are: {there}."))
    shares: dict[tuple[str, Target], float] = {}
    for column in columns:
        ids = {unit for row in table.rows if (unit := table.unit(row, column))}
        for target, known in targets.items():
            shares[column, target] = sum(each in known for each in ids) / len(ids) if ids else 0.0
    best = max(shares, key=lambda each: shares[each])
    if not shares[best]:
        raise DataError(_unknown_ids(table, columns[0], targets))
    equal = [each for each in shares if shares[each] == shares[best] and each[0] != best[0]]
    if equal and shares[best] >= HALF and asked is None and _differ(table, best[0], equal[0][0]):
        what = f"the table may be joined by {best[0]} ({best[1]}) or {equal[0][0]} ({equal[0][1]})."
        raise DataError(Problem(what, table.source, hint=f"Choose one, for example: --set key={best[0]}"))
    return best


def _differ(table: ScoreTable, one: str, other: str) -> bool:
    return any(table.unit(row, one) != table.unit(row, other) for row in table.rows)


def _unknown_ids(table: ScoreTable, column: str, targets: dict[Target, Found]) -> Problem:
    """No id of the table is known: what both sides look like."""
    given = quote_names(list(dict.fromkeys(unit for row in table.rows if (unit := table.unit(row, column)))))
    there = "; ".join(f"{target} have {quote_names(list(known))}" for target, known in targets.items() if known)
    return Problem(
        f"no value of {column!r} ({given}) is an id in the conversations: {there}.",
        table.source,
        hint="Both files must use the same ids. If the ids are in another column, name it with --set key=COLUMN.",
    )


def _join(table: ScoreTable, column: str, target: Target, known: Found, joined: Joined, note: Note) -> None:
    into = {
        Target.SITUATION: joined.of_situations,
        Target.UTTERANCE: joined.of_utterances,
    }.get(target, joined.of_dialogues)
    counts: Counter[str] = Counter()
    missing: dict[str, None] = {}
    unclear: dict[str, None] = {}
    for row in table.rows:
        unit = table.unit(row, column)
        places = _places(row, known.get(unit, ()))
        if len({system for system, _ in places}) > 1 or (target is Target.PERSON and len(places) > 1):
            unclear[unit] = None
            continue
        if not places:
            missing[unit] = None
        counts["joined" if places else "missing"] += len(row.ratings)
        for place in places:
            own = into.setdefault(place, [])
            known_names = {(each.name, each.rater) for each in own}
            counts["again"] += sum((each.name, each.rater) in known_names for each in row.ratings)
            own.extend(row.ratings)
    if unclear:
        ids = quote_names(list(unclear))
        what = f"{len(unclear)} ids occur in several dialogues or systems, and no column tells them apart: {ids}."
        raise DataError(Problem(what, table.source, field=column, hint="Add a column with the system."))
    if not counts["joined"]:
        raise DataError(_other_systems(table, known))
    left = f"; {counts['missing']:,} name none of them ({quote_names(list(missing))})" if missing else ""
    again = counts.pop("again", 0)
    if again:
        what = f"{again:,} values repeat a rating of a unit, by the same or an unnamed rater; they were averaged."
        note(Problem(what, table.source, hint="If only the last one counts, leave out the others."))
    total = counts.total()
    note(Problem(f"{counts['joined']:,} of {total:,} values were joined to {target} by {column}{left}.", table.source))


def _other_systems(table: ScoreTable, known: Found) -> Problem:
    """The ids are known, but of other systems than those that the table names."""
    given = quote_names(list(dict.fromkeys(row.system for row in table.rows)))
    there = quote_names(list(dict.fromkeys(system for places in known.values() for system, _ in places)))
    return Problem(
        f"the ids are known, but the table is about the systems {given}, and the conversations are with {there}.",
        table.source,
        field=table.columns.system or "",
        hint="Put the system's name into the table of messages, or name a file's system: NAME=FILE.",
    )


def _places(row: ScoreRow, known: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return list(dict.fromkeys(place for place in known if not row.system or place[0] == row.system))
