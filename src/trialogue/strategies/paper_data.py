"""Read the files released with the Behavior Alignment paper: annotated ReDial sentences, judged pairs, and Table 5.

``human_annotation.csv`` holds sentences of ReDial recommenders with a strategy; ``redial_evaluation_results_*.csv`` hold
pairs of them, lower-cased and re-joined by BERT's tokenizer, with the truth and the classifier's prediction. All three are
UTF-8 with a byte-order mark, and typographic characters in them were decoded wrongly, twice; texts are repaired where that
can be undone.
"""

import csv
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trialogue.errors import DataError, Problem
from trialogue.records import STRATEGIES, Record
from trialogue.records.files.jsonl import MAX_PROBLEMS
from trialogue.seeds import rng_for
from trialogue.strategies.base import Example, Ints, StrategyClassifier
from trialogue.strategies.learning.calibration import same_probability
from trialogue.strategies.learning.dyads import RESAMPLES, Bools, Dyads, Pairs, PairScores, pair_scores
from trialogue.strategies.learning.folds import places_of

ANNOTATIONS = "human_annotation.csv"
RESULTS = "redial_evaluation_results_*.csv"
LEFT, RIGHT, TRUTH, ANSWER = "Input Text Part 1", "Input Text Part 2", "Ground Truth Label", "Model Prediction"
SENTENCE, LABEL, ACCEPTED = "recommend_sentence", "labels", "annotation"
TITLES = {"original": "Original", "mixedhard": "Mixed-hard"}
NUMBERS = [str(number) for number in range(len(STRATEGIES))]
TIMES_DECODED_WRONGLY = 2


class TableRow(Record):
    """One classifier of Table 5."""

    model: str
    """``"Original"`` or ``"Mixed-hard"``, or the file's own word."""
    file: str
    """Name of the file."""
    scores: PairScores
    """Recomputed from its answers, with intervals by pair and by sentence. AUC is of answers, not probabilities."""


@dataclass(frozen=True, eq=False)
class JudgedTexts:
    """Pairs of texts with truth and, if it is there, a classifier's answer."""

    texts: tuple[str, ...]
    """The different sentences; where annotations were given, as annotated."""
    left: Ints
    """Index of one sentence of each pair, shape (n,)."""
    right: Ints
    """Index of the other."""
    same: Bools
    """Whether both have one strategy."""
    said: Bools | None
    """Whether the classifier says so."""
    identical: int
    """Pairs of a text with itself, to the letter."""

    @property
    def pairs(self) -> Pairs:
        """As pairs of rows of ``texts``."""
        return Pairs(self.left, self.right, self.same)


def read_annotations(path: Path | str) -> list[Example]:
    """Read the annotated sentences, in order, without those that were not accepted.

    Raises:
        DataError: no such file or columns, or a label that is no number from 0 to 12.
    """
    return [example for _, example in _read_annotations(Path(path))]


def _read_annotations(path: Path) -> list[tuple[str, Example]]:
    """Accepted sentences as they are written in the file, and repaired with their strategies."""
    path = path / ANNOTATIONS if path.is_dir() else path
    problems: list[Problem] = []
    found = []
    for line, row in _rows(path, SENTENCE, LABEL):
        number, raw = row[LABEL].strip(), row[SENTENCE]
        if (row.get(ACCEPTED) or "1").strip() not in ("1", "") or not raw.strip():
            continue
        if number in NUMBERS:
            label = STRATEGIES[NUMBERS.index(number)]
            example = Example(text=repair_encoding(raw).strip(), label=label, source="redial-strategies")
            found.append((raw, example))
        else:
            problems.append(Problem(f"{number!r} is not the number of a strategy (0 to 12).", str(path), line, LABEL))
    if problems:
        raise DataError(problems)
    return found


def read_pairs(path: Path | str, annotations: Path | str | None = None) -> JudgedTexts:
    """Read the pairs of one file.

    Two texts are the same sentence if they agree in their letters and digits, accents and case aside.

    Args:
        path: the file.
        annotations: the annotated sentences, to put the original wording in the place of the tokenizer's.

    Raises:
        DataError: no such file or columns, or a truth that is neither 0 nor 1.
    """
    path = Path(path)
    known = () if annotations is None else _read_annotations(Path(annotations))
    wording = {normalise_for_bert(raw): example.text for raw, example in known}
    # A text's number is that of its first spelling, so that intervals can be clustered by sentence.
    keys: dict[str, int] = {}
    texts: list[str] = []
    ends, truth, said = [], [], []
    identical = 0
    problems: list[Problem] = []
    for line, row in _rows(path, LEFT, RIGHT, TRUTH):
        for text in (row[LEFT], row[RIGHT]):
            key = normalise_for_bert(text)
            if key not in keys:
                keys[key] = len(texts)
                texts.append(wording.get(key) or repair_encoding(text))
            ends.append(keys[key])
        identical += row[LEFT] == row[RIGHT]
        if row[TRUTH] not in ("0", "1") or row.get(ANSWER, "0") not in ("0", "1"):
            problems.append(Problem("truth and answer must be 0 or 1.", str(path), line, f"{TRUTH}, {ANSWER}"))
        truth.append(row[TRUTH] == "1")
        said.append(row.get(ANSWER))
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems or not truth:
        raise DataError(problems or Problem("the file contains no pairs.", str(path)))
    places = np.array(ends, dtype=np.int64).reshape(-1, 2)
    answers = None if None in said else np.array([answer == "1" for answer in said])
    return JudgedTexts(tuple(texts), places[:, 0], places[:, 1], np.array(truth), answers, identical)


def table5(path: Path | str, *, seed: int = 0, resamples: int = RESAMPLES) -> tuple[TableRow, ...]:
    """Recompute Table 5 of the paper from the released predictions: Original before Mixed-hard.

    Args:
        path: the folder of the released files, or one file of answers.
        seed: seed for the intervals.
        resamples: bootstrap replicates.

    Raises:
        DataError: there is no file of answers, or it cannot be read.
    """
    return tuple(_row(file, seed, resamples) for file in result_files(path))


def result_files(path: Path | str) -> list[Path]:
    """Released files of answers in a folder, Original before Mixed-hard; a file itself.

    Raises:
        DataError: the folder has none.
    """
    path = Path(path)
    files = sorted(path.glob(RESULTS), key=lambda file: (_place(file), file.name)) if path.is_dir() else [path]
    if not files:
        raise DataError(
            Problem(f"the folder has no {RESULTS}.", str(path), hint="Give the folder with the released files.")
        )
    return files


def title_of(file: Path) -> str:
    """The paper's name of the classifier whose answers a file holds, or the file's own word."""
    word = file.stem.rpartition("_")[2]
    return TITLES.get(word, word)


def judge_pairs(
    model: StrategyClassifier,
    same: tuple[float, float],
    pairs: JudgedTexts,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> PairScores:
    """Pair accuracy of a calibrated model, with intervals by sentence.

    Args:
        model: model with calibrated probabilities.
        same: its (slope, intercept) for pairs.
        pairs: pairs from ``read_pairs``.
        seed: seed for the intervals.
        resamples: bootstrap replicates.
    """
    clear = model.probabilities(pairs.texts)
    return _score_pairs(pairs, same_probability(clear[pairs.left], clear[pairs.right], same), seed, resamples)


def repair_encoding(text: str) -> str:
    """A text whose typographic characters were decoded as Mac Roman once or twice, put right; others as they are.

    >>> repair_encoding("I‚Äö√Ñ√¥m fine"), repair_encoding("I‚Äôm fine"), repair_encoding("Amélie")
    ('I’m fine', 'I’m fine', 'Amélie')
    """
    for _ in range(TIMES_DECODED_WRONGLY):
        try:
            text = text.encode("mac_roman").decode("utf-8")
        except UnicodeError:
            break
    return text


def normalise_for_bert(text: str) -> str:
    """Letters a to z and digits of a text, without accents: what survives BERT's tokenizer.

    >>> normalise_for_bert("I’m Amélie (2001)!") == normalise_for_bert("i ' m amelie ( 2001 ) !") == "imamelie2001"
    True
    """
    plain = unicodedata.normalize("NFD", text.lower())
    return re.sub(r"[^a-z0-9]", "", plain) or text.strip()


def _row(file: Path, seed: int, resamples: int) -> TableRow:
    pairs = read_pairs(file)
    if pairs.said is None:
        raise DataError(Problem(f"column {ANSWER!r} is missing: the file has no answers to score.", str(file)))
    scores = _score_pairs(pairs, pairs.said.astype(np.float64), seed, resamples)
    return TableRow(model=title_of(file), file=file.name, scores=scores)


def _score_pairs(pairs: JudgedTexts, chances: np.ndarray, seed: int, resamples: int) -> PairScores:
    dyads = Dyads.from_pairs(pairs.pairs, chances, places_of(range(len(pairs.texts))))
    rng = rng_for(seed, "released pairs")
    return pair_scores(dyads, unit="sentence", rng=rng, identical=pairs.identical, resamples=resamples)


def _place(file: Path) -> int:
    word = file.stem.rpartition("_")[2]
    return list(TITLES).index(word) if word in TITLES else len(TITLES)


def _rows(path: Path, *columns: str) -> Iterator[tuple[int, dict[str, str]]]:
    """(line, row) of a CSV file that has these columns; short rows are errors."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            table = csv.DictReader(stream)
            if missing := [name for name in columns if name not in (table.fieldnames or ())]:
                what = f"these columns are missing: {', '.join(missing)}. The file has: {', '.join(table.fieldnames or ())}."
                raise DataError(Problem(what, str(path)))
            for row in table:
                if any(row[name] is None for name in columns):
                    raise DataError(Problem("the row has too few cells.", str(path), table.line_num))
                yield table.line_num, row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(Problem(f"this file cannot be read: {error}.", str(path))) from error
