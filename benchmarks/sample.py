"""Tampered samples and clean ones: how often a verdict is firm. Writes ``benchmarks/SAMPLE.md``.

    python -m benchmarks.sample

Each attack of ``sample_cases`` in its variants, a few samples each; the systems are equal, or the better-looking one is not
better, so that a firm verdict is wrong. The other side: clean samples in which one system is better by a point, and rated
corpora that are on this machine. Their verdicts should keep their validity.
"""

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.sample_cases import CLEAN, Case, attacks, changed, talk
from benchmarks.tables import table
from trialogue.errors import TrialogueError
from trialogue.findings import Findings
from trialogue.findings.differences.re_estimates import CHANGES
from trialogue.findings.sample.copies import CopyFinder
from trialogue.findings.threat import Severity, ThreatCode, Validity
from trialogue.subjects.evaluation.commands.evaluate import evaluate

PAGE = Path(__file__).parent / "SAMPLE.md"
SAMPLES = 5
"""Of each variant."""
CLEAN_SAMPLES = 60
"""Of each way to make clean ones."""
CORPORA = ("crsarena-dial", "kdd2020", "infact", "demo")
OF_SAMPLES = {*CHANGES, ThreatCode.MISSING_VALUES}


def verdicts(findings: Findings) -> Iterator[Validity]:
    """Validity of people's verdicts that name a winner."""
    for league in findings.leagues:
        if league.measure.by == "people":
            yield from (pair.validity for pair in league.contrasts if pair.leader is not None)


def counts(case: Case, samples: int) -> Counter[str]:
    """Samples of a case: all, those with a winner, and with a firm one."""
    found = Counter[str]()
    for number in range(samples):
        records = case.make(random.Random(f"{case.attack} {case.name} {number}"))
        decided = list(verdicts(evaluate(records, metrics=["turns"], resamples=500).findings))
        found.update(samples=1, decided=bool(decided), firm=Validity.FIRM in decided)
    return found


def corpora() -> Iterator[tuple[str, int, int]]:
    """(corpus, verdicts of people, those that a doubt about the sample demotes)."""
    for name in CORPORA:
        try:
            findings = evaluate(name, metrics=["turns"], resamples=500).findings
        except TrialogueError:
            continue
        demoted = {
            (each.measure, frozenset(each.systems))
            for each in findings.threats
            if each.code in OF_SAMPLES and each.severity is Severity.DEMOTES
        }
        pairs = [
            (league.measure.name, frozenset((pair.a, pair.b)))
            for league in findings.leagues
            for pair in league.contrasts
            if league.measure.by == "people" and pair.leader is not None
        ]
        yield name, len(pairs), sum(pair in demoted for pair in pairs)


def copies(share: float, originals: int = 400) -> tuple[float, float]:
    """(precision of groups, recall of copies) with a share of the words changed."""
    rng = random.Random(f"copies {share}")
    finder, origin = CopyFinder(), list[int]()
    for original in range(originals):
        said = "\n".join(each.text for each in talk(rng))
        for time_of in range(rng.choice((1, 1, 1, 2, 3, 8))):
            finder.add(len(origin), changed(rng, said, share) if time_of else said)
            origin.append(original)
    groups = finder.near()
    group_of = {place: number for number, group in enumerate(groups) for place in group}
    pure = sum(len({origin[place] for place in group}) == 1 for group in groups)
    pairs = [place for place in range(1, len(origin)) if origin[place] == origin[place - 1]]
    found = sum(place in group_of and group_of[place] == group_of.get(place - 1) for place in pairs)
    return pure / len(groups), found / len(pairs)


def main() -> None:
    """Write the page."""
    start = time.process_time()
    by_attack: dict[str, Counter[str]] = {}
    variants = Counter[str]()
    for case in attacks():
        by_attack.setdefault(case.attack, Counter()).update(counts(case, SAMPLES))
        variants[case.attack] += 1
    clean = {case.name: counts(case, CLEAN_SAMPLES) for case in CLEAN}
    of_corpora = list(corpora())
    seconds = time.process_time() - start
    total = sum(by_attack.values(), Counter[str]())
    lines = [
        "# Tampered samples: how often a verdict is firm",
        "",
        "Written by `python -m benchmarks.sample`, which says what is drawn. Who wrote the generators knew the detectors.",
        f"{SAMPLES} samples a variant, {seconds:,.0f} CPU s. A firm verdict on a tampered sample is wrong.",
        "",
        *table(
            ["tampered with", "variants", "samples", "with a winner", "firm", "share firm"],
            [
                [name, str(variants[name]), *(str(own[key]) for key in ("samples", "decided", "firm")), _share(own)]
                for name, own in by_attack.items()
            ]
            + [["all", str(variants.total()), *(str(total[k]) for k in ("samples", "decided", "firm")), _share(total)]],
        ),
        "## Clean samples",
        "",
        "One system is better by a point.",
        "",
        *table(
            ["clean", "samples", "with a winner", "of these demoted"],
            [
                [name, str(own["samples"]), str(own["decided"]), f"{1 - own['firm'] / own['decided']:.3f}"]
                for name, own in clean.items()
            ],
        ),
        "Rated corpora on this machine; demoted by a doubt about the sample (not by other threats):",
        "",
        *table(["corpus", "verdicts of people", "demoted"], [[name, str(a), str(b)] for name, a, b in of_corpora]),
        "## Copies",
        "",
        *table(
            ["share of words changed", "precision of groups", "recall of copies"],
            [
                [f"{share:.0%}", *(f"{each:.3f}" for each in copies(share))]
                for share in (0.0, 0.02, 0.05, 0.1, 0.15, 0.25)
            ],
        ),
    ]
    PAGE.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _share(own: Counter[str]) -> str:
    return f"{own['firm'] / own['samples']:.3f}"


if __name__ == "__main__":
    main()
