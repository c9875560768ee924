"""Utterances with the titles that are to be found in them: what the title linker is measured on (see ``linker.py``)."""

import csv
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from trialogue.catalogue import Catalogue, Item, parse_title, title_key
from trialogue.catalogue.linking.variants import ARTICLES, variants
from trialogue.datasets import get_corpus
from trialogue.records import Dialogue, Mention

HERE = Path(__file__).resolve().parent
STYLES = ("as printed", "no year", "small letters", "small letters, no article")
MIXTURE = (*["no year"] * 8, "small letters", "small letters, no article")  # about as people write in INSPIRED dev


@dataclass
class Case:
    """One utterance: its text, the titles that are to be found in it, and those that are counted neither way."""

    cluster: str
    place: int
    text: str
    wanted: set[str] = field(default_factory=set)
    ignored: set[str] = field(default_factory=set)


def bare(title: str) -> str:
    """What titles are compared by: words in their common form, without year, other titles and leading article."""
    key = title_key(parse_title(title).title)
    return next((key[len(a) :] for a in ("the ", "a ", "an ") if key.startswith(a)), key).replace(" ", "")


class Titles:
    """Which items of a catalogue a printed title stands for."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.exact: dict[str, set[str]] = defaultdict(set)
        self.loose: dict[str, set[str]] = defaultdict(set)
        for item in catalogue.values():
            for title in (item.title, *item.other_titles):
                self.exact[bare(title)].add(item.id)
            for form in forms_of(item):
                self.loose[form].add(item.id)
        self.ids = lru_cache(maxsize=None)(self._ids)

    def _ids(self, title: str) -> frozenset[str]:
        """Items of that title, of any year, or of a title that is longer or shorter by a subtitle and of that year."""
        parsed = parse_title(title)
        found = set(self.exact.get(bare(title), ()))
        if parsed.year:
            forms = forms_of(Item(id="?", title=parsed.title))
            near = self.loose.get(bare(title), set()).union(*(self.exact.get(form, set()) for form in forms))
            found |= {item_id for item_id in near if abs((self.catalogue[item_id].year or 0) - parsed.year) <= 1}
        return frozenset(found)


def forms_of(item: Item) -> set[str]:
    return {"".join(variant.forms) for variant in variants(item) if variant.bare or variant.forms[0] not in ARTICLES}


def dialogues(name: str, mirror: Path) -> list[Dialogue]:
    corpus = get_corpus(name)
    read = corpus.read(mirror / corpus.source.folder, note=lambda problem: None)
    return [record for record in read if isinstance(record, Dialogue)]


def inspired(mirror: Path, split: str, *, gold: bool) -> list[Case]:
    """Utterances of a split; with ``gold``, the reader's verdict instead of the corpus' annotation."""
    verdicts = defaultdict(list)
    with (HERE / "linker_gold.tsv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            verdicts[row["dialogue"], row["utterance"]].append((row["title"], row["verdict"]))
    cases = []
    for dialogue in dialogues("inspired", mirror):
        if dialogue.source != f"inspired/{split}":
            continue
        for place, utterance in enumerate(dialogue.utterances):
            case = Case(dialogue.id, place, utterance.text)
            named = [(mention.title, "yes") for mention in utterance.mentions or ()]
            for title, verdict in verdicts[dialogue.id, str(utterance.id)] if gold else named:
                add(case, title, verdict)
            cases.append(case)
    return cases


def add(case: Case, title: str, verdict: str) -> None:
    if verdict == "yes":
        case.wanted.add(title)
    elif verdict == "series":
        case.ignored.add(title)


def redial(mirror: Path, half: int, *, style: str) -> list[Case]:
    """Utterances of the conversations at even (0) or odd (1) places, their annotated titles rewritten in a style."""
    cases = []
    rng = random.Random(0)
    for dialogue in dialogues("redial", mirror)[half::2]:
        chosen = style if style != "mixed" else rng.choice(MIXTURE)
        for place, utterance in enumerate(dialogue.utterances):
            mentions = utterance.mentions or ()
            text = rewritten(utterance.text, mentions, chosen)
            case = Case(dialogue.id, place, text.lower() if chosen.startswith("small") else text)
            for mention in mentions:
                add(case, mention.title, "yes")
            cases.append(case)
    return cases


def rewritten(text: str, mentions: Sequence[Mention], style: str) -> str:
    parts, behind = [], 0
    for mention in mentions:
        parts += [text[behind : mention.start], styled(mention.title, style)]
        behind = mention.end or len(text)
    return "".join((*parts, text[behind:]))


def styled(title: str, style: str) -> str:
    if style == "as printed":
        return title
    title = parse_title(title).title
    if style.startswith("small"):
        title = title.lower()
    if style.endswith("no article"):
        title = next((title[len(a) :] for a in ("the ", "a ", "an ") if title.startswith(a)), title)
    return title


def catalogue_of(titles: Iterable[str]) -> Catalogue:
    """The titles that a corpus names, as a catalogue."""
    found = dict.fromkeys((parsed.title, parsed.year) for parsed in map(parse_title, titles))
    return Catalogue.from_items(Item(id=str(n), title=title, year=year) for n, (title, year) in enumerate(found, 1))


def corpus_titles(mirror: Path, name: str) -> list[str]:
    titles = [m.title for d in dialogues(name, mirror) for u in d.utterances for m in u.mentions or ()]
    if name == "inspired":
        with (HERE / "linker_gold.tsv").open(encoding="utf-8", newline="") as stream:
            known = {bare(title) for title in titles}
            titles += [r["title"] for r in csv.DictReader(stream, delimiter="\t") if bare(r["title"]) not in known]
    return titles


def near(item: Item, title: str) -> bool:
    return abs((item.year or 0) - (parse_title(title).year or 0)) <= 1
