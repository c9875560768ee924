"""Where dialogues of iEvaLM and CONCEPT come from, and the publishers' items for them.

The publishers keep dialogues in ``<system>/<corpus>_eval/`` and the items of each corpus in ``data/<corpus>/``
(``id2info.json`` and ``entity2id.json``), below a folder above the dialogues. One number means different items in two
corpora, so dialogues of one corpus are never read with the items of another: as in the publishers' scripts, the name of the
folder decides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Self

from trialogue.datasets.json_documents import ParseReport, read_json
from trialogue.errors import DataError, Problem

INFO, ENTITIES = "id2info.json", "entity2id.json"
DATA = ("data", "code/data")
"""Folders of the publishers that have a folder of item files for each corpus."""
EVALUATION = "_eval"
"""End of the name of a folder with the dialogues of one corpus."""
HIGHEST = 10  # folders above a dialogue that are looked at


@dataclass(frozen=True)
class Origin:
    """The system and the corpus of a dialogue, by its folders."""

    system: str
    """Name of the system, with the corpus where it is known: ``kbrd_opendialkg``."""
    corpus: str | None
    """Name of the corpus, as in ``data/<corpus>``; None: no folder says."""

    @classmethod
    def of(cls, path: Path) -> Self:
        """From the nearest ``<system>/<corpus>_eval`` above a file; without one, the file's folder is the system's.

        >>> Origin.of(Path("/save_5/chat/kbrd/opendialkg_eval/7_3.json"))
        Origin(system='kbrd_opendialkg', corpus='opendialkg')
        """
        folders = path.resolve().parents
        for folder in folders[:HIGHEST]:
            if folder.name.endswith(EVALUATION):
                corpus = folder.name.split("_")[0]
                return cls(f"{folder.parent.name}_{corpus}", corpus)
        return cls(folders[0].name, None)


@dataclass(frozen=True)
class ItemTable:
    """Item data in the publisher's files."""

    ids: Mapping[str, str]
    """Id by the name of an entity."""
    genres: Mapping[str, frozenset[str]]
    """Genres of an item by id; entities that are no items are not there."""
    titles: Mapping[str, str]
    """Title of an item by id."""

    def id_of(self, name: str) -> str:
        """The id of a name; the name itself where there is none."""
        return self.ids.get(name, name)

    def with_genres(self, genres: frozenset[str]) -> tuple[str, ...]:
        """Ids of the items that have these genres and no others."""
        return tuple(sorted(item for item, own in self.genres.items() if own == genres))


NO_ITEMS = ItemTable({}, {}, {})


@lru_cache(maxsize=64)
def items_for(folder: Path, corpus: str | None) -> ItemTable:
    """Items of a corpus from the nearest files beside or above a folder; ``NO_ITEMS`` where there are none.

    Raises:
        DataError: no folder names the corpus, and there are items of several.
    """
    for above in [folder, *folder.parents][:HIGHEST]:
        found = [place for place in _places(above, corpus) if (place / INFO).is_file()]
        if len(found) > 1 and found[0] != above and corpus is None:
            raise _ambiguous(folder, found)
        if found:
            return _read(found[0])
    return NO_ITEMS


def _places(above: Path, corpus: str | None) -> Iterator[Path]:
    """Where the items of a corpus may be at a folder: in it, or below it; of any corpus where that is not known."""
    yield above
    for data in DATA:
        yield from [above / data / corpus] if corpus else sorted((above / data).glob("*"))


def _ambiguous(folder: Path, found: list[Path]) -> DataError:
    names = ", ".join(dict.fromkeys(place.name for place in found))
    what = f"no folder says which corpus these dialogues are about, and there are items of several: {names}."
    hint = f"Put them in a folder named after their corpus, for example {folder.name}/{found[-1].name}{EVALUATION}."
    return DataError(Problem(what, str(folder), hint=hint))


@lru_cache(maxsize=4)
def _read(place: Path) -> ItemTable:
    report = ParseReport(str(place / INFO), lambda _: None)
    given = read_json(place / INFO, report)
    names = read_json(place / ENTITIES, report) if (place / ENTITIES).is_file() else {}
    ids = {str(name): str(number) for name, number in names.items()} if isinstance(names, dict) else {}
    genres: dict[str, frozenset[str]] = {}
    titles: dict[str, str] = {}
    for key, fields in given.items() if isinstance(given, dict) else ():
        if isinstance(fields, dict):
            # the keys are ids of another list: items are the same entities by their name alone
            title, own = str(fields.get("name")), fields.get("genre")
            item = ids.get(title, str(key))
            genres[item] = frozenset(map(str, own)) if isinstance(own, list) else frozenset()
            titles[item] = title
    return ItemTable(ids, genres, titles)
