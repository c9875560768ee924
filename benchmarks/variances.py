"""Variance components of published studies, by the report's ordinal model: the source of the presets of ``study power``.

``python -m benchmarks.variances``, with INSPIRED2's study in the mirror, writes ``benchmarks/VARIANCES.md``.
"""

import os
import warnings
from pathlib import Path

from benchmarks.studies import machine
from trialogue.datasets.corpora.inspired2_study import read_study
from trialogue.inputs.read import read as read_corpus
from trialogue.records import Dialogue, Estimate, Response, Score
from trialogue.subjects.people.models import effects_of, fit
from trialogue.subjects.people.table import table_of
from trialogue.subjects.planning.commands.power import SPREADS, fitted_variances
from trialogue.subjects.planning.variance_presets import PRESETS

PAGE = Path(__file__).parent / "VARIANCES.md"


def inspired2() -> list[Score]:
    """The ratings of INSPIRED2's study."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [
            Score(
                measure="human:meaningfulness", level="response", value=rating.value, system=record.system,
                situation_id=record.situation_id, dialogue_id=record.situation_id.partition("#")[0],
                rater=column,
            )
            for record in read_study(Path(os.environ["TRIALOGUE_DATA_MIRROR"]) / "inspired2_study")
            if isinstance(record, Response)
            for column, rating in zip("123", record.utterance.ratings, strict=False)  # taken for three people
        ]  # fmt: skip


def crsarena() -> list[Score]:
    """The ratings of CRSArena-Dial: one of each conversation, by the person who had it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        records = read_corpus("crsarena-dial")
    return [
        Score(
            measure="human:satisfaction", level="dialogue", value=rating.value, system=record.system,
            dialogue_id=record.id, rater=record.user,
        )
        for record in records
        if isinstance(record, Dialogue)
        for rating in record.ratings
    ]  # fmt: skip


def written(estimate: Estimate | None) -> str:
    """A value with its interval."""
    if estimate is None or estimate.value is None:
        return "not estimated"
    interval = estimate.interval
    return f"{estimate.value:.3f}" + (f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else "")


def main() -> None:
    """Both fits, and the table of presets."""
    table = table_of(inspired2())[0]
    model = fit(table, effects_of(table), confidence=0.95)
    variances, thresholds, _ = fitted_variances(table)
    arena = table_of(crsarena())[0]
    arena_model = fit(arena, effects_of(arena), confidence=0.95)
    lines = [
        "# Variances of published studies",
        "",
        f"{machine()}. Written by `python -m benchmarks.variances`. Standard deviations in logits.",
        "",
        f"## INSPIRED2's study: {len(table.rows):,} ratings of {len(table.systems)} systems by {table.raters} raters",
        "",
        "The report takes three raters as they are (fixed effects). A plan is about other people, so the second column",
        "draws them (random effects): its first two rows rest on three people.",
        "",
        "| component | the report's fit | raters drawn |",
        "|---|---|---|",
        *(
            f"| {name} | {written(model.spreads.get(name))} | {getattr(variances, field):.3f} |"
            for name, field in SPREADS.items()
        ),
        "",
        "Thresholds around the average system: " + ", ".join(f"{value:.3f}" for value in thresholds) + ".",
        "",
        f"## CRSArena-Dial: {len(arena.rows):,} ratings of {len(arena.systems)} systems by {arena.raters} raters",
        "",
        "Satisfied or not, one rating of each conversation by the person who had it, at most two by a person, of two",
        f"systems. So the model has one component, rater {written(arena_model.spreads.get('rater'))}; rater x system, item",
        "and item x system cannot be estimated, since no person rates a system twice and nobody else rates the same",
        "conversation. A preset would have three of its four components from another study, and there is none.",
        "",
        "## Presets of `trialogue study power`",
        "",
        "| preset | " + " | ".join(SPREADS) + " | source |",
        "|---" * (len(SPREADS) + 2) + "|",
        *(
            f"| `{one.name}` | "
            + " | ".join(f"{getattr(one.variances, field):.3f}" for field in SPREADS.values())
            + f" | {one.source} |"
            for one in PRESETS.values()
        ),
        "",
    ]
    PAGE.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
