"""How well the title linker finds titles in each layout of a list; writes ``benchmarks/TITLES.md``.

    python -m benchmarks.titles MIRROR            # MIRROR as in TRIALOGUE_DATA_MIRROR
    python -m benchmarks.titles MIRROR --count    # prints the counts alone, as in titles_version_1.tsv

300 lists of five titles are sampled (seed 0) without replacement from MovieLens latest-small and written in each layout of
``title_layouts.py``, without years ("Heat", "The Matrix") and with them ("Heat (1995)"). *Found*: titles of which the reply
has a link to an item of that title, per cent of 1,500. *That item*: links to the very item, which cannot be told from others
of its title without a year. *Other links*: links to items of other titles.

``titles_version_1.tsv`` holds what version 1 of the linker (commit 51f13dc9) gave, counted by this script.

Without years and with ReDial's titles, version 2 links seven places that ReDial does not annotate and version 1 left alone,
such as "Moon is about a man alone on a space station"; we read each, and in all seven the film is named.

CPU time per utterance of INSPIRED against 9,742 titles (``--time``): 25.2 µs with version 1 and 28.8 µs with version 2,
medians of six runs each in turn; the ratio is 1.14. For both versions, time grows in proportion to the text.
"""

import argparse
import csv
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from time import process_time

from benchmarks.linker_cases import Case, Titles, catalogue_of, corpus_titles, inspired, redial
from benchmarks.title_layouts import LAYOUTS
from trialogue.catalogue import Item, TitleLinker, title_key
from trialogue.datasets.corpora.movielens import read_movielens

HERE = Path(__file__).resolve().parent
LISTS, LENGTH = 300, 5
TITLES = LISTS * LENGTH
Row = tuple[str, tuple[int, ...]]


def linkers(mirror: Path) -> dict[str, TitleLinker]:
    films = read_movielens(mirror / "movielens/ml-latest-small", note=lambda problem: None)
    return {
        "ml-latest-small": TitleLinker(films.catalogue, popularity=films.ratings.popularity()),
        "INSPIRED's titles": TitleLinker(catalogue_of(corpus_titles(mirror, "inspired"))),
        "ReDial's titles": TitleLinker(catalogue_of(corpus_titles(mirror, "redial"))),
    }


def counts_by_layout(linker: TitleLinker) -> Iterator[Row]:
    """(layout, (found, that item, other links) without years and with them)."""
    sample = Random(0).sample(list(linker.catalogue.values()), TITLES)
    for name, render in LAYOUTS.items():
        counts: list[int] = []
        for dated in (False, True):
            sums = [0, 0, 0]
            for start in range(0, TITLES, LENGTH):
                items = sample[start : start + LENGTH]
                text = render([item.title_with_year if dated else item.title for item in items])
                for place, count in enumerate(_counts(linker, items, text)):
                    sums[place] += count
            counts += sums
        yield name, tuple(counts)


def _counts(linker: TitleLinker, items: Sequence[Item], text: str) -> tuple[int, int, int]:
    linked = {
        mention.item_id: title_key(linker.catalogue[mention.item_id or ""].title) for mention in linker.find(text)
    }
    wanted = [title_key(item.title) for item in items]
    found = sum(title in linked.values() for title in wanted)
    others = sum(title not in wanted for title in linked.values())
    return found, sum(item.id in linked for item in items), others


def counts_on_people(mirror: Path, by_name: dict[str, TitleLinker]) -> Iterator[Row]:
    """(corpus and catalogue, (links to what is annotated, to what is not)); what is counted neither way is left out."""
    of_inspired = inspired(mirror, "dev", gold=True) + inspired(mirror, "test", gold=True)
    of_redial = redial(mirror, 0, style="no year") + redial(mirror, 1, style="no year")
    for corpus, cases, names in (
        ("INSPIRED dev and test", of_inspired, ("INSPIRED's titles", "ml-latest-small")),
        ("ReDial, no years", of_redial, ("ReDial's titles", "ml-latest-small")),
    ):
        for name in names:
            yield f"{corpus}: {name}", _annotated(by_name[name], cases)


def _annotated(linker: TitleLinker, cases: Sequence[Case]) -> tuple[int, int]:
    titles = Titles(linker.catalogue)
    right = wrong = 0
    for case in cases:
        wanted, ignored = (frozenset[str]().union(*map(titles.ids, names)) for names in (case.wanted, case.ignored))
        for mention in linker.find(case.text):
            right += mention.item_id in wanted
            wrong += mention.item_id not in wanted | ignored
    return right, wrong


def time_per_text(linker: TitleLinker, texts: Sequence[str]) -> float:
    """Seconds of a core per text, the least of seven passes."""
    passes = []
    for _ in range(7):
        start = process_time()
        for text in texts:
            linker.find(text)
        passes.append(process_time() - start)
    return min(passes) / len(texts)


def percent(count: int) -> str:
    return f"{100 * count / TITLES:.1f}"


def report(mirror: Path, before: dict[str, tuple[int, ...]]) -> Iterator[str]:
    by_name = linkers(mirror)
    rows = list(counts_by_layout(by_name["ml-latest-small"]))
    least, most = (f(row[1][0] for row in rows) for f in (min, max))
    yield f"Without years, {percent(least)} % of the titles are found in the worst layout, {percent(most)} % in the best."
    yield ""
    heads = ("layout", "version 1: found %", "found %", "that item %", "other links")
    yield "| " + " | ".join((*heads, "with years: version 1: found %", "found %", "other links")) + " |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for name, now in rows:
        was = before[name]
        cells = (percent(was[0]), percent(now[0]), percent(now[1]), now[2], percent(was[3]), percent(now[3]), now[5])
        yield "| " + " | ".join([f"`` {name} ``".replace("|", "\\|"), *map(str, cells)]) + " |"
    yield from ("", "## People's utterances", "")
    yield "Links to titles that are annotated in an utterance, and to titles that are not (what is counted neither way is"
    yield "left out). ReDial annotates only films chosen from its list, so many of the others are named, too; see LINKER.md."
    yield ""
    yield "| utterances: catalogue | version 1: annotated | not | annotated | not |"
    yield "|---|--:|--:|--:|--:|"
    for name, counts in counts_on_people(mirror, by_name):
        yield "| " + " | ".join(map(str, (name, *before[name], *counts))) + " |"


def read_before() -> dict[str, tuple[int, ...]]:
    with (HERE / "titles_version_1.tsv").open(encoding="utf-8", newline="") as stream:
        return {name: tuple(map(int, counts)) for name, *counts in csv.reader(stream, delimiter="\t", quoting=3)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the title linker by layout.")
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--count", action="store_true", help="print the counts, tab-separated")
    parser.add_argument("--time", action="store_true", help="print the CPU time per utterance of INSPIRED")
    asked = parser.parse_args()
    if asked.time:
        texts = [case.text for split in ("dev", "test") for case in inspired(asked.mirror, split, gold=True)]
        print(f"{1e6 * time_per_text(linkers(asked.mirror)['ml-latest-small'], texts):.1f} µs")
        return
    if asked.count:
        by_name = linkers(asked.mirror)
        for name, counts in (*counts_by_layout(by_name["ml-latest-small"]), *counts_on_people(asked.mirror, by_name)):
            print(name, *counts, sep="\t")
        return
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=HERE, check=True
    ).stdout.strip()
    text = [
        "# Titles in lists, measured",
        "",
        f"Written by `python -m benchmarks.titles MIRROR` at commit {commit}.",
        "",
        *(__doc__ or "").split("\n\n", 2)[2].strip().splitlines(),
        "",
        *report(asked.mirror, read_before()),
    ]
    (HERE / "TITLES.md").write_text("\n".join(text) + "\n", encoding="utf-8")
    print("\n".join(text))


if __name__ == "__main__":
    main()
