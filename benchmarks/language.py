"""How short a text may be for its language to be detected, with three detectors; writes ``benchmarks/LANGUAGE.md``.

    python -m benchmarks.language MIRROR                 # the corpora as in TRIALOGUE_DATA_MIRROR
    pip install lingua-language-detector                 # optional (96 MB): its rows are left out where it is missing

English is what people and nine recommenders typed (INSPIRED, ReDial, CRSArena-Dial), garbled replies and lists of titles
included. The other languages are ``language_sentences.tsv``: twenty sentences each about films, written for this purpose
by a language model at work on this project, with titles in English among them; and, in Chinese, what people wrote to
assistants (RecLLMSim). A text of n words is made of lines drawn without replacement and cut after n words (2 n characters
in Chinese and Japanese).
"""

import argparse
import csv
import importlib.metadata
import importlib.util
import json
import platform
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

from trialogue.datasets import get_corpus
from trialogue.languages import MIN_PROBABILITY, NO_LANGUAGE, language_of
from trialogue.records import Dialogue

HERE = Path(__file__).resolve().parent
LENGTHS = (3, 5, 10, 20, 60)
DRAWN = 200  # texts of each length and kind
UNSPACED = ("zh", "ja")
ENGLISH_CORPORA = (("inspired", "inspired"), ("redial", "redial"), ("crsarena-dial", "crsarena_dial"))
FREQUENT = frozenset(
    """
    a about all also am an and any are as at be because been but by can could did do does don't for from get go good
    had has have he her him his how i i'm if in into is it it's its just like me more movie my no not of on one or out
    really see she so some that that's the their them then there they think this to too very want was watch we well
    were what when which who will with would yes you you're your
    """.split()  # noqa: SIM905 - the list that Trialogue had before, which asked for a fifth of 100 words
)

Detector = Callable[[str], str | None]


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirror", type=Path)
    mirror = parser.parse_args().mirror
    texts = {**english(mirror), **others(), "zh (RecLLMSim)": chinese_of_people(mirror)}
    lines = [*head(), *table(texts), *pooled(texts), *speed(texts)]
    (HERE / "LANGUAGE.md").write_text("\n".join(lines) + "\n", "utf-8")


def english(mirror: Path) -> dict[str, list[str]]:
    """What was typed, by who typed it."""
    found: dict[str, list[str]] = {}
    for name, folder in ENGLISH_CORPORA:
        for record in get_corpus(name).read(mirror / folder, note=lambda _problem: None):
            if not isinstance(record, Dialogue):
                continue
            for said in record.utterances:
                is_recommender = name == "crsarena-dial" and said.speaker == "system"
                who = record.system if is_recommender else f"{name}, {said.speaker}s"
                found.setdefault(f"en ({who})", []).append(said.text)
    return found


def others() -> dict[str, list[str]]:
    """Our sentences, by language."""
    found: dict[str, list[str]] = {}
    with (HERE / "language_sentences.tsv").open(encoding="utf-8", newline="") as stream:
        for code, text in csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            found.setdefault(code, []).append(text)
    return found


def chinese_of_people(mirror: Path) -> list[str]:
    """What people wrote to assistants in 200 dialogues."""
    files = sorted((mirror / "recllmsim" / "human_exp_V2").rglob("*.json"))[:200]
    turns = (turn for file in files for turn in json.loads(file.read_text("utf-8"))["history"])
    return [turn["content"] for turn in turns if turn["role"] == "user"]


def drawn(texts: Sequence[str], language: str, length: int, rng: np.random.Generator) -> Iterator[str]:
    """Texts of a length, each of lines drawn anew."""
    space, wanted = ("", 2 * length) if language in UNSPACED else (" ", length)
    for _ in range(DRAWN):
        pieces: list[str] = []
        for place in rng.permutation(len(texts)):
            pieces += list(texts[place]) if language in UNSPACED else texts[place].split()
            if len(pieces) >= wanted:
                break
        yield space.join(pieces[:wanted])


def detectors() -> dict[str, Detector]:
    """The word list that there was, py3langid with and without its own doubt, and lingua if it is installed."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

    def sure(text: str) -> str | None:
        code, probability = identifier.classify(text)
        return None if code == NO_LANGUAGE or probability < MIN_PROBABILITY else str(code)

    found: dict[str, Detector] = {
        "word list (en or not)": lambda text: "en" if _share_of_english(text) >= 0.2 else "other",
        "py3langid": lambda text: str(identifier.classify(text)[0]),
        f"py3langid, p >= {MIN_PROBABILITY:g}": sure,
    }
    if importlib.util.find_spec("lingua") is not None:
        from lingua import LanguageDetectorBuilder  # type: ignore[import-not-found]  # optional, as the line above says

        detector = LanguageDetectorBuilder.from_all_languages().build()

        def lingua(text: str) -> str | None:
            language = detector.detect_language_of(text)
            return None if language is None else language.iso_code_639_1.name.lower()

        found["lingua"] = lingua
    return found


def _share_of_english(text: str) -> float:
    words = text.lower().split()
    return sum(word.strip(".,!?") in FREQUENT for word in words) / max(1, len(words))


def table(texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Shares by detector and length, over kinds of text: right, no answer, and the errors that matter."""
    yield from (
        "## Single texts",
        "",
        f"{DRAWN} texts of each kind and length: {sum(name[:2] == 'en' for name in texts)} kinds of English, "
        f"{sum(name[:2] != 'en' for name in texts)} of other languages. *Right*: the language itself (the word list knows "
        "only English or not). *None*: no answer. Worst kind: the lowest share of right answers of any kind.",
        "",
        "| detector | words | English right | as another | none | others right | as English | none | worst kind |",
        "|---|---|---|---|---|---|---|---|---|",
    )
    for name, detect in detectors().items():
        for length in LENGTHS:
            yield f"| {name} | {length} | {' | '.join(_row(texts, name, detect, length))} |"


def _row(texts: Mapping[str, Sequence[str]], name: str, detect: Detector, length: int) -> Iterator[str]:
    rng = np.random.default_rng(length)
    counts = {kind: [detect(text) for text in drawn(lines, kind[:2], length, rng)] for kind, lines in texts.items()}
    right = {kind: np.mean([_is_right(code, kind[:2], name) for code in found]) for kind, found in counts.items()}
    for is_english in (True, False):
        kinds = [kind for kind in texts if (kind[:2] == "en") == is_english]
        answers = [code for kind in kinds for code in counts[kind]]
        wrong = [code not in (None, "en") if is_english else code == "en" for code in answers]
        yield from (
            f"{np.mean([right[kind] for kind in kinds]):.3f}",
            f"{np.mean(wrong):.3f}",
            f"{np.mean([code is None for code in answers]):.3f}",
        )
    worst = min(right, key=lambda kind: right[kind])
    yield f"{worst} {right[worst]:.2f}"


def _is_right(code: str | None, language: str, detector: str) -> bool:
    return code == language or (detector.startswith("word list") and code == "other" and language != "en")


def pooled(texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What ``language_of`` says of draws of whole lines, pooled as it pools a system's replies."""
    yield from (
        "",
        "## Texts of one speaker, pooled",
        "",
        f"`trialogue.languages.language_of` of lines drawn together, {DRAWN} draws of each kind. *Too little*: it says that "
        "there is too little text to tell. *Unclear*: below 80 % in one language.",
        "",
        "| lines | English right | taken for another | unclear | too little | others right | taken for English | unclear | "
        "too little |",
        "|---|---|---|---|---|---|---|---|---|",
    )
    for lines in (1, 2, 5, 10, 20):
        rng = np.random.default_rng(lines)
        cells = []
        for is_english in (True, False):
            guesses = [
                (kind[:2], language_of(texts[kind][place] for place in rng.permutation(len(texts[kind]))[:lines]))
                for kind in texts
                if (kind[:2] == "en") == is_english
                for _ in range(DRAWN)
            ]
            cells += [
                np.mean([guess.is_clear and guess.code == kind for kind, guess in guesses]),
                np.mean([guess.is_clear and (guess.code == "en") != is_english for _, guess in guesses]),
                np.mean([guess.is_enough and not guess.is_clear for _, guess in guesses]),
                np.mean([not guess.is_enough for _, guess in guesses]),
            ]
        yield f"| {lines} | {' | '.join(f'{cell:.3f}' for cell in cells)} |"


def speed(texts: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Size, loading and time a text."""
    lines = [line for kind, given in texts.items() for line in given[:200]]
    sizes = {"py3langid": _size("py3langid"), "lingua": _size("lingua-language-detector")}
    yield from ("", "## Cost", "", "| detector | installed | first answer | a line |", "|---|---|---|---|")
    for name, package in (("py3langid", "py3langid.langid"), ("lingua", "lingua")):
        if importlib.util.find_spec(package.split(".")[0]) is None:
            continue
        detect = detectors()[name]
        detect(lines[0])
        start = perf_counter()
        for line in lines:
            detect(line)
        each = (perf_counter() - start) / len(lines)
        yield f"| {name} | {sizes[name]} | {_first(name):.2f} s | {each * 1e6:.0f} µs |"
    start = perf_counter()
    guesses = [language_of(given) for given in texts.values()]
    seconds = perf_counter() - start
    yield from (
        "",
        f"`language_of` of all texts of each of {len(guesses)} kinds ({sum(map(len, texts.values())):,} lines): "
        f"{seconds:.2f} s in all.",
    )


FIRST = {
    "py3langid": "from py3langid.langid import LanguageIdentifier as L, MODEL_FILE as M\n"
    "L.from_model_file(M, norm_probs=True).classify('Have you seen it?')",
    "lingua": "from lingua import LanguageDetectorBuilder as B\n"
    "B.from_all_languages().build().detect_language_of('Have you seen it?')",
}


def _first(name: str) -> float:
    """Seconds to import a detector and to ask it once, in a process of its own that has numpy."""
    code = f"import numpy\nfrom time import perf_counter as now\nstart = now()\n{FIRST[name]}\nprint(now() - start)"
    runs = [subprocess.run(["python", "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return float(np.median([float(run.stdout) for run in runs]))


def _size(package: str) -> str:
    try:
        files = importlib.metadata.files(package) or []
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
    return f"{sum(file.locate().stat().st_size for file in files if Path(str(file.locate())).is_file()) / 1e6:.1f} MB"  # type: ignore[attr-defined]


def head() -> Iterator[str]:
    """What this is, on what machine."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True, cwd=HERE
    )
    versions = ", ".join(
        f"{package} {importlib.metadata.version(package)}"
        for package in ("py3langid", "lingua-language-detector")
        if importlib.util.find_spec(package.split("-")[0]) is not None
    )
    yield from (
        "# How short a text may be for its language to be detected",
        "",
        f"Made by `python -m benchmarks.language MIRROR` at {commit.stdout.strip()}, Python {platform.python_version()}, "
        f"{platform.machine()}, {versions}. What is measured on what: the docstring of `benchmarks/language.py`.",
        "",
        "py3langid was chosen: from ten words on it is as often right as lingua, below more often, at a twentieth of the "
        "size. The word list took one text of another language in twenty for English, at any length. A single line of chat "
        "is too short for all of them, so languages are identified from all texts of a speaker, twenty words at least. "
        "Times are of a shared machine.",
        "",
    )


if __name__ == "__main__":
    main()
