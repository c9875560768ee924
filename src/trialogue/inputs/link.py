"""Link items in unannotated texts before measurement."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import islice, repeat
from pathlib import Path

from trialogue.catalogue import TitleLinker
from trialogue.catalogue.presenting.check import TitleCheck
from trialogue.catalogue.presenting.claims import ClaimCheck
from trialogue.catalogue.presenting.real_items import read_real_items
from trialogue.dask_cluster import ALONE, Workers
from trialogue.errors import DataError, Problem, TrialogueError, UsageError
from trialogue.inputs.inputs import InputRecords
from trialogue.inputs.knowledge import DEMO, load_catalogue, state_of
from trialogue.long_work import PerObject, few_collections, with_progress
from trialogue.records import Dialogue, Mention, Response, Situation, Utterance
from trialogue.records.files.dialogue_store import as_stored

REPLIES = 512  # different ones that a worker searches at once


def link_step(
    catalogue: str, *, known: str | Path | None = None, date: int | None = None
) -> Callable[[InputRecords], InputRecords]:
    """Preparation step that adds mentions of items to unannotated utterances.

    Args:
        catalogue: a corpus or a file.
        known: a list of real items, for titles that the catalogue does not have.
        date: year up to which items are in the catalogue; None: as it says itself.
    """
    knowledge = load_catalogue(catalogue)
    is_invented = catalogue == DEMO  # ratings drawn by a formula say nothing about which film people mean
    popularity = None if knowledge.ratings is None or is_invented else knowledge.ratings.popularity()
    linker = TitleLinker(knowledge.catalogue, popularity=popularity)
    check = _Check(linker, known, date)

    def prepare(material: InputRecords) -> InputRecords:
        return replace(
            material,
            catalogue=catalogue,
            dialogues=as_stored(material.dialogues).with_change(lambda dialogue: check.dialogue(linker.link(dialogue))),
            situations=[_situation(linker, situation) for situation in material.situations],
            responses=[_response(linker, check, response) for response in material.responses],
        )

    return prepare


def catalogue_step(catalogue: str) -> Callable[[InputRecords], InputRecords]:
    """Preparation step that states which catalogue the needs of users are about; mentions stay as they are."""
    return partial(replace, catalogue=catalogue)


def _situation(linker: TitleLinker, situation: Situation) -> Situation:
    changes: dict[str, object] = {"context": tuple(linker.link_utterance(each) for each in situation.context)}
    if situation.reference is not None:
        reference = linker.link_utterance(situation.reference)
        changes["reference"] = reference
        if situation.targets is None:
            mentions = reference.mentions or ()
            changes["targets"] = tuple(mention.item_id for mention in mentions if mention.item_id is not None)
    return situation.model_copy(update=changes)


def _response(linker: TitleLinker, check: "_Check", response: Response) -> Response:
    return response.model_copy(update={"utterance": check.utterance(linker.link_utterance(response.utterance))})


def check_titles(
    material: InputRecords,
    *,
    known: str | Path | None = None,
    date: int | None = None,
    tell: Callable[[str], None] = lambda _line: None,
    workers: Workers = ALONE,
) -> InputRecords:
    """Records in which titles that the catalogue of simulated users does not have are marked; a step before measurement.

    A catalogue that is not on this machine any more is passed over: nobody looked, and the measure says so.

    Args:
        material: the records, with the name of the catalogue.
        known: a list of real items.
        date: year up to which items are in the catalogue.
        tell: called with progress lines.
        workers: search texts for titles.

    Raises:
        UsageError: a list of real items, and no catalogue that they would be looked up beside.
    """
    if material.catalogue is None:
        if known is not None or date is not None:
            raise UsageError(
                "a list of real items (known) and the date of a catalogue require a catalogue: add "
                "--catalogue items.csv."
            )
        return material
    if any(map(_is_checked, material.dialogues[:1])):
        return material
    try:
        knowledge = load_catalogue(material.catalogue)
    except TrialogueError:
        return material
    check, dialogues = _Check(TitleLinker(knowledge.catalogue), known, date), as_stored(material.dialogues)
    if workers:
        check.look_up(dialogues.utterances, CheckTask(material.catalogue, known, date), workers, tell)
    steps = with_progress(repeat(None), tell, "different messages searched for titles", dialogues.different)

    def change(said: Utterance) -> Utterance:
        next(steps)
        return check.utterance(said) if said.speaker == "system" else said

    return replace(material, dialogues=dialogues.with_utterances(change))


class _Check:
    """What a system says, with the titles that the catalogue lacks and the claims about its items."""

    def __init__(self, linker: TitleLinker, known: str | Path | None, date: int | None) -> None:
        real = None if known is None else read_real_items(known)
        self._titles, self._claims = TitleCheck(linker, real=real, date=date), ClaimCheck(linker.catalogue)
        self._seen: dict[tuple[str, tuple[Mention, ...] | None], dict[str, object]] = {}
        self.utterance = PerObject(self._utterance)
        """An utterance with what is found in it."""

    def dialogue(self, dialogue: Dialogue) -> Dialogue:
        """A dialogue; its user's words stay as they are."""
        said = tuple(self.utterance(each) if each.speaker == "system" else each for each in dialogue.utterances)
        return dialogue.model_copy(update={"utterances": said})

    def _utterance(self, utterance: Utterance) -> Utterance:
        """An utterance; the same words with the same items, as of a list for all users, are looked at once."""
        key = utterance.text, utterance.mentions
        if key not in self._seen:
            self._seen[key] = self.findings(utterance)
        return utterance.model_copy(update=self._seen[key])

    def findings(self, utterance: Utterance) -> dict[str, object]:
        """Fields of an utterance that are found in its words."""
        found = self._titles.findings(utterance.text, utterance.mentions)
        others = (*(found["unrecognised"] or ()), *(found["outside"] or ()))
        claims = self._claims.claims(utterance.text, found["mentions"] or (), others)
        return {**found, "claims": claims}

    def look_up(
        self, utterances: Iterable[Utterance], task: "CheckTask", workers: Workers, tell: Callable[[str], None]
    ) -> None:
        """Have workers look at what systems say, at each text once.

        Raises:
            DataError: every worker was killed at some of the texts.
        """
        said = (each for each in utterances if each.speaker == "system")
        different = iter({(each.text, each.mentions): each for each in said}.values())
        groups = iter(lambda: tuple(islice(different, REPLIES)), ())
        parts = (Replies(group, 1 + place * REPLIES) for place, group in enumerate(groups))
        problems: list[Problem] = []
        results = workers.map(check_replies, parts, task, purpose="evaluate on a Dask cluster")
        for part, found in with_progress(results, tell, f"times {REPLIES} replies searched for titles"):
            if isinstance(found, list):
                problems += found
                continue
            for each, fields in zip(part.utterances, found, strict=True):
                self._seen[each.text, each.mentions] = fields
        if problems:
            raise DataError(problems)


@dataclass(frozen=True)
class CheckTask:
    """Where titles are looked up: a catalogue, a list of real items, and the year of the catalogue's latest."""

    catalogue: str
    known: str | Path | None
    date: int | None


@dataclass(frozen=True)
class Replies:
    """Different replies, with their items."""

    utterances: tuple[Utterance, ...]
    first: int

    @property
    def given(self) -> str:
        """Which ones, for messages."""
        return f"replies {self.first:,} to {self.first + len(self.utterances) - 1:,}"


def _check_of(task: CheckTask) -> _Check:
    return _kept_check(task, state_of(task.catalogue), state_of(None if task.known is None else str(task.known)))


@lru_cache(maxsize=1)
def _kept_check(task: CheckTask, *_states: object) -> _Check:
    return _Check(TitleLinker(load_catalogue(task.catalogue).catalogue), task.known, task.date)


@few_collections()
def check_replies(part: Replies, task: CheckTask) -> tuple[dict[str, object], ...] | list[Problem]:
    """What is found in replies."""
    check = _check_of(task)
    return tuple(check.findings(each) for each in part.utterances)


def _is_checked(dialogue: Dialogue) -> bool:
    return any(said.unrecognised is not None for said in dialogue.utterances)
