"""The tables of KDD 2020 with each model of the users; writes ``benchmarks/KDD2020.md``.

    python -m benchmarks.kdd2020 FOLDER           # dialogues and tables are kept there, and not computed again

Needs the corpora kdd2020 and movielens-latest-small (``trialogue data get``, or TRIALOGUE_DATA_MIRROR).
"""

import argparse
import platform
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.kdd2020_directions import directions
from trialogue.records import JsonValue
from trialogue.reproduce.kdd2020 import Reproduction, render_tables, reproduce
from trialogue.reproduce.kdd2020.cells import TABLES_FILE
from trialogue.reproduce.kdd2020.paper_values import SUCCESS
from trialogue.reproduce.kdd2020.runs import options_of, simulate_one
from trialogue.reproduce.kdd2020.tables import metric_of
from trialogue.simulation.users.options import SOURCES, UserOptions

HERE = Path(__file__).resolve().parent
Options = Mapping[str, JsonValue]
MODELS: Mapping[str, Options] = {
    "default": {},
    "as-paper-stop-released": {"as": "paper", "stop": "released"},
    "as-paper": {"as": "paper"},
    "as-code": {"as": "code"},
}
HEADS = {
    "default": "The default: models that agree best with the tables",
    "as-paper-stop-released": "As the paper says, but dialogues end as in the released code",
    "as-paper": "As the paper says",
    "as-code": "As the released code has it",
}
PAGE = """# KDD 2020, Tables 4 to 7

Written by `benchmarks/kdd2020.py`, after commit {commit}, Python {python}, {machine}: what
`trialogue reproduce kdd2020` prints, with {n} dialogues of each simulator with each system.

The model as printed (`--set as=paper`) does not give Table 4 for B and C: its dialogues with them are much longer than the
published ones. An agenda of QRFA that is a whole dialogue of a real user has as many acts as that dialogue, and each
unanswered act adds another one, so simulated dialogues must be longer than real ones; in Table 4 they are shorter, for B
and C. Nor does the released code give the table for CIR6: its agendas have at most 12 acts. The defaults follow neither.

## Directions of the published comparisons

Two cells of a column of Tables 4 and 5 (AvgTurns, DS-KL, Reward, Success Rate), or of a row of Table 5, that differ in the
paper have a direction. "Surely missed" means that the values here are in the other order and their 95% intervals do not
overlap.

| users | comparisons | missed | surely missed |
|---|---|---|---|
{directions}

Surely missed by the default users:

{missed}

Which ingredient of the default users is it? Success rates of CIR6-PKG if one ingredient at a time is replaced by the paper's
(or, for the last rows, by another): none puts A above B, since a replay answers acts as the systems answered real users, for
whom B is above A (.864 and .833).

| ingredient | A | B | A minus B (95%) |
|---|---|---|---|
{success}

### Which ingredient of the printed model

One ingredient of `--set as=paper` at a time is replaced by that of the default users. Where a single ingredient decides a
comparison, its row has it.

| ingredient | missed | surely missed | no longer surely missed | surely missed in addition |
|---|---|---|---|---|
{ingredients}

Success rates hardly follow the simulators: a replay answers an act as often as it did with real users. Reward is 20 points
minus turns and missing functions, so its directions are mostly those of AvgTurns.

{models}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("-n", type=int, default=500)
    given = parser.parse_args()

    def run(name: str, options: Options) -> Reproduction:
        if (given.folder / name / TABLES_FILE).is_file():
            return Reproduction.read(given.folder / name)
        return reproduce(given.folder / name, n=given.n, jobs=given.jobs, options=options)

    found = {name: run(name, options) for name, options in MODELS.items()}
    switched = {name: run(f"without-{name}", options) for name, options in _ingredients()}
    head = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True, check=True)
    page = PAGE.format(
        commit=head.stdout.strip(),
        n=given.n,
        python=platform.python_version(),
        machine=platform.machine(),
        directions="\n".join(f"| {HEADS[name]} | {_counts(each)} |" for name, each in found.items()),
        success="\n".join(_success_rows(given.n)),
        missed="\n".join(f"- {text}" for text in sorted(_surely(found["default"]))) or "- none",
        ingredients="\n".join(_switch_row(name, each, found["as-paper"]) for name, each in switched.items()),
        models="\n\n".join(f"## {HEADS[name]}\n\n```text\n{render_tables(each)}\n```" for name, each in found.items()),
    )
    (HERE / "KDD2020.md").write_text(page, encoding="utf-8")


def _ingredients() -> Iterator[tuple[str, Options]]:
    """Changes of single ingredients of the paper's models; those of the interaction model go together by model."""
    default = UserOptions()
    for name in SOURCES["paper"]["both"]:
        if getattr(default, name) != SOURCES["paper"]["both"][name]:
            yield name, {"as": "paper", name: getattr(default, name)}
    for name in ("level", "replacement"):
        yield name, {"as": "paper", name: getattr(default, name)}
    yield "agenda (cir6)", {"as": "paper", "agenda": "cir6"}
    yield "agenda (qrfa-chain)", {"as": "paper", "agenda": "qrfa-chain"}


def _success_rows(n: int) -> Iterator[str]:
    """Rows of the success rate of CIR6-PKG on A and B, with one ingredient of the default users replaced."""
    name, default = "cir6-pkg", options_of({})["cir6-pkg"]
    paper = {**SOURCES["paper"]["both"], **SOURCES["paper"]["cir6"]}
    changes: list[Options] = [{}, *({option: value} for option, value in paper.items())]
    changes += [{"labels_from": "declared"}, {"after_liking": "go-on"}, {"agenda": "cir6-released"}]
    for change in changes:
        if all(getattr(default, option) == value for option, value in change.items()) and change:
            continue
        rates = []
        for letter in "AB":
            dialogues = simulate_one(letter, name, default.change(change), n)
            metric: Any = metric_of(SUCCESS, letter)
            rows = np.array([metric.statistics(dialogue) for dialogue in dialogues])
            rates.append(rows[:, 0] / rows[:, 1])
        (a, b), spread = (each.mean() for each in rates), sum(each.var() / n for each in rates) ** 0.5
        what = ", ".join(f"`{option}: {value}`" for option, value in change.items()) or "as they are"
        yield f"| {what} | {a:.3f} | {b:.3f} | {a - b:+.3f} ± {1.96 * spread:.3f} |"


def _surely(found: Reproduction) -> set[str]:
    return {each.text for each in directions(found) if each.is_surely_missed}


def _counts(found: Reproduction) -> str:
    every = directions(found)
    return f"{len(every)} | {sum(each.is_missed for each in every)} | {sum(each.is_surely_missed for each in every)}"


def _switch_row(name: str, found: Reproduction, paper: Reproduction) -> str:
    gone, new = _surely(paper) - _surely(found), _surely(found) - _surely(paper)
    counts = _counts(found).partition(" | ")[2]
    return f"| `{name}` | {counts} | {'; '.join(sorted(gone)) or '–'} | {'; '.join(sorted(new)) or '–'} |"


if __name__ == "__main__":
    main()
