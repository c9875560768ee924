"""Table 1: turns before the first recommendation, and success rate, under each definition used in the field."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from trialogue.datasets import corpus_names, get_corpus
from trialogue.datasets.store import is_here
from trialogue.inputs.inputs import gather
from trialogue.inputs.link import link_step
from trialogue.metrics import Settings, all_variants, conversations_of, group_by_system
from trialogue.metrics.engine.accumulate import accumulator_for
from trialogue.records import Dialogue, MeasureName
from trialogue.reproduce.behavior_alignment.rows import Row

PART = "Table 1: turns before the first recommendation, success rate"
PRINTED = {"GPT-3.5": (1.158, 0.158), "Llama 2": (1.0, 0.053), "human": (2.5, 0.571)}
NOT_RELEASED = "the 20 cases, the replies and their judgements were not released, and neither quantity is defined"
METRICS = ("turns_before_recommendation", "success_rate")


def rows(*, seed: int, resamples: int) -> Iterator[Row]:
    """The paper's six numbers, which cannot be recomputed, and ours on the available data."""
    for who, (turns, success) in PRINTED.items():
        for what, value in (("turns before recommendation", turns), ("success rate", success)):
            on = "20 cases of INSPIRED"
            yield Row(part=PART, what=f"{who}: {what}", on=on, paper=value, status="impossible", why=NOT_RELEASED)
    for corpus in ("inspired", "crsarena-dial"):
        if not is_here(get_corpus(corpus)):
            why = f"get it with: trialogue data get {corpus}"
            yield Row(part=PART, what="every definition", on=corpus, status="not here", why=why)
            continue
        dialogues, how = _dialogues(corpus)
        found = list(_of_corpus(dialogues, f"{corpus} ({how})", seed=seed, resamples=resamples))
        yield from _nearest(found) if corpus == "inspired" else found


def _nearest(rows: Sequence[Row]) -> Iterator[Row]:
    """Rows of people's dialogues; of each quantity, the definition that comes nearest to the paper's human row is marked."""
    for metric, printed in zip(METRICS, PRINTED["human"], strict=True):
        own = [row for row in rows if row.what.startswith(f"human: {metric}")]
        distances = [abs((row.ours.value if row.ours and row.ours.value is not None else 0) - printed) for row in own]
        for row, distance in zip(own, distances, strict=True):
            note = f"nearest to the paper's human row ({printed:g})" if distance == min(distances) else ""
            yield row.model_copy(update={"why": "; ".join(part for part in (row.why, note) if part)})
    yield from (row for row in rows if not row.what.startswith(tuple(f"human: {metric}" for metric in METRICS)))


def _dialogues(corpus: str) -> tuple[Sequence[Dialogue], str]:
    """Dialogues with items linked in their texts."""
    material = gather([corpus])
    annotated = any(said.mentions is not None for one in material.dialogues for said in one.utterances)
    if annotated:
        return material.dialogues, "items as annotated"
    films = [name for name in corpus_names() if name.startswith("movielens") and is_here(get_corpus(name))]
    catalogue = films[-1] if films else "demo"
    return link_step(catalogue)(replace(material)).dialogues, f"items found by the {catalogue} catalogue"


def _of_corpus(dialogues: Sequence[Dialogue], on: str, *, seed: int, resamples: int) -> Iterator[Row]:
    settings = Settings(seed=seed, resamples=resamples)
    systems = sorted(group_by_system(conversations_of(dialogues, system="human")).items())
    for metric in (metric for name in METRICS for metric in all_variants(name)):
        for system, own in systems:
            totals = accumulator_for(metric)
            totals.add(own)
            found = totals.estimate(system, settings)
            if found.value is None:
                continue
            left = totals.skipped.total()
            summary = metric.card.variants[MeasureName(metric.measure).variant or metric.card.default].summary
            why = f"{summary.rstrip('.')}; n = {found.n}" + (
                f"; {left} left out: {totals.skipped.most_common(1)[0][0]}" if left else ""
            )
            name = MeasureName(metric.measure).short
            yield Row(part=PART, what=f"{system}: {name}", on=on, ours=found, status="ours", why=why)
