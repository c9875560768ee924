"""What the gate of threats costs where nothing is wrong: ``python -m benchmarks.gate``.

Clean data: two versions, N dialogues each, every one rated by a person of its own, no failures. With a true effect that a
two-sided test at .05 finds in 80 % of samples, how often does ``compare`` turn green? How often does a threat demote or
block a verdict? And without an effect, how often is a difference called?
"""

import argparse
from pathlib import Path

import numpy as np

from trialogue.findings.threats import Severity, Validity
from trialogue.records import Dialogue, Ending, Rating, Utterance
from trialogue.workflows.compare import compare
from trialogue.workflows.evaluation import Run, evaluate_records
from trialogue.workflows.inputs.inputs import Material
from trialogue.workflows.pipeline import choose

DIALOGUES = 100
SATISFIED = (0.5, 0.7)  # power of a two-sided z-test at .05 with 100 each: .83 (.80 with 93)


def run_of(rng: np.random.Generator, name: str, share: float) -> Run:
    dialogues = [
        Dialogue(
            id=f"{name}-{place}",
            system="crs",
            user=f"{name}-{place}",
            utterances=(
                Utterance(speaker="user", text="A film for tonight, please; I like comedies."),
                Utterance(speaker="system", text=f"What about number {rng.integers(1000)} of the list for tonight?"),
            ),
            ended_by=Ending.USER_ENDED,
            ratings=(Rating(name="satisfaction", value=float(rng.random() < share), rater="user", low=0, high=1),),
        )
        for place in range(DIALOGUES)
    ]
    material = Material(dialogues=dialogues)
    return evaluate_records(material, choose(material, ["turns"]), title=name, resamples=200)


def counts(runs: int, shares: tuple[float, float], seed: int) -> dict[str, int]:
    found = dict.fromkeys(("green", "red", "conditional", "blocked", "demoted in evaluate"), 0)
    for number in range(runs):
        rng = np.random.default_rng([seed, number])
        before, after = (run_of(rng, name, share) for name, share in zip(("old", "new"), shares, strict=True))
        comparison = compare(before, after, resamples=200).comparison
        firm = comparison.validity is Validity.FIRM
        found["green"] += comparison.light == "better" and firm
        found["red"] += comparison.light == "worse"
        found["conditional"] += not firm
        found["blocked"] += any(threat.severity is Severity.BLOCKS for threat in comparison.threats)
        found["demoted in evaluate"] += any(
            threat.severity is not Severity.NOTES and threat.concerns_measure("human:satisfaction")
            for run in (before, after)
            for threat in run.findings.threats
        )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/GATE.md"))
    given = parser.parse_args()
    rows = {
        f"{SATISFIED[0]:g} against {SATISFIED[1]:g}": counts(given.runs, SATISFIED, given.seed),
        "0.5 against 0.5": counts(given.runs, (0.5, 0.5), given.seed),
        "0.7 against 0.5": counts(given.runs, SATISFIED[::-1], given.seed),
    }
    heads = list(next(iter(rows.values())))
    lines = [
        "# What the gate of threats costs where nothing is wrong",
        "",
        f"Made by `python -m benchmarks.gate --runs {given.runs} --seed {given.seed}`. Two versions, {DIALOGUES} dialogues "
        "each, each rated satisfied or not by a person of its own; no failures, English, one measure of people.",
        "",
        f"| share satisfied, old against new | runs | {' | '.join(heads)} |",
        "|" + "---|" * (len(heads) + 2),
        *(
            f"| {name} | {given.runs} | "
            + " | ".join(f"{row[head]} ({row[head] / given.runs:.1%})" for head in heads)
            + " |"
            for name, row in rows.items()
        ),
        "",
        "*Green*: better, and nothing demotes it. A z-test finds the true effect in about 83 % of samples, so a gate that",
        "costs nothing is green in about that share. *Red* and *green* in the second row are type I errors (5 %).",
        "*Conditional*, *blocked* and *demoted* are false alarms of the gate: nothing is wrong with these data.",
        "",
    ]
    given.out.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
