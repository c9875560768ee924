"""The audit of a sample alone, as a linter: of data sets, of submissions to a shared task, and of runs with their seals."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import ClassVar

from trialogue.analysis.saved_results import SCORES, holds_run, read_run
from trialogue.datasets.tables.mapping import Columns
from trialogue.errors import DataError, Problem, UsageError
from trialogue.findings.wording import list_names
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.inputs.populations import measured_units
from trialogue.metrics.engine.conversations import evaluated_conversations, offline_conversations
from trialogue.records import MeasuredUnits, Rated, Record, Response, Situation
from trialogue.records.kinds.suspicions import Suspicion
from trialogue.records.runs import MANIFEST, open_run, writer_of


class CheckCode(StrEnum):
    """What a check finds."""

    SUSPECTED_FAILURES = "suspected_failures"
    """Replies that look like failures that nobody recorded."""
    COPIED_UNITS = "copied_units"
    """Units that are equal, or nearly so."""
    SHARED_DIALOGUES = "shared_dialogues"
    """Dialogues that two systems have, with different people."""
    COPIED_REFERENCES = "copied_references"
    """Replies that repeat the reference."""
    UNEQUALLY_RATED = "unequally_rated"
    """Systems whose dialogues are rated less often than those of another one."""
    MISSING_CASES = "missing_cases"
    """Situations without a reply by a system that replies to others."""
    REPEATED_ITEMS = "repeated_items"
    """Rankings in which an item stands twice."""
    UNKNOWN_ITEMS = "unknown_items"
    """Rankings with items that the catalogue lacks."""
    LEAKED_TARGETS = "leaked_targets"
    """Situations whose context or id names a target."""
    UNKNOWN_TARGETS = "unknown_targets"
    """Situations with a target that the catalogue lacks."""
    READ_IN_PART = "read_in_part"
    """What was repaired, left out or not understood when the input was read."""


TEXTS = {
    CheckCode.SUSPECTED_FAILURES: "look like failures that nobody recorded",
    CheckCode.COPIED_UNITS: "are copies of others",
    CheckCode.SHARED_DIALOGUES: "are dialogues of another system, too, with different people",
    CheckCode.COPIED_REFERENCES: "repeat the reference",
    CheckCode.UNEQUALLY_RATED: "have no rating, a larger share than of another system",
    CheckCode.MISSING_CASES: "have no reply",
    CheckCode.REPEATED_ITEMS: "have a ranking in which an item stands twice",
    CheckCode.UNKNOWN_ITEMS: "have a ranking with items that the catalogue lacks",
    CheckCode.LEAKED_TARGETS: "name a target in their context or id",
    CheckCode.UNKNOWN_TARGETS: "have a target that the catalogue lacks",
}
LONG_ID = 6  # letters of an id that is no word
LONG_TITLE = 4  # letters of a title of one word
MOST_NAMED = 5  # ids in a line


class CheckFinding(Record):
    """One thing that is wrong with a system's units, or with those of all."""

    kind: ClassVar[str] = "check"

    code: CheckCode
    """Kind of finding."""
    system: str | None
    """The system; None: the situations, and no system in particular."""
    count: int
    """Units that it is about."""
    units: int
    """Number of units that ``count`` is out of."""
    ids: tuple[str, ...] = ()
    """Ids of those that it is about."""
    detail: str = ""
    """What reading says; "" if it is about units."""

    @property
    def text(self) -> str:
        """In one line."""
        if self.detail:
            return self.detail
        more = f" and {len(self.ids) - MOST_NAMED} more" if len(self.ids) > MOST_NAMED else ""
        ids = f": {', '.join(self.ids[:MOST_NAMED])}{more}" if self.ids else ""
        head = "situations" if self.system is None else self.system
        return f"{head}: {self.count:,} of {self.units:,} {TEXTS[self.code]}{ids}"


def check(
    *given: str | Path, mapping: Columns | None = None, format_name: str | None = None, catalogue: str | None = None
) -> tuple[CheckFinding, ...]:
    """What is suspicious in data or runs, without measuring anything.

    Args:
        given: corpora, files, ``SYSTEM=FILE``, or folders of runs, whose files are compared with their seals.
        mapping: which column of a table is what.
        format_name: input format (default: auto-detect).
        catalogue: corpus or file of items, to report ranked items that are missing from it.

    Raises:
        UsageError: a blank name, or only runs with options that files are read with.
        DataError: files that cannot be read, and runs that are not what was sealed: all of them at once.
    """
    if not all(str(each).strip() for each in given):
        raise UsageError("one of the inputs is blank: name a file, a folder of a run or a corpus.")
    runs = [folder for each in given for folder in _runs_in(Path(each))]
    files = [each for each in given if not _runs_in(Path(each))]
    options = {"mapping": mapping, "format": format_name, "catalogue": catalogue}
    unused = [f"--{name}" for name, value in options.items() if value is not None]
    if unused and not files:
        raise UsageError(
            f"{list_names(unused)} {'is' if len(unused) == 1 else 'are'} for files, and only runs were given."
        )
    found: list[CheckFinding] = []
    wrong: list[Problem] = []
    for folder in runs:
        try:
            found += _of_run(folder)
        except DataError as error:
            wrong += error.problems
    if files:
        items = _items_of(catalogue)
        read = partial(gather, format_name=format_name, mapping=mapping)
        try:
            found += _of_material(read(files), items)
        except DataError as error:
            wrong += _problems_of(files, read) or error.problems
    if wrong:
        raise DataError(wrong)
    return tuple(found)


def _runs_in(folder: Path) -> list[Path]:
    """A run with the runs of its stages, or the runs of a folder that holds nothing else."""
    if _holds_results(folder):
        return [folder, *(each.parent for each in sorted(folder.glob(f"*/**/{MANIFEST}")))]
    held = [each for each in sorted(folder.iterdir()) if each.name[0] != "."] if folder.is_dir() else []
    return held if all(map(_holds_results, held)) else []


def _holds_results(folder: Path) -> bool:
    """Whether a folder holds what a command wrote and sealed, or what is left of it, and no conversations."""
    return holds_run(folder) or writer_of(folder) is not None


def _of_run(folder: Path) -> Iterator[CheckFinding]:
    stored = open_run(folder)
    stored.check()
    if SCORES not in stored:
        return  # a board, judgements or a study's findings: there is no sample to audit
    read = read_run(folder)
    yield from _of_tables([each for each in read.counts if isinstance(each, MeasuredUnits)])
    yield from _unequally_rated(read.concluded.reading.rated)


def _problems_of(files: Sequence[str | Path], read: Callable[[Sequence[str | Path]], InputRecords]) -> list[Problem]:
    """What is wrong with each file by itself; [] if that is only wrong with all of them together."""
    found: list[Problem] = []
    for each in files:
        try:
            read([each])
        except DataError as error:
            found += error.problems
    return found


def _items_of(catalogue: str | None) -> Mapping[str, str] | None:
    """Titles of items by id."""
    if catalogue is None:
        return None
    from trialogue.inputs.knowledge import load_catalogue  # here: most checks need no catalogue

    return {name: item.title for name, item in load_catalogue(catalogue).catalogue.items()}


def _of_material(material: InputRecords, items: Mapping[str, str] | None) -> Iterator[CheckFinding]:
    for line in material.warnings:
        yield CheckFinding(code=CheckCode.READ_IN_PART, system=None, count=1, units=1, detail=line)
    online = evaluated_conversations(material.dialogues)
    offline = offline_conversations(material.situations, material.responses)
    yield from _of_tables(list(measured_units(online, offline, material.situations)))
    yield from _unequally_rated(material.reading.rated)
    yield from _of_rankings(material.situations, material.responses, items)


def _of_tables(tables: Sequence[MeasuredUnits]) -> Iterator[CheckFinding]:
    for table in tables:
        suspects = [name for sign in Suspicion for name in table.suspects.get(sign, ())]
        groups = {name for group in (*table.copies, *table.near_copies, *table.one_sided) for name in group[1:]}
        for code, names in (
            (CheckCode.SUSPECTED_FAILURES, suspects),
            (CheckCode.COPIED_UNITS, [name for name in table.ids if name in groups]),
            (CheckCode.SHARED_DIALOGUES, table.twins),
            (CheckCode.COPIED_REFERENCES, table.echoes),
        ):
            if names:
                yield _finding(code, table.system, names, len(table.ids))


def _finding(code: CheckCode, system: str | None, names: Sequence[str], units: int) -> CheckFinding:
    return CheckFinding(code=code, system=system, count=len(names), units=units, ids=tuple(names))


def _unequally_rated(rated: dict[str, Rated]) -> Iterator[CheckFinding]:
    """Systems that are rated less often than the one that is rated most."""
    from trialogue.stats.contingency import fisher_p

    if not any(each.rated for each in rated.values()):
        return
    most = max(rated.values(), key=lambda each: each.rated / each.units)
    for system, each in rated.items():
        lacking = each.units - each.rated
        if lacking and fisher_p(lacking, each.units, most.units - most.rated, most.units) < 0.05:
            yield CheckFinding(code=CheckCode.UNEQUALLY_RATED, system=system, count=lacking, units=each.units)


def _of_rankings(
    situations: Sequence[Situation], responses: Sequence[Response], items: Mapping[str, str] | None
) -> Iterator[CheckFinding]:
    by_system: dict[str, list[Response]] = {}
    for response in responses:
        by_system.setdefault(response.system, []).append(response)
    known = [each.id for each in situations]
    for system, own in by_system.items():
        answered = {each.situation_id for each in own if each.utterance.text.strip() or each.utterance.ranking}
        missing = [name for name in known if name not in answered]
        twice = [each.situation_id for each in own if _repeats(each.utterance.ranking or ())]
        strange = [
            each.situation_id
            for each in own
            if items is not None and any(item not in items for item in each.utterance.ranking or ())
        ]
        for code, names in (
            (CheckCode.MISSING_CASES, missing),
            (CheckCode.REPEATED_ITEMS, twice),
            (CheckCode.UNKNOWN_ITEMS, strange),
        ):
            if names:
                yield _finding(code, system, names, len(known) if code is CheckCode.MISSING_CASES else len(own))
    for code, names in (
        (CheckCode.LEAKED_TARGETS, [each.id for each in situations if _names_target(each, items or {})]),
        (
            CheckCode.UNKNOWN_TARGETS,
            [each.id for each in situations if items and set(each.targets or ()) - items.keys()],
        ),
    ):
        if names:
            yield _finding(code, None, names, len(situations))


def _repeats(ranking: Sequence[str]) -> bool:
    """Whether an item stands twice, perhaps with its id in other case or with spaces."""
    return max(Counter(each.strip().casefold() for each in ranking).values(), default=0) > 1


def _names_target(situation: Situation, titles: Mapping[str, str]) -> bool:
    """Whether the context mentions a target, or it or the situation's id holds a target's id, or the context its title.

    An id of digits alone, or of few letters, is too often something else; a title of one word counts as it is spelt.
    """
    targets = set(situation.targets or ())
    if not targets.isdisjoint({each.item_id for said in situation.context for each in said.mentions or ()}):
        return True
    said = "\n".join(each.text for each in situation.context)
    for target in targets:
        is_telling = not target.isdigit() and (not target.isalpha() or len(target) >= LONG_ID)
        if is_telling and (_holds(said, target) or _holds(situation.id, target)):
            return True
        title = titles.get(target, "")
        if " " in title.strip():
            if _holds(said.casefold(), title.casefold()):
                return True
        elif len(title) >= LONG_TITLE and _holds(said, title):
            return True
    return False


def _holds(text: str, name: str) -> bool:
    """Whether a text holds a name, not as a part of a word."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
