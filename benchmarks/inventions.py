"""Titles that a catalogue lacks: precision and recall, people's own titles, and language models; writes INVENTIONS.md.

    python -m benchmarks.inventions MIRROR        # MIRROR as in TRIALOGUE_DATA_MIRROR
    python -m benchmarks.inventions --file REPLIES.tsv --catalogue ITEMS.csv [--known LIST] [--show]   # prints a table

``inventions_planted.tsv`` and ``inventions_unseen.tsv`` hold replies by somebody who had not seen the detector.
*Planted*: titles that MovieLens latest-small lacks: invented ones, real ones that it does not have, and remakes with a
year of their own. *Known*: titles that it has, some misspelt. A title counts as found if the detector gives it, in the
common form; whatever else it gives is false. Both files were read after a first count, and the detector changed: the
first counts were precision 64/74 = .865 and recall 64/115 = .557 on the one, then 68/80 = .850 and 68/92 = .739 on the
other. Only these are of unseen replies.

People: replies of INSPIRED (all) and ReDial (the part at hand) against the titles that each corpus annotates itself.
What is found there was read: ``inventions_read.tsv`` holds the verdicts by a hash of title and reply (*lacks*: a title
that the corpus never annotates; *known*: an annotated one; *no title*), as the replies are not ours to copy.

Language models: the lists of 20 films that He et al. (CIKM 2023) had written for INSPIRED's turns, against their 17,320
entities; *matched* is their own match by edit distance 0. ``inventions_models.tsv`` holds samples of 100 titles of each
model (seed 0), with the verdict of a reader who looked the title up among the entities.

Statements: ``inventions_facts.tsv`` holds replies about tau-Rec's 153 films by the same author, with the false and the
true statements on year, director, genre and running time. They, too, were read after a first count (false statements:
precision 40/46 = .870, recall 40/100 = .400). A wrong year in brackets makes a title one that the catalogue lacks, and
is counted there. People's statements are about films of MovieLens, which knows years and genres; all that seemed
contradicted were read (``inventions_claims_read.tsv``: *stated* if the text does say so of that film).

A third author wrote 150 replies with titles in five styles, and 138 with statements, about a catalogue of 150 items of
their own, in two halves: one to look at, one to run once. First counts on the half to look at, before any change: titles
recall 73/158 = .462 and precision 73/96 = .760; false statements recall 53/98 = .541 and precision 53/54 = .981. After it
was read: .854 and .951; .888 and 1.000. The other half was counted once, with nothing changed after: titles recall
90/160 = .562 and precision 90/122 = .738 (in lists 33/54: heads of tables, "Option A", ratings with stars, genres and awards
are taken for titles; in small letters 5/26 are found); false statements recall 74/112 = .661 and precision 74/77 = .961
(makers .357). **These are the estimate to quote.** ``--file`` counts any file of that form.
"""

import argparse
import csv
import hashlib
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from benchmarks.linker_cases import catalogue_of, corpus_titles, dialogues
from trialogue.catalogue import Catalogue, Item, TitleLinker, parse_title, title_key
from trialogue.catalogue.presenting.check import TitleCheck
from trialogue.catalogue.presenting.claims import ClaimCheck
from trialogue.datasets.corpora.movielens import read_movielens
from trialogue.records import Utterance
from trialogue.stats.comparison.inference import wilson

HERE = Path(__file__).resolve().parent
PLANTED, UNSEEN, READ, SAMPLES, FACTS, CLAIMS_READ = (
    HERE / f"inventions_{name}.tsv" for name in ("planted", "unseen", "read", "models", "facts", "claims_read")
)
MODELS = {"gpt-3.5-turbo": "gpt-3.5-turbo", "vicuna": "vicuna"}


def same(title: str) -> str:
    """What titles are compared by: the words, without year and article."""
    key = title_key(parse_title(title).title)
    return key.removeprefix("the ").removeprefix("a ").replace(" ", "")


def check_of(catalogue: Catalogue) -> TitleCheck:
    return TitleCheck(TitleLinker(catalogue))


def share(part: int, whole: int) -> str:
    if not whole:
        return "none"
    found = wilson(part, whole)
    assert found.value is not None
    assert found.interval is not None
    return f"{part}/{whole} = {found.value:.3f} [{found.interval.low:.3f}, {found.interval.high:.3f}]"


def planted(mirror: Path, file: Path) -> Iterator[str]:
    """Lines of the table by style: found of planted, false of found."""
    check = check_of(read_movielens(mirror / "movielens/ml-latest-small", note=lambda problem: None).catalogue)
    counts: dict[str, Counter[str]] = {}
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            wanted = Counter(same(title) for title in row["planted"].split("|") if title)
            given = Counter(same(each.title) for each in check.unknown_titles(row["reply"].replace("\\n", "\n")))
            own = counts.setdefault(row["style"], Counter())
            own["planted"] += wanted.total()
            own["found"] += given.total()
            own["right"] += (wanted & given).total()
            own["known"] += sum(bool(title) for title in row["known"].split("|"))
    whole = sum(counts.values(), Counter[str]())
    yield "| style | planted | known | recall | precision |\n|---|--:|--:|--:|--:|"
    for style, own in (*sorted(counts.items()), ("all", whole)):
        recall, precision = share(own["right"], own["planted"]), share(own["right"], own["found"])
        yield f"| {style} | {own['planted']} | {own['known']} | {recall} | {precision} |"


LACKING = ("invented", "outside", "remake", "wrong_year")
"""States of titles in a file of replies that the catalogue lacks; the others (catalogue, misspelt, ...) it has."""


def replies_in(file: Path) -> Iterator[dict[str, str]]:
    """Rows of a file of replies: id, style, reply, and a JSON list of what it holds."""
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield row | {"reply": row["reply"].replace("\\n", "\n")}


def titles_of(file: Path, catalogue: Path, *, show: bool = False) -> Iterator[str]:
    """Lines of the table of a file of replies by style; with ``show``, what is missed or false, too."""
    items = Catalogue.read(catalogue)
    check, claims = check_of(items), ClaimCheck(items)
    counts: dict[str, Counter[str]] = {}
    for row in replies_in(file):
        named = json.loads(row["titles"])
        wanted = Counter(same(each["text"]) for each in named if each["state"] in LACKING)
        given = Counter(same(each.title) for each in check.unknown_titles(row["reply"]))
        said = check.check_utterance(
            Utterance(speaker="system", text=row["reply"], mentions=check.linker.find(row["reply"]))
        )
        dated = {  # "The Truman Show came out in 1990" is a statement that the catalogue contradicts
            same(items[each.item_id].title)
            for each in claims.claims(row["reply"], said.mentions or (), said.unrecognised or ())
            if each.attribute == "year" and each.verdict.value == "contradicted"
        }
        wrong = Counter(
            same(each["text"]) for each in named if each["state"] == "wrong_year" and same(each["text"]) in dated
        )
        given |= wrong
        for own in (counts.setdefault(row["style"], Counter()), counts.setdefault("~all", Counter())):
            own.update(lacking=wanted.total(), found=given.total(), right=(wanted & given).total())
            own["known"] += len(named) - wanted.total()
        if show and wanted != given:
            yield f"{row['id']} missed {sorted(wanted - given)} false {sorted(given - wanted)}: {row['reply']!r}"
    yield "| style | lacking | known | recall | precision |\n|---|--:|--:|--:|--:|"
    for style, own in sorted(counts.items()):
        recall, precision = share(own["right"], own["lacking"]), share(own["right"], own["found"])
        yield f"| {style.strip('~')} | {own['lacking']} | {own['known']} | {recall} | {precision} |"


ATTRIBUTES = {"genres": "genre", "cast": "actor", "director": "maker", "author": "maker", "writer": "maker"}


def claims_of(file: Path, catalogue: Path, *, show: bool = False) -> Iterator[str]:
    """Lines of the table of a file of claims: contradicted, supported. A wrong year in brackets makes a title one that the
    catalogue lacks: found, too."""
    known = Catalogue.read(catalogue)
    linker, check = TitleLinker(known), ClaimCheck(known)
    titles = TitleCheck(linker)
    counts: dict[tuple[str, str], Counter[str]] = {}
    for row in replies_in(file):
        named = json.loads(row["claims"])
        said = titles.check_utterance(
            Utterance(speaker="system", text=row["reply"], mentions=linker.find(row["reply"]))
        )
        found = [
            (each.verdict.value, same(known[each.item_id].title), ATTRIBUTES.get(each.attribute, each.attribute))
            for each in check.claims(row["reply"], said.mentions or (), said.unrecognised or ())
        ]
        lacking = {same(each.title) for each in said.unrecognised or () if each.title.endswith(")")}
        for verdict in ("contradicted", "supported"):
            wanted = {
                (same(each["title"]), ATTRIBUTES.get(each["attribute"], each["attribute"]))
                for each in named
                if each["truth"] == verdict
            }
            given = {(title, attribute) for which, title, attribute in found if which == verdict}
            if verdict == "contradicted":
                given |= {each for each in wanted if each[1] == "year" and each[0] in lacking}
            for attribute in {attribute for _, attribute in wanted | given}:
                for key in ((verdict, attribute), (verdict, "~all")):
                    own = counts.setdefault(key, Counter())
                    one, other = ({each for each in which if each[1] == attribute} for which in (wanted, given))
                    own.update(stated=len(one), found=len(other), right=len(one & other))
            if show and wanted != given:
                missed, false = sorted(wanted - given), sorted(given - wanted)
                yield f"{row['id']} {verdict} missed {missed} false {false}: {row['reply']!r}"
    yield "| statements | of | stated | recall | precision |\n|---|---|--:|--:|--:|"
    for (verdict, attribute), own in sorted(counts.items()):
        recall, precision = share(own["right"], own["stated"]), share(own["right"], own["found"])
        yield f"| {verdict} | {attribute.strip('~')} | {own['stated']} | {recall} | {precision} |"


def hash_of(title: str, reply: str) -> str:
    return hashlib.sha256(f"{title}\0{reply}".encode()).hexdigest()[:16]


def people(mirror: Path, *, unread: list[tuple[str, str, str]]) -> Iterator[str]:
    """Lines of the table on people's replies; what nobody has read yet is added to ``unread``."""
    with READ.open(encoding="utf-8", newline="") as stream:
        verdicts = {row["hash"]: row["verdict"] for row in csv.DictReader(stream, delimiter="\t")}
    yield "| replies of people | titles | taken for unknown | of these no title, or annotated | false share |"
    yield "|---|--:|--:|--:|--:|"
    for name in ("inspired", "redial"):
        check = check_of(catalogue_of(corpus_titles(mirror, name)))
        titles = found = false = 0
        for dialogue in dialogues(name, mirror):
            for said in dialogue.utterances:
                if said.speaker != "system":
                    continue
                unknown = check.unknown_titles(said.text)
                titles += len(unknown) + len(check.linker.find(said.text))
                for each in unknown:
                    key = hash_of(each.title, said.text)
                    found += 1
                    false += verdicts.get(key) in ("known", "no title")
                    if key not in verdicts:
                        unread.append((key, each.title, said.text))
        yield f"| {name} | {titles} | {found} | {false} | {share(false, titles)} |"


def entities(mirror: Path) -> Catalogue:
    """He et al.'s entities, as titles without years."""
    given = json.loads((mirror / "zero_shot_crs/data/inspired/entity2id.json").read_text(encoding="utf-8"))
    names = (unquote(uri.strip("<>").rsplit("/", 1)[1]).split("__")[0].replace("_", " ") for uri in given)
    plain = dict.fromkeys(re.sub(r" \([^()]*\)$", "", name) for name in names)
    return Catalogue.from_items(Item(id=str(place), title=name) for place, name in enumerate(plain) if name.strip())


def models(mirror: Path) -> Iterator[str]:
    """Lines of the table on language models."""
    check = check_of(entities(mirror))
    yield "| model | titles | unmatched by He et al. | lacking here | both | only here | only there |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for model in MODELS:
        file = mirror / f"zero_shot_crs/src/{model}/general/intermediate/inspired/extracted.jsonl"
        counts: Counter[tuple[bool, bool]] = Counter()
        for line in file.read_text(encoding="utf-8").splitlines():
            for each in json.loads(line)["rec_list"]:
                ours = bool(check.unknown_titles(f'You could watch "{each["movie_name"]}".'))
                counts[ours, each["min_edit_distance"] > 0] += 1
        whole = counts.total()
        both, here, there = counts[True, True], counts[True, False], counts[False, True]
        shares = f"{(both + there) / whole:.3f} | {(both + here) / whole:.3f}"
        yield f"| {model} | {whole} | {shares} | {both} | {here} | {there} |"


def read_samples(mirror: Path) -> Iterator[str]:
    """Lines of the table on samples of 100 titles of each model, read by hand."""
    check = check_of(entities(mirror))
    yield "| model | titles read | lacking by the reader | lacking here | verdicts that differ |\n|---|--:|--:|--:|--:|"
    with SAMPLES.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    for model in MODELS:
        own = [row for row in rows if row["model"] == model]
        read = [row["lacking"] == "yes" for row in own]
        ours = [bool(check.unknown_titles(f'You could watch "{row["title"]}".')) for row in own]
        differ = sum(one is not other for one, other in zip(read, ours, strict=True))
        yield f"| {model} | {len(own)} | {sum(read)} | {sum(ours)} | {differ} |"


def films_with_facts(mirror: Path) -> Catalogue:
    """tau-Rec's films, with director, genres and running time."""
    rows = json.loads((mirror / "tau_rec/catalog.json").read_text(encoding="utf-8"))
    return Catalogue.from_items(_film(row) for row in rows)


def _film(row: dict[str, Any]) -> Item:
    told = {"director": [row["director"]], "genre": row["genres"], "runtime": [row["runtime"]], "actor": row["cast"]}
    attributes = {name: tuple(str(each) for each in values if each) for name, values in told.items()}
    return Item(id=row["id"], title=row["title"], year=int(row["release_date"][:4]), attributes=attributes)


def facts(mirror: Path) -> Iterator[str]:
    """Lines of the table on planted statements."""
    catalogue = films_with_facts(mirror)
    linker, check = TitleLinker(catalogue), ClaimCheck(catalogue)
    titles = TitleCheck(linker)
    counts: dict[tuple[str, str], Counter[str]] = {}
    with FACTS.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            reply = row["reply"].replace("\\n", "\n")
            said = titles.check_utterance(Utterance(speaker="system", text=reply, mentions=linker.find(reply)))
            claims = check.claims(reply, said.mentions or (), said.unrecognised or ())
            for verdict in ("contradicted", "supported"):
                wanted = Counter(_stated(each) for each in row[verdict].split("|") if each)
                found = Counter(
                    (same(catalogue[each.item_id].title), each.attribute)
                    for each in claims
                    if each.verdict.value == verdict
                )
                for _, attribute in {*wanted, *found}:
                    counts.setdefault((verdict, attribute), Counter())
                for (title, attribute), number in wanted.items():
                    counts[verdict, attribute]["planted"] += number
                    counts[verdict, attribute]["right"] += min(number, found[title, attribute])
                for (_, attribute), number in found.items():
                    counts[verdict, attribute]["found"] += number
    yield "| statements | of | planted | recall | precision |\n|---|---|--:|--:|--:|"
    for verdict in ("contradicted", "supported"):
        own = {attribute: count for (name, attribute), count in counts.items() if name == verdict}
        for attribute, count in (*sorted(own.items()), ("all", sum(own.values(), Counter[str]()))):
            if count["planted"]:
                recall, precision = share(count["right"], count["planted"]), share(count["right"], count["found"])
                yield f"| {verdict} | {attribute} | {count['planted']} | {recall} | {precision} |"


def _stated(text: str) -> tuple[str, str]:
    title, attribute, _ = text.rsplit("=", 2)
    return same(title), attribute


def said_by_people(mirror: Path, *, unread: list[tuple[str, str, str]]) -> Iterator[str]:
    """Lines of the table on what people say of films of MovieLens: years and genres; contradictions were read."""
    with CLAIMS_READ.open(encoding="utf-8", newline="") as stream:
        verdicts = {row["hash"]: row["verdict"] for row in csv.DictReader(stream, delimiter="\t")}
    films = read_movielens(mirror / "movielens/ml-latest-small", note=lambda problem: None)
    linker = TitleLinker(films.catalogue, popularity=films.ratings.popularity())
    titles, check = TitleCheck(linker), ClaimCheck(films.catalogue)
    yield "| replies of people | of | supported | contradicted | of these really said of the film |\n|---|---|--:|--:|--:|"
    for name in ("inspired", "redial"):
        counts: Counter[tuple[str, str]] = Counter()
        for dialogue in dialogues(name, mirror):
            for said in dialogue.utterances:
                if said.speaker != "system":
                    continue
                both = titles.check_utterance(said.model_copy(update={"mentions": linker.find(said.text)}))
                for each in check.claims(said.text, both.mentions or (), both.unrecognised or ()):
                    counts[each.attribute, each.verdict.value] += 1
                    if each.verdict.value == "contradicted":
                        key = hash_of(f"{each.item_id} {each.attribute} {each.said}", said.text)
                        counts[each.attribute, "stated"] += verdicts.get(key) == "stated"
                        if key not in verdicts:
                            unread.append((key, f"{films.catalogue[each.item_id].title}: {each.said}", said.text))
        for attribute in ("genre", "year"):
            supported, contradicted, stated = (
                counts[attribute, verdict] for verdict in ("supported", "contradicted", "stated")
            )
            yield f"| {name} | {attribute} | {supported} | {contradicted} | {stated} |"


def page(mirror: Path, unread: list[tuple[str, str, str]]) -> Iterable[str]:
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True, cwd=HERE)
    yield "# Titles that the catalogue lacks, measured\n"
    yield f"Written by `python -m benchmarks.inventions MIRROR` at commit {head.stdout.strip()}.\n"
    yield "\n\n".join((__doc__ or "").split("\n\n")[2:])
    yield "\n## Planted titles, second file\n"
    yield from planted(mirror, UNSEEN)
    yield "\n## Planted titles, first file\n"
    yield from planted(mirror, PLANTED)
    yield "\n## People's replies\n"
    yield from people(mirror, unread=unread)
    yield "\n## Language models\n"
    yield from models(mirror)
    yield ""
    yield from read_samples(mirror)
    yield "\n## Planted statements about films\n"
    yield from facts(mirror)
    yield "\n## What people say of films\n"
    yield from said_by_people(mirror, unread=unread)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mirror", type=Path, nargs="?")
    parser.add_argument("--file", type=Path)
    parser.add_argument("--catalogue", type=Path)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    if given.file is not None:
        with given.file.open(encoding="utf-8") as stream:
            lines_of = claims_of if "\tclaims" in stream.readline() else titles_of
        print(*lines_of(given.file, given.catalogue, show=given.show), sep="\n")
        return
    mirror = given.mirror
    unread: list[tuple[str, str, str]] = []
    text = "\n".join(page(mirror, unread)) + "\n"
    (HERE / "INVENTIONS.md").write_text(text, encoding="utf-8")
    for row in unread:
        print(*row, sep="\t")


if __name__ == "__main__":
    main()
