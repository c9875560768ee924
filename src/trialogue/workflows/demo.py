"""Demo: judge, measure and simulate seven recommenders on bundled data, without network access."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from annotated_types import Ge

from trialogue.findings import Example, Findings
from trialogue.options import Resamples
from trialogue.records import Dialogue, Ending, read_records
from trialogue.records.files.opening import write_text
from trialogue.simulation.batch.folder import DIALOGUES
from trialogue.subjects.agreement.columns import Column, ColumnAgreement
from trialogue.workflows.experiment import plan_steps, read_experiment, run_experiment
from trialogue.workflows.experiment.columns import columns_of
from trialogue.workflows.experiment.stages import measured_name

EXPERIMENT, STUDY, PEOPLE = "experiment.yaml", "study.yaml", "people.jsonl"
"""Files of the demo's folder: all of it, its simulation alone, and the conversations with invented people."""

DISAGREEING = ("praised", "liked")
"""Roles of examples on which people and the measure disagree: rated high by the measure alone, by people alone."""

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Demo:
    """Result of the demo."""

    experiment: Path
    """The experiment, to be copied and changed."""
    study: Path
    """Its simulation alone, likewise."""
    dialogues: Path
    """File of the simulated dialogues."""
    report: Path
    """The report on all of it."""
    findings: Findings
    """Findings of the report."""
    endings: dict[Ending | None, int]
    """Number of simulated dialogues by ending, most frequent first."""
    turns: dict[tuple[str, str], float]
    """Mean user utterances of a simulated dialogue by (recommender, kind of users)."""
    strategies: dict[str, list[tuple[str, float]]]
    """By recommender, the strategies of its messages to simulated users with their shares, the commonest first."""
    sides: tuple[Column, ...]
    """Judged, measured and simulated: of each the measure that its answer rests on, higher is better."""
    agreements: tuple[ColumnAgreement, ...]
    """Whether each two of them order the recommenders alike."""
    telling: Example | None
    """A dialogue that people and the measure disagree about; None where they agree about all."""


def demo(
    out: Path | str,
    *,
    n: Annotated[int, Ge(1)] | None = None,
    resamples: Resamples | None = None,
    explorer: bool = True,
    progress: Tell | None = None,
) -> Demo:
    """Run the bundled experiment: simulate, label, measure, align, and write one report.

    Args:
        out: the folder for all of it. What is there of a demo before is not done again.
        n: number of dialogues of each recommender with each kind of user (default: 30). As the bundled experiment says.
        resamples: bootstrap resamples; None: likewise.
        explorer: write explorer.html, a page to browse individual dialogues.
        progress: called with what is done.

    Raises:
        UsageError: the folder is in use.
        DataError: it cannot be written.
    """
    out = Path(out)
    bundled = {EXPERIMENT: files("trialogue.workflows") / "demo.yaml"}
    bundled[STUDY] = files("trialogue.simulation.bundled") / STUDY
    for name, file in bundled.items():
        folder = "." if name == EXPERIMENT else "simulation"  # as seen from the file
        text = with_values(file.read_text(encoding="utf-8"), out=folder, n=n, resamples=resamples)
        write_text(out / name, text)
    write_text(out / PEOPLE, (files("trialogue.workflows") / "demo_people.jsonl").read_text(encoding="utf-8"))
    experiment = read_experiment(out / EXPERIMENT)
    done = run_experiment(experiment, explorer=explorer, progress=progress)
    folders = {step.name: step.folder for step in plan_steps(experiment)}
    simulated = {users: folders[f"simulated-{users}"] / "records.jsonl" for users in _users(experiment.simulate)}
    talks = {users: list(read_records(file, Dialogue)) for users, file in simulated.items()}
    everything = [dialogue for mine in talks.values() for dialogue in mine]
    return Demo(
        experiment=out / EXPERIMENT,
        study=out / STUDY,
        dialogues=folders["simulate"] / DIALOGUES,
        report=done.report,
        findings=done.findings,
        endings=dict(Counter(dialogue.ended_by for dialogue in everything).most_common()),
        turns={cell: value for users, mine in talks.items() for cell, value in _turns(users, mine).items()},
        strategies=strategy_shares(everything),
        sides=tuple(
            columns_of(
                folders[measured_name("people")],
                {users: folders[measured_name(f"simulated-{users}")] for users in simulated},
                None,
            )
        ),
        agreements=tuple(read_records(folders["columns"] / "columns.jsonl", ColumnAgreement)),
        telling=next((each for role in DISAGREEING for each in done.findings.examples if each.role == role), None),
    )


def with_values(text: str, **values: str | int | None) -> str:
    r"""Replace the values of fields in a YAML text; None leaves a field unchanged.

    >>> with_values("out: here   # where\nn: 30\n", out="a: b", n=None)
    'out: "a: b"   # where\nn: 30\n'
    """
    for name, value in values.items():
        if value is not None:
            text = re.sub(
                rf"^( *{name}: )\S+", _append_value(json.dumps(value, ensure_ascii=False)), text, flags=re.MULTILINE
            )
    return text


def _append_value(value: str) -> Callable[[re.Match[str]], str]:
    return lambda field: field[1] + value


def strategy_shares(dialogues: Iterable[Dialogue]) -> dict[str, list[tuple[str, float]]]:
    """By system, each strategy's share of all labels on its messages, most frequent first."""
    counts: dict[str, Counter[str]] = {}
    for dialogue in dialogues:
        mine = counts.setdefault(dialogue.system or "", Counter())
        for utterance in dialogue.utterances:
            if utterance.speaker == "system":
                mine.update(label.strategy for label in utterance.strategies or ())
    return {
        system: [(name, count / mine.total()) for name, count in mine.most_common()]
        for system, mine in sorted(counts.items())
    }


def _users(simulation: object) -> list[str]:
    return list(simulation["users"]) if isinstance(simulation, dict) else []


def _turns(users: str, dialogues: Iterable[Dialogue]) -> dict[tuple[str, str], float]:
    found: dict[str, list[int]] = {}
    for dialogue in dialogues:
        said = sum(utterance.speaker == "user" for utterance in dialogue.utterances)
        found.setdefault(dialogue.system or "", []).append(said)
    return {(system, users): sum(said) / len(said) for system, said in sorted(found.items())}
