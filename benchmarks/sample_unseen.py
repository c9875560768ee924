"""Samples by an author who has not seen the detectors: how often a verdict on them is firm. Adds to ``SAMPLE_UNSEEN.md``.

    python -m benchmarks.sample_unseen FOLDER TITLE [VARIANTS]

``FOLDER`` is a package with two tables of generators, ``GENERATORS`` (two equal systems that look different) and ``CLEAN``
(one system is better, and nothing is wrong). Each takes a random generator of NumPy and the path of the JSONL file that it
writes. The section under ``TITLE`` is written anew, and the others stay.

A firm verdict on a tampered sample is wrong, as is a doubt about a clean one. That different people met two systems makes
every verdict conditional, tampered or not (threat ``unassigned_people``), and is not counted here as a doubt. Of several
questions, the first one of a dialogue is the tampered one: verdicts on the others may be right, and are not counted.
"""

import hashlib
import importlib
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.tables import table
from trialogue.errors import TrialogueError
from trialogue.findings import Findings
from trialogue.findings.threat import Severity, ThreatCode
from trialogue.records import Basis, MeasureName
from trialogue.subjects.evaluation.commands.evaluate import evaluate

PAGE = Path(__file__).parent / "SAMPLE_UNSEEN.md"
HEAD = """# Samples by an author who has not seen the detectors

Written by `python -m benchmarks.sample_unseen`, which says what is counted. *firm*: of the tampered samples, those with a
winner about which no doubt is stated; of clean ones, this is what should be. *refused*: an error says what is wrong. The
held-out half was run once, by detectors that had not been changed with it in view; they were changed afterwards, so that
what they do now takes another author's samples.

A third author's samples were run once by the detectors after that change (commit 48dd6a26; the last section): **of the first
kinds 26 of 364 are firm (7.1 %), of nine new kinds 27 of 126, of all 490 samples 10.8 %; of 280 clean samples all stay
firm.** These are the numbers to quote; the goal is 5 %.
"""
Generator = Callable[[np.random.Generator, Path], None]


def first_question(path: Path) -> str | None:
    """The first question of the dialogue with most ratings; None where nothing is rated, or these are replies."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rated = [row["ratings"] for row in rows if row["kind"] == "dialogue" and row.get("ratings")]
    return str(max(rated, key=len)[0]["name"]) if rated else None


def doubts(findings: Findings, question: str | None) -> Iterator[set[str]]:
    """Of each verdict that names a winner, on a question if there is one: the codes of what demotes or blocks it."""
    serious = [
        each
        for each in findings.threats
        if each.severity is not Severity.NOTES and each.code is not ThreatCode.UNASSIGNED_PEOPLE
    ]
    for league in findings.leagues:
        name = league.measure.name
        if league.measure.basis is Basis.REPLIES or question not in (None, MeasureName(name).question):
            continue
        for pair in league.contrasts:
            if pair.leader is not None:
                yield {
                    each.code.value
                    for each in serious
                    if each.concerns_measure(name) and each.concerns_pair(pair.a, pair.b, ahead=pair.leader)
                }


def counts(name: str, make: Generator, variants: int) -> tuple[Counter[str], Counter[str]]:
    """Samples of a generator (all, refused, with a winner, with a firm one), and the doubts about them."""
    found, codes = Counter[str](), Counter[str]()
    for number in range(variants):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.jsonl"
            make(np.random.default_rng([number, int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)]), path)
            metrics = ["bleu"] if '"kind": "situation"' in path.read_text(encoding="utf-8") else ["turns"]
            found["samples"] += 1
            try:
                every = list(doubts(evaluate(path, metrics=metrics, resamples=500).findings, first_question(path)))
            except TrialogueError:
                found["refused"] += 1
                continue
        found.update(decided=bool(every), firm=set() in every)
        codes.update({code for each in every for code in each})
    return found, codes


def section(title: str, made: Mapping[str, Mapping[str, Generator]], variants: int) -> list[str]:
    """The lines under a title."""
    start = time.process_time()
    lines = [f"## {title}", ""]
    for kind, generators in made.items():
        rows, total = [], Counter[str]()
        for name, make in generators.items():
            own, codes = counts(name, make, variants)
            total += own
            said = ", ".join(f"{code} {times}" for code, times in codes.most_common(3))
            rows.append([name.replace("_", " "), *(str(own[key]) for key in _COLUMNS), said])
        rows.append(["all", *(str(total[key]) for key in _COLUMNS), f"{total['firm'] / total['samples']:.3f} firm"])
        lines += table([kind, "samples", "refused", "with a winner", "firm", "doubts"], rows)
    return [*lines, f"{time.process_time() - start:,.0f} CPU s.", ""]


_COLUMNS = ("samples", "refused", "decided", "firm")


def main(folder: str, title: str, variants: str = "60") -> None:
    """Write the section."""
    package = Path(folder).resolve()
    sys.path.insert(0, str(package.parent))
    made = importlib.import_module(package.name)
    lines = section(title, {"tampered with": made.GENERATORS, "clean": made.CLEAN}, int(variants))
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else HEAD
    head, *parts = before.split("\n## ")
    kept = ["## " + part.strip() for part in parts if part.split("\n")[0] != title]
    text = "\n\n".join([head.strip(), *kept, "\n".join(lines).strip()])
    PAGE.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
