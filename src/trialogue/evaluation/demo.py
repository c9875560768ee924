"""The demo: everything once, on what comes with Trialogue, with no network and in well under two minutes."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from trialogue.evaluation.align import model_named
from trialogue.evaluation.run import Run, evaluate
from trialogue.evaluation.simulate import simulate
from trialogue.records import Dialogue, read_records, write_records
from trialogue.records.files import write_text
from trialogue.simulation.batch import Batch
from trialogue.simulation.study import read_study
from trialogue.strategies.label import label_records

STUDY, LABELLED = "study.yaml", "labelled.jsonl"
TURNS = "turns@user_utterances"
"""The measure that is shown for each kind of users."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Demo:
    """What the demo made."""

    study: Path
    """The study file, to be copied and changed."""
    batch: Batch
    """The simulated dialogues."""
    labelled: Path
    """The same with the strategies of what the systems say."""
    simulated: Run
    """Scores of the simulated dialogues."""
    people: Run
    """Scores of the bundled conversations with (invented) people, and what they said."""
    pages: tuple[Path, Path]
    """The reports of both."""
    strategies: dict[str, list[tuple[str, float]]]
    """By system, the strategies of its messages with their shares, the commonest first."""
    turns: dict[tuple[str, str], float]
    """Mean user utterances of a dialogue by (system, kind of users)."""


def demo(out: Path | str, *, n: int | None = None, resamples: int = 10_000, progress: Tell | None = None) -> Demo:
    """Simulate, label, measure, and compare; then the same measures for bundled conversations with people.

    Args:
        out: the folder for all of it. What is there of an interrupted demo is gone on with.
        n: dialogues of each recommender with each kind of users; None: as the bundled study says.
        resamples: bootstrap resamples and permutations.
        progress: told what is done, in sentences.

    Raises:
        UsageError: the folder holds dialogues of another study, or is in use.
        DataError: it cannot be written.
    """
    out, tell = Path(out), progress or (lambda _line: None)
    write_text(out / STUDY, study_text(out / "simulation", n=n))
    study = read_study(out / STUDY)
    agents, users = len(study.agents), len(study.users)
    tell(f"simulating {len(study.plan()):,} dialogues: {agents} recommenders, {users} kinds of simulated users")
    batch = simulate(study)
    model = model_named(None)
    tell(f"labelling what the recommenders say with strategies ({model.origin})")
    labelled = out / LABELLED
    write_records(labelled, label_records(read_records(batch.dialogues, Dialogue), model))
    tell("measuring the simulated dialogues")
    simulated = evaluate(labelled, title="Simulated users talk to three recommenders", resamples=resamples)
    tell("measuring the bundled conversations, with what people said of them")
    people = evaluate("demo", title="Invented people talk to three recommenders", resamples=resamples)
    tell("drawing two reports")
    pages = (simulated.write(out / "simulated"), people.write(out / "people"))
    dialogues = list(read_records(labelled, Dialogue))
    users_of = {task.id: task.users for task in study.plan()}
    return Demo(
        out / STUDY,
        batch,
        labelled,
        simulated,
        people,
        pages,
        strategy_shares(dialogues),
        turns_by_users(simulated, users_of),
    )


def study_text(out: Path, *, n: int | None = None) -> str:
    """The bundled study as a file, with this folder, and this number of dialogues, in it."""
    text = (files("trialogue.simulation.bundled") / STUDY).read_text(encoding="utf-8")
    text = re.sub(r"^out: \S+", lambda _: f"out: {json.dumps(out.as_posix())}", text, flags=re.MULTILINE)
    return text if n is None else re.sub(r"^n: \d+", f"n: {n}", text, flags=re.MULTILINE)


def strategy_shares(dialogues: Iterable[Dialogue]) -> dict[str, list[tuple[str, float]]]:
    """By system, each strategy's share of all labels on its messages, the commonest first."""
    counts: dict[str, Counter[str]] = {}
    for dialogue in dialogues:
        mine = counts.setdefault(dialogue.system or "", Counter())
        for utterance in dialogue.utterances:
            mine.update(label.strategy for label in utterance.strategies or () if utterance.speaker == "system")
    return {
        system: [(name, count / mine.total()) for name, count in mine.most_common()]
        for system, mine in sorted(counts.items())
    }


def turns_by_users(run: Run, users_of: Mapping[str, str]) -> dict[tuple[str, str], float]:
    """Mean user utterances of a dialogue by (system, kind of users)."""
    found: dict[tuple[str, str], list[float]] = {}
    for score in run.scores:
        if score.level == "dialogue" and score.measure.startswith(TURNS) and score.value is not None:
            cell = (score.system or "", users_of[score.dialogue_id or ""])
            found.setdefault(cell, []).append(score.value)
    return {cell: sum(values) / len(values) for cell, values in sorted(found.items())}
