"""Read the inputs of a run, and collect their problems and warnings."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from trialogue.datasets import AnyRecord, Repairs
from trialogue.datasets.door.units import foreign_items, nested_contexts
from trialogue.datasets.tables.joins import join
from trialogue.datasets.tables.mapping import Columns
from trialogue.datasets.tables.scores import ScoreTable, dialogues_of
from trialogue.errors import DataError, Problem, Unread, UsageError
from trialogue.inputs.locations import Input, inputs_of, reader_of
from trialogue.inputs.memory import Data, InMemory, in_memory, is_data
from trialogue.inputs.simulated_folder import catalogue_behind, seeds_behind
from trialogue.inputs.study_answers import DeclaredStudy, declared_study
from trialogue.languages import ENGLISH
from trialogue.long_work import with_progress
from trialogue.metrics.base import Conversation
from trialogue.metrics.engine.conversations import dialogues_in, evaluated_conversations
from trialogue.metrics.human_ratings import HumanRating, answers_among, ratings_among
from trialogue.records import (
    ClusterKind,
    Dialogue,
    DomainFit,
    Preference,
    Rated,
    Raters,
    Rating,
    Reading,
    Response,
    Score,
    Situation,
    UnreadColumns,
    Utterance,
    merge_turns,
    situations_of,
)
from trialogue.records.files.dialogue_store import StoredDialogues
from trialogue.records.trace import Trace, join_traces, trace_id_of

if TYPE_CHECKING:
    from trialogue.metrics.gates.detect import Vocabulary

OTEL = "otel"
"""Format of the traces in which calls of turns are looked for."""
UNDECLARED = (Raters.PEOPLE, Raters.UNKNOWN)
"""Kinds that a declared origin replaces: the others were declared by the data."""
RatedT = TypeVar("RatedT", Dialogue, Utterance)
UnitT = TypeVar("UnitT", Dialogue, Response)


@dataclass(repr=False)
class InputRecords:
    """All records that were read, by kind, in order."""

    dialogues: Sequence[Dialogue] = field(default_factory=list)
    """In memory as far as they fit, and else in a temporary file."""
    situations: list[Situation] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    preferences: list[Preference] = field(default_factory=list)
    hashes: dict[str, str] = field(default_factory=dict)
    """sha256 by input file."""
    catalogue: str | None = None
    """Catalogue of the items that needs are about, as ``load_catalogue`` takes it; None: unknown."""
    seeds: tuple[int, ...] = ()
    """Seeds of the simulations that dialogues are from."""
    chances: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """With which chance units, by system and id, were drawn to be rated; {}: nothing records a draw."""
    warnings: list[str] = field(default_factory=list)
    """Repairs and known defects, for the report."""
    reading: Reading = field(default_factory=Reading)
    """What was read and what was not."""
    labels_made_for: tuple[str, ...] | None = ENGLISH
    """Languages of the model that labelled strategies where people did not; None: any. Files do not say: those of older
    models are of English."""

    study: DeclaredStudy | None = None
    """What the study that they are from declared before its data; None: nothing, or they are from several sources."""
    _online: "tuple[Sequence[Dialogue], Collection[Conversation]] | None" = field(default=None, init=False, repr=False)
    _wishes: "tuple[Sequence[Dialogue], Vocabulary] | None" = field(default=None, init=False, repr=False)
    _rated: "tuple[Sequence[Dialogue], list[HumanRating]] | None" = field(default=None, init=False, repr=False)
    _domains: tuple[Sequence[Dialogue], tuple[DomainFit, ...]] | None = field(default=None, init=False, repr=False)

    def __repr__(self) -> str:
        kinds = ("dialogues", "situations", "responses", "scores", "preferences")
        return f"<Material: {', '.join(f'{len(getattr(self, kind))} {kind}' for kind in kinds)}>"

    def online(self) -> Collection[Conversation]:
        """Conversations of evaluated systems; those of baselines only if there is nothing else."""
        if self._online is None or self._online[0] is not self.dialogues:
            self._online = self.dialogues, evaluated_conversations(self.dialogues)
        return self._online[1]

    @property
    def wishes(self) -> "Vocabulary | None":
        """What users of evaluated systems could wish for; None: nobody looked through the dialogues for it."""
        return self._wishes[1] if self._wishes is not None and self._wishes[0] is self.dialogues else None

    def look_for_wishes(self, conversations: Iterable[Conversation]) -> None:
        """Keep what the users of ``online()`` could wish for."""
        # Here, as scores alone need no patterns of what users do.
        from trialogue.metrics.gates.detect import vocabulary_of

        needs = (each.need for each in dialogues_in(conversations))
        self._wishes = self.dialogues, vocabulary_of(need for need in needs if need is not None)

    @property
    def rated(self) -> list[HumanRating] | None:
        """Questions that ratings on ``online()`` answer; None: nobody looked for them."""
        return self._rated[1] if self._rated is not None and self._rated[0] is self.dialogues else None

    def look_for_ratings(self, conversations: Iterable[Conversation]) -> None:
        """Keep what ratings on ``online()`` are about; those in files of their own are not among them.

        Raises:
            DataError: ratings of one name are on different scales.
        """
        self._rated = self.dialogues, ratings_among(conversations)

    @property
    def domains(self) -> tuple[DomainFit, ...] | None:
        """Fits of ``online()`` to the domains of learned default metrics; None: nobody looked at them."""
        return self._domains[1] if self._domains is not None and self._domains[0] is self.dialogues else None

    def keep_domains(self, fits: tuple[DomainFit, ...]) -> None:
        """Keep what was found of ``online()``."""
        self._domains = self.dialogues, fits

    def __bool__(self) -> bool:
        """Whether there is anything to evaluate: conversations, replies, people's answers about some, or their votes."""
        return bool(self.dialogues or self.responses or answers_among(self.scores) or self.preferences)


def sources_of(
    given: Iterable[str | Path | Input | InMemory | Data],
    *,
    format_name: str | None = None,
    mapping: Columns | None = None,
) -> list[Input | InMemory]:
    """Distinct inputs, and in-memory data; arguments as for ``gather``."""
    found: list[Input | InMemory] = []
    for one in given:
        if isinstance(one, InMemory):
            found.append(one)
        elif isinstance(one, str | Path | Input):
            inputs = inputs_of([one], format_name=format_name, mapping=mapping)
            found += [each for each in inputs if each not in found]
        elif is_data(one):
            found.append(in_memory(one, mapping=mapping))
        else:
            expected = "a file, a corpus, a data frame, a dictionary or a list"
            raise UsageError(f"expected {expected} as input, got an object of type {type(one).__name__}.")
    return found


def gather(
    given: Sequence[str | Path | Input | InMemory | Data],
    *,
    format_name: str | None = None,
    mapping: Columns | None = None,
    origin: Raters | None = None,
    key: str | None = None,
    tell: Callable[[str], None] = lambda _line: None,
) -> InputRecords:
    """Read all inputs. Tables of scores beside conversations are joined to them (``datasets.tables.joins``).

    Args:
        given: corpora, files, ``"SYSTEM=file"``, what these were resolved to, or data in memory (``inputs.memory``);
            one that is named twice is read once.
        format_name: format of the files, if it is not to be auto-detected.
        mapping: which column of a table is what, as fields or a YAML file that holds them.
        origin: who gave the ratings for which the data declare no script, model or program; None: as the data say.
        key: column by which tables of scores are joined; None: the one whose ids are known.
        tell: called with progress lines.

    Raises:
        DataError: a file cannot be read, nothing was found in it, or ids clash; every mistake of a file at once.
    """
    material = InputRecords()
    repairs = Repairs()
    dialogues = StoredDialogues()
    known: dict[str | None, dict[str, str]] = {}
    places: dict[str, dict[str, None]] = {}
    clashes: list[Problem] = []
    account = _Account()
    tables: list[ScoreTable] = []
    turns = _TracesOfTurns()
    read = sources_of(given, format_name=format_name, mapping=mapping)
    traces = [item for item in read if len(read) > 1 and _is_trace(item)]
    for item in sorted(read, key=lambda each: each in traces):  # behind the dialogues whose turns they are of
        before = _count(material, dialogues)
        earlier = len(repairs.problems)
        if len(read) > 1 and (table := item.score_table(repairs)) is not None:
            tables.append(table)
            material.hashes.update(_with_own_names(item.digests(), material.hashes))
            continue
        total = item.lines if isinstance(item, Input) else None
        for record in with_progress(item.records(repairs), tell, f"records read of {item}", total):
            record = _with_origin(origin, record)
            if traces and isinstance(record, Dialogue) and turns.take(record, is_trace=item in traces):
                continue
            account.see(record)
            if isinstance(record, Dialogue | Response) and record.system is not None:
                places.setdefault(record.system, {})[item.given] = None
            if isinstance(record, Dialogue):
                dialogues.append(record)
                clashes.extend(_clash(known, record, item.given))
            else:
                _add(material, record)
        if _count(material, dialogues) == before and not (turns.found and item in traces):
            why = "\n".join(summarise_repairs(repairs.problems[earlier:]))
            raise DataError(Problem("it contains nothing to evaluate.", file=item.given), hint=why)
        material.hashes.update(_with_own_names(item.digests(), material.hashes))
        if item.corpus is not None:
            material.warnings.extend(f"{item.corpus.source.title}: {text}" for text in item.corpus.source.defects)
    if clashes:
        raise DataError(clashes, hint="Ids must be unique within a system. To keep two versions apart: NAME=FILE.")
    if tables and not (dialogues or material.responses):
        for record in (_with_origin(origin, each) for table in tables for each in dialogues_of(table, table.source)):
            account.see(record)
            if isinstance(record, Dialogue):
                dialogues.append(record)
        tables = []
    if turns.found:
        dialogues = dialogues.with_change(turns.with_traces)
        material.warnings.append(turns.note())
    if tables:
        joined = join(tables, dialogues, material.responses, repairs, key=key)
        dialogues = dialogues.with_change(lambda each: _declare_origin(origin, joined.dialogue(each)))
        material.responses = [_declare_origin(origin, joined.response(each)) for each in material.responses]
        account = _Account()
        for kind in (dialogues, material.situations, material.responses):
            for each in kind:
                account.see(each)
    material.dialogues = dialogues
    declared = {declared_study(each.path) for each in read if isinstance(each, Input) and each.corpus is None}
    material.study = declared.pop() if len(declared) == 1 else None
    material.catalogue = catalogue_behind(each.path for each in read if isinstance(each, Input))
    material.seeds = seeds_behind(each.path for each in read if isinstance(each, Input))
    material.situations = list(_each_once(material.situations))
    mistakes, foreign = foreign_items(material.situations, material.responses)
    if mistakes:
        raise DataError(mistakes)
    material.warnings.extend(foreign)
    material.warnings.extend(_in_several(places))
    material.warnings.extend(_without_dialogues(material.situations))
    material.warnings.extend(summarise_repairs(each for each in repairs.problems if not isinstance(each, Unread)))
    unread = [each for each in repairs.problems if isinstance(each, Unread)]
    material.warnings.extend(summarise_repairs(each for each in unread if each.may_be_system or each.may_be_feedback))
    material.reading = account.reading(unread)
    return material


def _is_trace(item: Input | InMemory) -> bool:
    if not isinstance(item, Input) or item.corpus is not None:
        return False
    return (item.reader or reader_of(item.path, lambda _: None)).name == OTEL


@dataclass
class _TracesOfTurns:
    """What traces hold of turns whose agent reported the id of a trace, by this id."""

    asked: set[str] = field(default_factory=set)
    """Ids that replies of dialogues refer to."""
    found: dict[str, Trace] = field(default_factory=dict)
    """What was recorded under them."""

    def take(self, dialogue: Dialogue, *, is_trace: bool) -> bool:
        """See a dialogue; whether it is a trace of turns that were seen before, and no dialogue of its own."""
        named = [(trace_id_of(said), said.trace) for said in dialogue.utterances if said.speaker == "system"]
        if not is_trace:
            self.asked.update(name for name, _ in named if name)
            return False
        if self.asked.isdisjoint(name for name, _ in named):
            return False
        for name, trace in named:
            if name in self.asked and (joined := join_traces([self.found.get(name), trace])) is not None:
                self.found[name] = joined
        return True

    def with_traces(self, dialogue: Dialogue) -> Dialogue:
        """A dialogue whose turns have what was recorded under their ids, where they do not say it themselves."""
        said = list(dialogue.utterances)
        waiting = dict(self.found)
        for place, each in enumerate(said):
            found = waiting.pop(trace_id_of(each), None) if each.speaker == "system" else None  # of a burst, the first
            if found is not None:
                own = each.trace or Trace()
                more = {name: value for name, value in found if getattr(own, name) is None}
                said[place] = each.model_copy(update={"trace": own.model_copy(update=more)})
        is_same = len(waiting) == len(self.found)
        return dialogue if is_same else dialogue.model_copy(update={"utterances": tuple(said)})

    def note(self) -> str:
        """How many turns have a trace."""
        return f"{len(self.found):,} of {len(self.asked):,} turns with the id of a trace were found in the traces."


class _By(IntEnum):
    """Who rated a unit, at most."""

    NOBODY = 0
    OTHERS = 1
    """Models, programs, or nobody knows who."""
    PEOPLE = 2
    """People, or their stand-ins in a rehearsal."""


NO_PERSONS = (Raters.MODEL, Raters.PROGRAM, Raters.UNKNOWN)


@dataclass
class _Account:
    """Counts what passes."""

    dialogues: dict[str, dict[str, _By]] = field(default_factory=dict)
    """By system and id: who rated it."""
    replies: dict[str, Counter[_By]] = field(default_factory=dict)
    """By system: replies by who rated them."""
    clusters: Counter[ClusterKind] = field(default_factory=Counter)

    def see(self, record: AnyRecord) -> None:
        """Count one record; answers of people in files of their own follow the dialogues that they are about."""
        match record:
            case Dialogue():
                self.clusters[record.cluster_kind] += 1
                given = [*record.ratings, *(rating for said in record.utterances for rating in said.ratings)]
                self.dialogues.setdefault(record.system or "", {})[record.id] = self._rated_by(given)
            case Situation():
                self.clusters[record.cluster_kind] += 1
            case Response():
                self.replies.setdefault(record.system, Counter())[self._rated_by(record.utterance.ratings)] += 1
            case Score() if record.rater is not None and record.dialogue_id is not None:
                own = self.dialogues.get(record.system or "", {})
                if record.dialogue_id in own:
                    own[record.dialogue_id] = max(own[record.dialogue_id], self._rated_by([record]))
            case _:
                pass

    @staticmethod
    def _rated_by(given: Iterable[Rating | Score]) -> _By:
        kinds = [each.raters for each in given]
        return _By.PEOPLE if any(kind not in NO_PERSONS for kind in kinds) else _By.OTHERS if kinds else _By.NOBODY

    def reading(self, unread: Iterable[Unread]) -> Reading:
        """The account."""
        everybody = [each for own in self.dialogues.values() for each in own.values()]
        everybody += [each for counts in self.replies.values() for each in counts]
        least = _By.PEOPLE if _By.PEOPLE in everybody else _By.OTHERS
        rated = {
            name: Rated(rated=sum(each >= least for each in own.values()), units=len(own))
            for name, own in self.dialogues.items()
        }
        of_replies = {
            name: Rated(
                rated=sum(times for each, times in counts.items() if each >= least),
                units=counts.total(),
                is_of_dialogues=False,
            )
            for name, counts in self.replies.items()
            if name not in rated
        }
        return Reading(
            rated=dict(sorted((rated | of_replies).items())),
            clusters={kind: self.clusters[kind] for kind in ClusterKind if self.clusters[kind]},
            unread=tuple(
                UnreadColumns(
                    file=Path(each.file).name,
                    names=each.columns,
                    may_be_feedback=each.may_be_feedback,
                    may_be_system=each.may_be_system,
                )
                for each in unread
            ),
        )


def _with_origin(origin: Raters | None, record: AnyRecord) -> AnyRecord:
    """A record with the declared origin of its ratings, or of its vote."""
    if isinstance(record, Preference) and origin is not None and record.raters in UNDECLARED:
        return record.model_copy(update={"raters": origin})
    if isinstance(record, Dialogue):
        return _declare_origin(origin, record)
    return _declare_origin(origin, record) if isinstance(record, Response) else record


def _declare_origin(origin: Raters | None, record: UnitT) -> UnitT:
    if origin is None:
        return record
    if isinstance(record, Response):
        return record.model_copy(update={"utterance": _rated_by(origin, record.utterance)})
    utterances = tuple(_rated_by(origin, said) if said.ratings else said for said in record.utterances)
    return _rated_by(origin, record).model_copy(update={"utterances": utterances})


def _rated_by(origin: Raters, record: RatedT) -> RatedT:
    ratings = tuple(
        rating.model_copy(update={"raters": origin}) if rating.raters in UNDECLARED else rating
        for rating in record.ratings
    )
    return record.model_copy(update={"ratings": ratings})


def _each_once(situations: Iterable[Situation]) -> Iterator[Situation]:
    """Without duplicates: files of several systems may each contain the situations. Those that differ are reported later."""
    known: dict[str, Situation] = {}
    for situation in situations:
        if situation.id not in known or known[situation.id] != situation:
            yield situation
        known.setdefault(situation.id, situation)


def _without_dialogues(situations: Sequence[Situation]) -> Iterator[str]:
    """A line where replies belong to the same dialogues and nothing says to which."""
    alone = [situation for situation in situations if situation.dialogue_id is None]
    nested = nested_contexts([(said.speaker, said.text) for said in each.context] for each in alone)
    if nested:
        yield (
            f"{nested:,} of {len(alone):,} contexts go on from another context, so their replies belong together. "
            "No dialogue_id says from which: each reply counts as a cluster of its own, and intervals may be too narrow."
        )


def _in_several(places: dict[str, dict[str, None]]) -> list[str]:
    """A line for each system that several inputs hold: perhaps two versions that were meant to stay apart."""
    return [
        f"{system} is in {', '.join(found)}: treated as one system. To keep versions apart: NAME=FILE."
        for system, found in sorted(places.items())
        if len(found) > 1
    ]


def _count(material: InputRecords, dialogues: StoredDialogues) -> int:
    of_replies = len(material.situations) + len(material.responses) + len(material.preferences)
    return len(dialogues) + of_replies + len(material.scores)


def _add(material: InputRecords, record: AnyRecord) -> None:
    match record:
        case Situation():
            material.situations.append(record)
        case Response():
            material.responses.append(record)
        case Score():
            material.scores.append(record)
        case Preference():
            material.preferences.append(record)


def _clash(origin: dict[str | None, dict[str, str]], dialogue: Dialogue, given: str) -> Iterator[Problem]:
    own = origin.setdefault(dialogue.system, {})
    if (first := own.get(dialogue.id)) is not None:
        where = "twice" if first == given else f"in {first} as well"
        what = f"dialogue {dialogue.id!r} of system {dialogue.system!r} occurs {where}."
        yield Problem(what, file=given, kind=f"{dialogue.system!r} {where}")
    own.setdefault(dialogue.id, given)


def _with_own_names(digests: dict[str, str], taken: dict[str, str]) -> dict[str, str]:
    """Checksums under names that no other input has."""
    hashes: dict[str, str] = {}
    for given, digest in digests.items():
        name = given
        while name in taken or name in hashes:
            name += "'"
        hashes[name] = digest
    return hashes


def summarise_repairs(problems: Iterable[Problem], most: int = 12) -> list[str]:
    """Repairs as sentences: repeated repairs of one file once, with their count."""
    counts = Counter((Path(problem.file).name, problem.what, problem.hint) for problem in problems)
    sentences = [
        (f"{file}: " if file else "") + what + (f" ({count} times)" if count > 1 else "") + (f" {hint}" if hint else "")
        for (file, what, hint), count in counts.items()
    ]
    if len(sentences) > most:
        sentences = [*sentences[:most], f"... and {len(sentences) - most} more kinds of repair."]
    return sentences


def situations_in(material: InputRecords) -> list[Situation]:
    """The given situations, or else those of dialogues with human recommenders."""
    if material.situations:
        return material.situations
    return [situation for dialogue in material.dialogues for situation in situations_of(merge_turns(dialogue))]
