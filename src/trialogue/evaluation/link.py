"""Find items in texts that nobody annotated, before anything is measured."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from trialogue.catalogue import Catalogue, Item, TitleLinker
from trialogue.datasets import corpus_names, get_corpus
from trialogue.errors import UnknownNameError
from trialogue.evaluation.material import Material
from trialogue.records import Response, Situation


def catalogue_named(given: str) -> Catalogue:
    """The catalogue ``demo``, one of a MovieLens corpus on this machine, or one in a file.

    Raises:
        UnknownNameError: none of these.
        MissingDataError: a corpus that is not on this machine.
    """
    if Path(given).is_file():
        return Catalogue.read(Path(given))
    if given == "demo":
        return demo_catalogue()
    if given.startswith("movielens") and given in corpus_names():
        from trialogue.datasets.movielens import read_movielens
        from trialogue.datasets.store import locate

        return read_movielens(locate(get_corpus(given))).catalogue
    known = ["demo", *(name for name in corpus_names() if name.startswith("movielens"))]
    raise UnknownNameError("catalogue", given, known, hint="Or give a file of items (JSON Lines or CSV).")


def demo_catalogue() -> Catalogue:
    """The films that come with Trialogue."""
    from trialogue.datasets.demo import film_rows

    return Catalogue.from_items(
        Item(
            id=row.id,
            title=row.title,
            year=row.year,
            attributes={"genre": tuple(row.genres), "director": tuple(row.director), "actor": tuple(row.actors)},
            description=row.description,
        )
        for row in film_rows()
    )


def linking(given: str) -> Callable[[Material], Material]:
    """A preparation of material: mentions of a catalogue's items in every utterance that nobody annotated."""
    linker = TitleLinker(catalogue_named(given))

    def prepare(material: Material) -> Material:
        return replace(
            material,
            dialogues=[linker.link(dialogue) for dialogue in material.dialogues],
            situations=[_situation(linker, situation) for situation in material.situations],
            responses=[_response(linker, response) for response in material.responses],
        )

    return prepare


def _situation(linker: TitleLinker, situation: Situation) -> Situation:
    changes: dict[str, object] = {"context": tuple(linker.link_utterance(each) for each in situation.context)}
    if situation.reference is not None:
        reference = linker.link_utterance(situation.reference)
        changes["reference"] = reference
        if situation.targets is None:
            found = reference.mentions or ()
            changes["targets"] = tuple(mention.item_id for mention in found if mention.item_id is not None)
    return situation.model_copy(update=changes)


def _response(linker: TitleLinker, response: Response) -> Response:
    return response.model_copy(update={"utterance": linker.link_utterance(response.utterance)})
