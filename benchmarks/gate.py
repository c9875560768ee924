"""What the gate of threats costs where nothing is wrong: ``python -m benchmarks.gate``.

Clean data of four designs, two versions each, no failures: shares and stars by people of their own, stars by people who met
both versions or held several dialogues, replies held against references. With a true effect that a two-sided test at .05
finds in about 80 % of samples, how often does ``compare`` turn green? How often does a threat demote or block a verdict? And
without an effect, how often is a difference called?
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trialogue.analysis import choose
from trialogue.findings.threats import Severity, Validity
from trialogue.inputs.inputs import InputRecords
from trialogue.records import Dialogue, Ending, Rating, Response, Situation, Utterance
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import Run, conclude_records, estimate_records

Maker = Callable[[np.random.Generator, str, float], InputRecords]
"""Records of one version from a generator, its name and how good it is."""
TEXT = (
    "you should really watch the new film about an old house near the sea because it is quiet and warm with good actors "
    "who play two friends that try to find their way home after a long winter in the city"
)
WORDS = TEXT.split()


@dataclass(frozen=True)
class Design:
    """Clean data of one kind."""

    title: str
    """What is collected."""
    make: Maker
    """One version's records."""
    old: float
    """How good the old version is."""
    gain: float
    """How much better the new one is where there is an effect."""
    measure: str
    """What decides."""
    metrics: tuple[str, ...] = ("turns",)
    """What is measured beside people's ratings."""


def dialogue(rng: np.random.Generator, name: str, user: str, rating: Rating) -> Dialogue:
    return Dialogue(
        id=name,
        system="crs",
        user=user,
        utterances=(
            Utterance(speaker="user", text="A film for tonight, please; I like comedies."),
            Utterance(speaker="system", text=f"What about number {rng.integers(1000)} of the list for tonight?"),
        ),
        ended_by=Ending.USER_ENDED,
        ratings=(rating,),
    )


def shares(rng: np.random.Generator, name: str, level: float) -> InputRecords:
    """100 dialogues, each of a person of its own, satisfied or not."""
    return InputRecords(
        dialogues=[
            dialogue(
                rng,
                f"{name}-{place}",
                f"{name}-{place}",
                Rating(name="satisfaction", value=float(rng.random() < level), rater="user", low=0, high=1),
            )
            for place in range(100)
        ]
    )


def stars(rng: np.random.Generator, name: str, level: float, *, people: int, each: int, same: bool) -> InputRecords:
    """Ratings from 1 to 5 by people with a level of their own (SD .7) and errors (SD .8), some dialogues each."""
    tastes = np.random.default_rng(int(rng.integers(2**32)) if not same else SHARED["seed"]).normal(0, 0.7, people)
    found = []
    for person, taste in enumerate(tastes):
        for number in range(each):
            value = float(np.clip(np.rint(level + taste + rng.normal(0, 0.8)), 1, 5))
            rating = Rating(name="satisfaction", value=value, rater="user", low=1, high=5)
            user = f"{'both' if same else name}-{person}"
            found.append(dialogue(rng, f"{name}-{person}-{number}", user, rating))
    return InputRecords(dialogues=found)


SHARED = {"seed": 0}
"""Of the people who meet both versions, set for each pair of runs."""


def replies(rng: np.random.Generator, _name: str, level: float) -> InputRecords:
    """Replies to 80 situations that keep each of ten words of the reference with some probability."""
    references = np.random.default_rng(5).integers(len(WORDS), size=(80, 10))
    situations, answers = [], []
    for place, row in enumerate(references):
        words = [WORDS[word] for word in row]
        kept = [word if rng.random() < level else f"{WORDS[rng.integers(len(WORDS))]}s" for word in words]
        user = Utterance(speaker="user", text="A film for tonight, please; I like comedies.")
        reference = Utterance(speaker="system", text=" ".join(words))
        situations.append(Situation(id=str(place), context=(user,), reference=reference, dialogue_id=str(place)))
        said = Utterance(speaker="system", text=" ".join(kept))
        answers.append(Response(situation_id=str(place), system="crs", utterance=said))
    return InputRecords(situations=situations, responses=answers)


def both(rng: np.random.Generator, name: str, level: float) -> InputRecords:
    """Stars by 40 people who met both versions."""
    return stars(rng, name, level, people=40, each=1, same=True)


def several(rng: np.random.Generator, name: str, level: float) -> InputRecords:
    """Stars by 30 people for each version, of three dialogues each."""
    return stars(rng, name, level, people=30, each=3, same=False)


DESIGNS = (
    Design("100 dialogues each, satisfied or not, every person once", shares, 0.5, 0.2, "human:satisfaction"),
    Design("stars of 40 people who met both versions", both, 2.8, 0.54, "human:satisfaction"),
    Design("stars of 30 people for each version, three dialogues each", several, 2.8, 0.66, "human:satisfaction"),
    Design("replies to 80 situations, ROUGE-L", replies, 0.6, 0.07, "rouge_l@f1|v1", ("rouge_l@f1",)),
)


def counts(runs: int, design: Design, gain: float, seed: int) -> dict[str, int]:
    found = dict.fromkeys(("green", "red", "conditional", "blocked", "demoted in evaluate"), 0)
    for number in range(runs):
        rng = np.random.default_rng([seed, number])
        SHARED["seed"] = number
        before, after = (
            run_of(design, design.make(rng, name, level), name)
            for name, level in (("old", design.old), ("new", design.old + gain))
        )
        comparison = compare(before, after, on=[design.measure], resamples=200).comparison
        firm = comparison.validity is Validity.FIRM
        found["green"] += comparison.light == "better" and firm
        found["red"] += comparison.light == "worse"
        found["conditional"] += not firm
        found["blocked"] += any(threat.severity is Severity.BLOCKS for threat in comparison.threats)
        found["demoted in evaluate"] += any(
            threat.severity is not Severity.NOTES and threat.concerns_measure(design.measure)
            for run in (before, after)
            for threat in run.findings.threats
        )
    return found


def run_of(design: Design, material: InputRecords, name: str) -> Run:
    inferred = estimate_records(material, choose(material, list(design.metrics)), resamples=200)
    return conclude_records(inferred, title=name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/GATE.md"))
    given = parser.parse_args()
    rows = {
        (design.title, effect): counts(given.runs, design, gain, given.seed)
        for design in DESIGNS
        for effect, gain in (("better", design.gain), ("none", 0.0))
    }
    rows[DESIGNS[0].title, "worse"] = counts(given.runs, DESIGNS[0], -DESIGNS[0].gain, given.seed)
    heads = list(next(iter(rows.values())))
    lines = [
        "# What the gate of threats costs where nothing is wrong",
        "",
        f"Made by `python -m benchmarks.gate --runs {given.runs} --seed {given.seed}`. Two versions, no failures, English,",
        "one measure that decides. The effects are those that a z-test finds in about 80 % of samples.",
        "",
        f"| data | true effect | runs | {' | '.join(heads)} |",
        "|" + "---|" * (len(heads) + 3),
        *(
            f"| {title} | {effect} | {given.runs} | "
            + " | ".join(f"{row[head]} ({row[head] / given.runs:.1%})" for head in heads)
            + " |"
            for (title, effect), row in rows.items()
        ),
        "",
        "*Green*: better, and nothing demotes it; a gate that costs nothing is green as often as the test finds the effect.",
        "Drawn 4,000 times, these designs give a z-test or t-test a power of .83, .78, .83 and .83. `compare` ran with 200",
        "arrangements here (10,000 is its default). For people who met both versions, 200 further comparisons at an effect",
        "of .56 were green 158 times, where a t-test on the same ratings called 163.",
        "*Red* and *green* in rows without an effect are type I errors (5 % together).",
        "*Conditional*, *blocked* and *demoted* are false alarms of the gate: nothing is wrong with these data.",
        "",
    ]
    given.out.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
