"""Whole dialogues with a planted fault, or none, by authors who have seen no detector.

    python -m benchmarks.gates --file F.tsv ... [--missed] [--as-written]

One dialogue a row: id, gate (or ``plain``: no gate may fire), label (``fault`` or ``clean``), the need and the utterances
as JSON. The need has a target by its title, what the user likes and dislikes, and genres; the utterances are pairs of
speaker and text.

Their authors wrote them before it was defined what a gate counts. ``gates_definitions.tsv`` holds the rows whose label is
another one by the definitions: ``outside`` (a description of the target, a person that is inconsistent) or ``fault``.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from trialogue.catalogue import Catalogue, Item, TitleLinker
from trialogue.catalogue.facts import FactIndex
from trialogue.metrics.gates.detect import gates_in
from trialogue.records import Constraint, Dialogue, Need, Utterance
from trialogue.records.kinds.suspicions import Gate
from trialogue.simulation.users.needs import resolve_mentions

GATES = {"role": Gate.ASSISTANT_ROLE, "leaked": Gate.TARGET_LEAKED, "contradicted": Gate.NEED_CONTRADICTED}
OUTSIDE = "outside"  # of what its gate counts
PLAIN = "plain"  # a dialogue without any fault: clean for every gate
GATES |= {"thanks": Gate.ENDLESS_THANKS, "loop": Gate.LOOP, "truncated": Gate.TRUNCATED}


class Judged(NamedTuple):
    """A dialogue, the fault that its author planted, and the gates that fire."""

    id: str
    gate: Gate
    is_fault: bool
    dialogue: Dialogue
    fires: frozenset[Gate]


def by_definition() -> dict[str, str]:
    """Labels of the rows whose authors gave them another one."""
    return {row["id"]: row["label"] for row in _rows(Path(__file__).parent / "gates_definitions.tsv")}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def judged(path: Path, labels: Mapping[str, str] | None = None) -> Iterator[Judged]:
    """The dialogues of a file; those that are ``outside`` by other labels than its author's are left out."""
    rows = _rows(path)
    labels = labels or {}
    needs = [json.loads(row["need"]) for row in rows]
    catalogue = Catalogue.from_items(
        [item_of(title) for title in dict.fromkeys(need["target"] for need in needs if need["target"])]
    )
    linker, facts = TitleLinker(catalogue), FactIndex(catalogue)
    genres: dict[str, set[str]] = {}
    for need in needs:
        genres.setdefault(need["domain"], set()).update(need["genres"])
    for row, need in zip(rows, needs, strict=True):
        label = labels.get(row["id"], row["label"])
        if label == OUTSIDE:
            continue
        said = [Utterance(speaker=speaker, text=text) for speaker, text in json.loads(row["dialogue"])]
        utterances, typed = resolve_mentions(said, need_of(row["id"], need), catalogue, linker)
        dialogue = Dialogue(id=row["id"], utterances=utterances, need=typed)
        vocabulary = {
            "genre": frozenset(genres[need["domain"]]),
            "wish": frozenset((*need["likes"], *need["dislikes"])),
        }
        found = gates_in(dialogue, vocabulary, facts)
        fires = frozenset(gate for gate in found if found[gate])
        for gate in GATES.values() if row["gate"] == PLAIN else (GATES[row["gate"]],):
            yield Judged(row["id"], gate, label == "fault", dialogue, fires)


def item_of(title: str) -> Item:
    """A target, which is known by its title alone."""
    name, _, year = title.removesuffix(")").rpartition(" (")
    return Item(id=title, title=name, year=int(year)) if name and year.isdigit() else Item(id=title, title=title)


def need_of(name: str, need: Mapping[str, list[str]]) -> Need:
    """The need with its genres and wishes as constraints."""
    wanted = [("genre", each) for each in need["genres"]] + [("wish", each) for each in need["likes"]]
    target = (str(need["target"]),) if need["target"] else ()
    constraints = tuple(Constraint(attribute=attribute, values=(value,)) for attribute, value in wanted)
    return Need(id=name, constraints=constraints, targets=target, acceptable=target)


def missed(cases: list[Judged]) -> Iterator[str]:
    """The dialogues that are judged otherwise than by their author."""
    for each in cases:
        if (each.gate in each.fires) is not each.is_fault:
            yield f"{each.id}: {'missed' if each.is_fault else 'fires'} ({', '.join(each.fires)})"
            yield from (f"    {said.speaker[0]}: {said.text}" for said in each.dialogue.utterances)
