"""Train a judge of impressions from files, and show its agreement with people on systems it has not seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trialogue.errors import UsageError
from trialogue.metrics.base import Undefined
from trialogue.metrics.impressions.fit import ImpressionModel, train_impressions
from trialogue.metrics.impressions.metric import Impression, write_impressions
from trialogue.records import Dialogue, Score
from trialogue.stats import spearman
from trialogue.workflows.evaluation import Progress
from trialogue.workflows.inputs.inputs import gather


@dataclass(frozen=True)
class TrainedJudge:
    """A trained judge and its agreement with people."""

    model: ImpressionModel
    """The judge."""
    text: str
    """Agreement by question, in lines."""
    warnings: tuple[str, ...]
    """Defects of the data."""


def train_file(
    data: Sequence[str], out: Path, *, format_name: str | None = None, progress: Progress | None = None
) -> TrainedJudge:
    """Train a judge and write its file.

    Args:
        data: corpora or files with dialogues and people's answers about replies and dialogues.
        out: the file.
        format_name: format of the files, where it is not to be recognised.
        progress: called with a line now and then.

    Raises:
        UsageError: ``out`` is a folder.
        DataError: there are too few answers or systems.
    """
    tell = progress or (lambda _line: None)
    if out.is_dir():
        raise UsageError(f"--out must be a file, {out} is a folder.")
    tell(f"reading {', '.join(data)}")
    found = gather(list(data), format_name=format_name)
    tell(f"training on {len(found.dialogues):,} dialogues")
    origin = f"{', '.join(Path(each).name for each in data)} ({len(found.dialogues):,} dialogues)"
    model = train_impressions(found.dialogues, found.scores, origin=origin)
    write_impressions(model, out)
    lines = ["Agreement with people about dialogues, system and people left out (Spearman; length in brackets):"]
    for aspect in sorted(model.everything.dialogues):
        lines.append(_line(Impression(model=model, aspect=aspect), found.dialogues, found.scores))
    return TrainedJudge(model, "\n".join(lines), tuple(found.warnings))


def _line(metric: Impression, dialogues: Sequence[Dialogue], scores: Sequence[Score]) -> str:
    """One question: correlation of predictions with answers, and that of the dialogue's length."""
    answers: dict[str, list[float]] = {}
    for score in scores:
        is_answer = score.rater is not None and score.utterance is None and str(score.measure) == metric.aspect
        if is_answer and score.value is not None and score.dialogue_id is not None:
            answers.setdefault(score.dialogue_id, []).append(score.value)
    rows = [
        (found[0], float(sum(len(one.text) for one in each.utterances)), float(np.mean(answers[each.id])))
        for each in dialogues
        if each.id in answers and not isinstance(found := metric.statistics(each), Undefined)
    ]
    if not rows:
        return f"  {metric.aspect}: no dialogue can be scored without the systems it was trained on."
    predicted, lengths, given = (list(column) for column in zip(*rows, strict=True))
    own, length = spearman(predicted, given), spearman(lengths, given)
    shown = ["undefined" if each.value is None else f"{each.value:.2f}" for each in (own, length)]
    return f"  {metric.aspect}: {shown[0]} ({shown[1]}), {len(rows):,} dialogues"
