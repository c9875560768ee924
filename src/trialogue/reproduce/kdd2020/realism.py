"""Tables 6 and 7: the published numbers with intervals, and dialogues for repeating their procedure.

The judgements, comments, pairs and simulated dialogues of the paper were not released, so its numbers cannot be recomputed.
The procedure can be repeated: ``write_realism_dialogues`` writes as many simulated dialogues as the paper compared, 25 of
each simulator with each system, and ``study new --template realism`` pairs them with the published ones of people.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from trialogue.records import JsonValue
from trialogue.records.files.jsonl import write_records
from trialogue.reproduce.kdd2020.paper_values import (
    METHODS,
    PAIRS,
    REASON_NAMES,
    SYSTEMS,
    TABLE_6,
    TABLE_6_PERCENT,
    TABLE_7,
    WORKERS,
)
from trialogue.reproduce.kdd2020.runs import simulate_fitting
from trialogue.stats.comparison.inference import wilson

FOLDER = "realism"
FIRST, WIDTH = 14, 22
OUTCOMES = ("win", "lose", "tie")
STUDY = (
    "trialogue study new --template realism --real kdd2020 --simulated runs/kdd2020/realism/dialogues.jsonl "
    f"--set per_cell={PAIRS} --out my_study"
)
"""The command that makes pairs of the dialogues."""
PREAMBLE = (
    "Tables 6 and 7 as published: which of two users is the human one, and why. They cannot be recomputed: the",
    "judgements, comments, pairs and simulated dialogues were not released. Win: the simulated user was taken for the",
    f"human one. 95% intervals (Wilson) treat a cell's {PAIRS} pairs x {WORKERS} workers as independent choices.",
    f"If the {WORKERS} workers of a pair always agreed, {PAIRS} would be, and the intervals 1.7 times as wide.",
)


def write_realism_dialogues(
    out: Path, *, n: int = PAIRS, seed: int = 0, catalogue: str, options: Mapping[str, JsonValue] | None = None
) -> Path:
    """Write dialogues of each simulator with a replay of each system, 25 or ``n``, for a study; returns the file.

    Users talk only of films that real users named, and the replay answers as the system answered the most similar message,
    preferably in the same dialogue: else the user would ask about one film and be answered about another.
    """
    path = out / FOLDER / "dialogues.jsonl"
    write_records(path, simulate_fitting(min(PAIRS, n), seed=seed, catalogue=catalogue, options=options))
    return path


def render_realism() -> str:
    """Text of both tables as published, with 95% intervals, and what of their procedure can be repeated."""
    return "\n".join(
        [
            *PREAMBLE,
            "",
            "Table 6 (% of choices)",
            *_table_6(),
            "",
            "Table 7 (mentions)",
            *_table_7(),
            "",
            "The same procedure, with your own raters (it needs the dialogues of trialogue reproduce kdd2020):",
            f"  {STUDY}",
        ]
    )


def _table_6() -> Iterator[str]:
    yield _line("", [*SYSTEMS, "All (printed)"])
    for method in METHODS:
        cells = TABLE_6[method]
        sums = tuple(sum(cell[place] for cell in cells) for place in range(3))
        for place, outcome in enumerate(OUTCOMES):
            shares = [_share(cell[place], sum(cell)) for cell in cells]
            whole = f"{_share(sums[place], sum(sums))} ({TABLE_6_PERCENT[method][place]})"
            yield _line(
                f"{method if place == 0 else ''}", [*(f"{outcome} {each}" for each in shares), f"{outcome} {whole}"]
            )


def _table_7() -> Iterator[str]:
    yield _line("", [*REASON_NAMES, "All"], width=14)
    for method in METHODS:
        yield _line(method, [*map(str, TABLE_7[method]), str(sum(TABLE_7[method]))], width=14)
    sums = [sum(row[place] for row in TABLE_7.values()) for place in range(len(REASON_NAMES))]
    yield _line("All", [*map(str, sums), str(sum(sums))], width=14)
    yield _line("% of mentions", [_share(each, sum(sums), short=True) for each in sums], width=14)


def _share(count: int, n: int, *, short: bool = False) -> str:
    found = wilson(count, n)
    assert found.value is not None  # n > 0
    assert found.interval is not None
    low, high = (f"{100 * each:.0f}" for each in (found.interval.low, found.interval.high))
    return f"{100 * found.value:.{0 if short else 1}f} [{low}, {high}]"


def _line(head: str, cells: Sequence[str], *, width: int = WIDTH) -> str:
    return (f"{head:<{FIRST}}" + "".join(f"{cell:<{width}}" for cell in cells)).rstrip()
