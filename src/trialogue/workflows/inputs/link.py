"""Link items in unannotated texts before measurement."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from trialogue.catalogue import TitleLinker
from trialogue.catalogue.presenting.check import TitleCheck
from trialogue.catalogue.presenting.claims import ClaimCheck
from trialogue.catalogue.presenting.real_items import read_real_items
from trialogue.errors import TrialogueError, UsageError
from trialogue.long_work import with_progress
from trialogue.records import Dialogue, Mention, Response, Situation, Utterance
from trialogue.records.files.dialogue_store import keep_as, map_dialogues
from trialogue.workflows.inputs.inputs import InputRecords
from trialogue.workflows.inputs.knowledge import DEMO, load_catalogue


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
            dialogues=map_dialogues(lambda dialogue: check.dialogue(linker.link(dialogue)), material.dialogues),
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
) -> InputRecords:
    """Records in which titles that the catalogue of simulated users does not have are marked; a step before measurement.

    A catalogue that is not on this machine any more is passed over: nobody looked, and the measure says so.

    Args:
        material: the records, with the name of the catalogue.
        known: a list of real items.
        date: year up to which items are in the catalogue.
        tell: called with progress lines.

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
    if any(_is_checked(dialogue) for dialogue in material.dialogues[:1]):
        return material
    try:
        knowledge = load_catalogue(material.catalogue)
    except TrialogueError:
        return material
    check = _Check(TitleLinker(knowledge.catalogue), known, date)
    looked = with_progress(material.dialogues, tell, "dialogues searched for titles", len(material.dialogues))
    return replace(material, dialogues=keep_as(material.dialogues, map(check.dialogue, looked)))


class _Check:
    """What a system says, with the titles that the catalogue lacks and the claims about its items."""

    def __init__(self, linker: TitleLinker, known: str | Path | None, date: int | None) -> None:
        real = None if known is None else read_real_items(known)
        self._titles, self._claims = TitleCheck(linker, real=real, date=date), ClaimCheck(linker.catalogue)
        self._seen: dict[tuple[str, tuple[Mention, ...] | None], dict[str, object]] = {}

    def dialogue(self, dialogue: Dialogue) -> Dialogue:
        """A dialogue; its user's words stay as they are."""
        said = tuple(self.utterance(each) if each.speaker == "system" else each for each in dialogue.utterances)
        return dialogue.model_copy(update={"utterances": said})

    def utterance(self, utterance: Utterance) -> Utterance:
        """An utterance; the same words with the same items, as of a list for all users, are looked at once."""
        key = utterance.text, utterance.mentions
        if key not in self._seen:
            checked = self._titles.check_utterance(utterance)
            others = (*(checked.unrecognised or ()), *(checked.outside or ()))
            claims = self._claims.claims(checked.text, checked.mentions or (), others)
            found = {name: getattr(checked, name) for name in ("unrecognised", "outside", "mentions")}
            self._seen[key] = {**found, "claims": claims}
        return utterance.model_copy(update=self._seen[key])


def _is_checked(dialogue: Dialogue) -> bool:
    return any(said.unrecognised is not None for said in dialogue.utterances)
