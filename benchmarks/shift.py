"""Implicit alignment in other corpora: writes ``benchmarks/SHIFT.md``.

    TRIALOGUE_DATA_MIRROR=... python -m benchmarks.shift [--draws 40] [--transfers]

Systems of known alignment are made of labelled sentences, as in ``benchmarks/alignment.py``, of corpora that the model
has not seen. ``--transfers`` also measures the transfer error that the product uses, on INSPIRED and our own sentences.
"""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.alignment_systems import LLM_LIKE, RATES, _Judge, read_inspired
from trialogue.metrics.alignment.match_likelihood import Calibration as FitOf
from trialogue.metrics.alignment.match_likelihood import likeliest_share, on_grid
from trialogue.metrics.fit_uncertainty import Sources, widen_for_fit
from trialogue.records import NO_STRATEGY, Estimate
from trialogue.stats import bootstrap_sums, cluster_sums
from trialogue.strategies.base import CLASSES, Example, Floats, Ints, examples_of
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.learning.calibration import same_probability
from trialogue.strategies.learning.corpus_profile import ELSEWHERE, TextTally
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import Model
from trialogue.strategies.paper_data import read_annotations
from trialogue.strategies.taxonomy import bundled_examples

HERE = Path(__file__).resolve().parent
REFERENCES = 577  # as many as the table has
RESAMPLES = 200
LABELS = (50, 100)
MIXES = ("people", "language model")
DIRICHLET = 40  # mixes of strategies drawn for the part of the error that is a system's own
PER_CLASS = 120  # sentences whose pairs are looked at in a transfer
SETS = ("examples.jsonl", "general.jsonl")
BUNDLED = HERE.parent / "src" / "trialogue" / "strategies" / "bundled"


@dataclass(frozen=True, eq=False)
class Corpus:
    """Labelled sentences of one corpus, with a model's beliefs."""

    name: str
    model: Model
    texts: list[str]
    truth: Ints
    classes: tuple[str, ...]
    clear: Floats

    @classmethod
    def of(cls, name: str, model: Model, examples: Sequence[Example]) -> "Corpus":
        kept = [each for each in examples if each.label in model.classes]
        classes = tuple(name for name in model.classes if any(each.label == name for each in kept))
        clear = model.probabilities([each.text for each in kept])
        truth = np.array([classes.index(each.label) for each in kept], dtype=np.int64)
        return cls(name, model, [each.text for each in kept], truth, classes, clear)


@dataclass(frozen=True)
class Cell:
    """One simulated system."""

    mix: str
    rate: float
    error: float
    covered: dict[str, bool]
    widths: dict[str, float]
    shifted: bool
    refused: bool


def systems(corpus: Corpus, mix: str, rate: float, draws: int) -> Iterator[Cell]:
    """Systems whose replies are sentences of the corpus, and what is estimated of them."""
    shares = np.bincount(corpus.truth, minlength=len(corpus.classes)) / len(corpus.truth)
    if mix != "people":
        wanted = np.array([LLM_LIKE.get(name, 0.0) for name in corpus.classes])
        shares = wanted if wanted.sum() > 0 else np.roll(shares, 1)  # another set of labels: as skewed, but otherwise
        shares = shares * (np.bincount(corpus.truth, minlength=len(corpus.classes)) > 0)
    by_class = [np.flatnonzero(corpus.truth == label) for label in range(len(corpus.classes))]
    for draw in range(draws):
        rng = np.random.default_rng([draw, round(100 * rate), len(mix), len(corpus.name)])
        references = rng.choice(len(corpus.truth), REFERENCES)
        replies = np.empty(REFERENCES, dtype=np.int64)
        for place, reference in enumerate(references.tolist()):
            label = int(corpus.truth[reference])
            if rng.random() >= rate:
                others = np.where(np.arange(len(shares)) == label, 0.0, shares)
                label = int(rng.choice(len(shares), p=others / others.sum()))
            others_of_class = by_class[label][by_class[label] != reference]
            replies[place] = rng.choice(others_of_class if len(others_of_class) else by_class[label])
        yield _judged(corpus, mix, rate, references, replies, rng)


def _judged(corpus: Corpus, mix: str, rate: float, references: Ints, replies: Ints, rng: np.random.Generator) -> Cell:
    fit = corpus.model.card.calibration
    f = same_probability(corpus.clear[references], corpus.clear[replies], corpus.model.matching_coefficients)
    y = (corpus.truth[references] == corpus.truth[replies]).astype(np.float64)
    shifts = [_shift(corpus, side) for side in (references, replies)]
    shift = next((each for each in shifts if each is not None), None)
    refused = any(each is not None and each.error is None for each in shifts)
    rows = on_grid(f)
    found = {
        "before": _estimate(rows, FitOf("m", corpus.model.matching_coefficients, fit.matching_error), "emq", rng),
        "now": _estimate(
            rows,
            FitOf("m", corpus.model.matching_coefficients, fit.matching_error, shift.error if shift else None),
            "emq",
            rng,
        ),
    }
    for count in LABELS:
        known = np.zeros(len(f))
        known[rng.choice(len(f), count, replace=False)] = 1
        powered = np.column_stack([np.ones(len(f)), f, f * f, known, known * y, known * f, known * y * f])
        found[f"{count} labels"] = _estimate(powered, FitOf("m", corpus.model.matching_coefficients, None), "ppi", rng)
    covered = {name: each.interval is not None and each.interval.contains(rate) for name, each in found.items()}
    if refused:
        covered["now"] = False
    widths = {name: each.interval.high - each.interval.low if each.interval else 1.0 for name, each in found.items()}
    errors = {name: (each.value if each.value is not None else np.nan) - rate for name, each in found.items()}
    return Cell(
        mix,
        rate,
        errors["now"],
        covered,
        {**widths, "error with labels": errors["100 labels"]},
        shift is not None,
        refused,
    )


def _shift(corpus: Corpus, places: Ints):  # type: ignore[no-untyped-def]
    profile = corpus.model.card.calibration.profile
    assert profile is not None
    tally = TextTally()
    for place in places.tolist():
        belief = dict(zip(corpus.model.classes, corpus.clear[place].tolist(), strict=True))
        tally.add(profile, corpus.texts[place], belief)
    return tally.shift_from(profile, error=ELSEWHERE)


def _estimate(rows: Floats, fit: FitOf, variant: str, rng: np.random.Generator) -> Estimate:
    data = cluster_sums(rows, list(range(len(rows))))
    metric = _Judge(fit, variant)
    sources = Sources(metric)
    sources.add([None] * len(rows), rows)  # type: ignore[list-item]
    plain = bootstrap_sums(data, metric.combine, rng=rng, resamples=RESAMPLES)
    return widen_for_fit(plain, data, sources, confidence=0.95)


def table(corpora: Sequence[Corpus], draws: int) -> str:
    """One line for each corpus, mix and rate."""
    lines = [
        "| model and corpus | replies like | true rate | recognised | bias | coverage before | coverage now | width before, "
        "now | refused | 50 labels: coverage, width | 100 labels: bias, coverage, width |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    every: list[Cell] = []
    for corpus in corpora:
        for mix in MIXES:
            for rate in RATES:
                own = list(systems(corpus, mix, rate, draws))
                every += own
                lines.append(f"| {corpus.name} | {mix} | {_line(own, rate)}")
                print(lines[-1], flush=True)
    now = [each.covered["now"] for each in every]
    labelled = [each.covered["100 labels"] for each in every]
    lines += [
        "",
        f"Over all {len(every)} systems: coverage before {np.mean([each.covered['before'] for each in every]):.3f}, now "
        f"{np.mean(now):.3f}, mean width now {np.mean([each.widths['now'] for each in every]):.3f}, refused "
        f"{np.mean([each.refused for each in every]):.3f}; with 100 labels coverage {np.mean(labelled):.3f}, with 50 "
        f"{np.mean([each.covered['50 labels'] for each in every]):.3f}.",
        "",
        without_weak_models(every),
    ]
    return "\n".join(lines) + "\n"


def _line(own: Sequence[Cell], rate: float) -> str:
    def mean(values: Sequence[float]) -> float:
        return float(np.mean(values))

    def of(name: str) -> str:
        return f"{mean([each.covered[name] for each in own]):.2f}"

    def width(name: str) -> str:
        return f"{mean([each.widths[name] for each in own]):.2f}"

    return (
        f"{rate:.2f} | {mean([each.shifted for each in own]):.2f} | {mean([each.error for each in own]):+.3f} | "
        f"{of('before')} | {of('now')} | {width('before')}, {width('now')} | {mean([each.refused for each in own]):.2f} | "
        f"{of('50 labels')}, {width('50 labels')} | {mean([each.widths['error with labels'] for each in own]):+.3f}, "
        f"{of('100 labels')}, {width('100 labels')} |"
    )


def shop_domains(mirror: Path) -> dict[str, list[Example]]:
    """Sentences of the shop assistants of MG-ShopDial by kind of goods, with their most frequent intent."""
    found: dict[str, list[Example]] = {}
    for dialogue in json.loads((mirror / "mg_shopdial" / "MGShopDial.json").read_text("utf-8")):
        domain = dialogue["id"].partition(":")[0]
        for said in dialogue["utterances"]:
            if said["participant"] == "Wizard" and said["intents"] and said["utterance"].strip():
                label = max(said["intents"], key=lambda each: each[1])[0]
                label = NO_STRATEGY if label in ("other", "nf") else label
                found.setdefault(domain, []).append(
                    Example(text=said["utterance"], label=label, dialogue_id=dialogue["id"], source=domain)
                )
    return found


def corpora(mirror: Path) -> Iterator[Corpus]:
    """Models and the corpora that they have not seen."""
    dialogues = read_inspired(mirror)
    inspired = {
        part: list(examples_of(d for d in dialogues if d.source == f"inspired/{part}")) for part in ("dev", "test")
    }
    redial = read_annotations(mirror / "redial_strategies_sample")
    both = [*inspired["dev"], *inspired["test"]]
    yield Corpus.of("bundled, ReDial", default_model(), redial)
    yield Corpus.of("TF-IDF of INSPIRED, ReDial", train(both), redial)
    yield Corpus.of("TF-IDF of INSPIRED and ours, ReDial", train(both, extra=bundled_examples()), redial)
    yield Corpus.of("bundled, INSPIRED test", default_model(), inspired["test"])
    domains = shop_domains(mirror)
    for left_out in sorted(domains)[:3]:
        rest = [each for name, own in domains.items() if name != left_out for each in own]
        yield Corpus.of(f"TF-IDF of MG-ShopDial, {left_out} left out", train(rest), domains[left_out])


def expected(corpus: Corpus, shares: Floats) -> Floats:
    """Errors of the estimate at the rates without sampling error: from the mean histograms of all pairs."""
    size = len(corpus.classes)
    matching = corpus.model.matching_coefficients
    sums = np.zeros((size, size, 65))
    shuffled = np.random.default_rng(0).permutation(len(corpus.truth))
    for left in range(size):
        for right in range(size):
            rows, columns = (shuffled[corpus.truth[shuffled] == each][:PER_CLASS] for each in (left, right))
            a, b = (each.ravel() for each in np.meshgrid(rows, columns, indexing="ij"))
            kept = a != b
            if kept.any():
                sums[left, right] = on_grid(
                    same_probability(corpus.clear[a[kept]], corpus.clear[b[kept]], matching)
                ).mean(0)
    people = np.bincount(corpus.truth, minlength=size) / len(corpus.truth)
    match = np.einsum("k,kkg->g", people, sums)
    other = np.zeros(65)
    for left in range(size):
        mix = np.where(np.arange(size) == left, 0.0, shares)
        other += people[left] * np.einsum("l,lg->g", mix / mix.sum(), sums[left])
    return np.array(
        [likeliest_share(rate * match / match.sum() + (1 - rate) * other / other.sum()) - rate for rate in RATES]
    )


def transfers(mirror: Path) -> str:
    """The transfer error of the product, from INSPIRED and our own sentences."""
    inspired = list(examples_of(read_inspired(mirror)))
    own = {name: list(_read(BUNDLED / name)) for name in SETS}
    lines = [
        "| trained and calibrated on | tested on | error at none | at all | of a system's own mix |",
        "|---|---|---|---|---|",
    ]
    found = []
    for name, other in (SETS, SETS[::-1]):
        for with_other in (False, True):
            model = train([*inspired, *(own[other] if with_other else [])])
            corpus = Corpus.of(name, model, own[name])
            people = np.bincount(corpus.truth, minlength=len(corpus.classes)) / len(corpus.truth)
            design = np.column_stack([1 - np.array(RATES), RATES])
            ends = np.linalg.lstsq(design, expected(corpus, people), rcond=None)[0]
            rng = np.random.default_rng(1)
            drawn = [expected(corpus, rng.dirichlet(np.ones(len(people)))) for _ in range(DIRICHLET)]
            spread = float(np.sqrt(np.var(drawn, axis=0).mean()))
            found.append((*ends, spread))
            trained_on = f"INSPIRED{f' and {other}' if with_other else ''}"
            lines.append(f"| {trained_on} | {name} | {ends[0]:+.3f} | {ends[1]:+.3f} | {spread:.3f} |")
    none, every, mix = np.array(found).T
    lines += [
        "",
        f"Mean squares: {(none**2).mean():.4f}, {(every**2).mean():.4f}, {(mix**2).mean():.4f}; mean product of the first "
        f"two {(none * every).mean():.4f}. The product has {ELSEWHERE.none_match}, {ELSEWHERE.all_match}, "
        f"{ELSEWHERE.of_system} and {ELSEWHERE.both} (`ELSEWHERE` in `strategies/learning/corpus_profile.py`), "
        "from the first run, on 900 random sentences of each set: the sentences make that much difference.",
    ]
    return "\n".join(lines) + "\n"


def without_weak_models(every: Sequence[Cell]) -> str:
    """The same over the systems that were not refused."""
    kept = [each for each in every if not each.refused]
    covered, widths = ([each.covered["now"] for each in kept], [each.widths["now"] for each in kept])
    before = np.mean([each.covered["before"] for each in kept])
    return (
        f"Of the {len(kept)} that are estimated: coverage before {before:.3f}, now {np.mean(covered):.3f}, mean width now "
        f"{np.mean(widths):.3f}."
    )


def _read(path: Path) -> Iterator[Example]:
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield Example(text=row["text"], label=row["label"], source=path.stem)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--transfers", action="store_true")
    given = parser.parse_args()
    mirror = Path(os.environ["TRIALOGUE_DATA_MIRROR"])
    page = HERE / "SHIFT.md"
    former = page.read_text("utf-8") if page.exists() else ""
    measured = (
        transfers(mirror) if given.transfers else former.partition(TRANSFERS)[2].lstrip() or "Run with `--transfers`.\n"
    )
    sections = [HEADING.format(draws=given.draws, references=REFERENCES, classes=len(CLASSES))]
    sections += [table(list(corpora(mirror)), given.draws), "## The transfer error\n", TRANSFERS, measured]
    page.write_text("\n".join(sections), "utf-8")


HEADING = """# Implicit alignment in other corpora

Written by `benchmarks/shift.py`. {draws} systems a line; each answers {references} references, drawn with replacement from
the labelled sentences of a corpus that the model has not seen (60 of ReDial; INSPIRED test; 225 to 320 sentences of shop
assistants on goods that were left out, with intents as classes). Replies are sentences of the same corpus, with the
strategies of people or of a language model (for MG-ShopDial: people's shares, moved by one class). *Before* is the
interval with the error of the calibration alone. *Now* adds the transfer error where the texts are recognised as being
from elsewhere;
a refusal is a miss. With labels: `implicit_alignment@ppi`. The coverage of one line has a standard error of about .05.
"""
TRANSFERS = """Errors of the estimate where nothing and where everything matches, in sets of sentences that were left out.
The transfer error is estimated from INSPIRED and our own sentences alone. Two rules were set after looking at the corpora
above: models with a sensitivity above 1 are refused (after MG-ShopDial failed without it), and transfers from models
calibrated on our own sentences do not count (after the errors on ReDial were known). For these two, the tables above are no
independent test.
"""

if __name__ == "__main__":
    main()
