"""Train judges of impressions and of satisfaction from files, and show their agreement with people on unseen data."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trialogue.errors import DataError, UsageError
from trialogue.findings.wording import list_names
from trialogue.inputs.inputs import gather
from trialogue.inputs.locations import Named
from trialogue.languages import language_name
from trialogue.long_work import Progress
from trialogue.metrics.base import Undefined
from trialogue.metrics.impressions.fit import ImpressionModel, train_impressions
from trialogue.metrics.impressions.metric import Impression
from trialogue.metrics.satisfaction.corpora import leave_corpora_out, rated_corpus, train_on_corpora
from trialogue.metrics.satisfaction.fit import SatisfactionModel
from trialogue.metrics.satisfaction.learned import write_model
from trialogue.records import Dialogue, Estimate, Score
from trialogue.stats import spearman


@dataclass(frozen=True)
class TrainedJudge:
    """A trained judge and its agreement with people."""

    model: ImpressionModel | SatisfactionModel
    text: str
    """Agreement by question, in lines."""
    warnings: tuple[str, ...]
    """Defects of the data."""


def train_file(
    data: Sequence[Named], out: Path, *, format_name: str | None = None, progress: Progress | None = None
) -> TrainedJudge:
    """Train a judge and write its file.

    Args:
        data: corpora or files with dialogues and people's answers about replies and dialogues.
        out: the file.
        format_name: format of the files, if it is not to be auto-detected.
        progress: called with progress lines.

    Raises:
        UsageError: ``out`` is a folder.
        DataError: there are too few answers or systems.
    """
    tell = progress or (lambda _line: None)
    if out.is_dir():
        raise UsageError(f"--out must be a file, but {out} is a folder.")
    tell(f"reading {', '.join(map(str, data))}")
    found = gather(list(data), format_name=format_name)
    tell(f"training on {len(found.dialogues):,} dialogues")
    origin = f"{', '.join(Path(str(each)).name for each in data)} ({len(found.dialogues):,} dialogues)"
    model = train_impressions(found.dialogues, found.scores, origin=origin)
    write_model(model, out)
    lines = [
        "Agreement with people about dialogues of held-out systems and people (Spearman; that of length in brackets):"
    ]
    for aspect in sorted(model.everything.dialogues):
        lines.append(_line(Impression(model=model, aspect=aspect), found.dialogues, found.scores))
    return TrainedJudge(model, "\n".join(lines), tuple(found.warnings))


def train_satisfaction_file(
    data: Sequence[Named], out: Path, *, format_name: str | None = None, seed: int = 0, progress: Progress | None = None
) -> TrainedJudge:
    """Train the estimator of satisfaction on several corpora, and write its file.

    Args:
        data: corpora, files or folders, each one corpus, with ratings named ``satisfaction``.
        out: the file, for ``satisfaction(model=FILE)``.
        format_name: format of the files, if it is not to be auto-detected.
        seed: random seed for the intervals.
        progress: called with progress lines.

    Raises:
        UsageError: ``out`` is a folder, or a corpus is given twice.
        DataError: what a corpus lacks; of all corpora at once.
    """
    tell = progress or (lambda _line: None)
    if out.is_dir():
        raise UsageError(f"--out must be a file, but {out} is a folder.")
    if len(set(map(str, data))) < len(data):
        raise UsageError("Each corpus can be given only once.")
    corpora, problems, warnings = [], [], []
    for each in data:
        tell(f"reading {each}")
        try:
            found = gather([each], format_name=format_name)
            corpora.append(rated_corpus(Path(str(each)).name, found.dialogues))
            warnings += found.warnings
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError(problems)
    total = sum(len(each.dialogues) for each in corpora)
    tell(f"training on {total:,} dialogues")
    names = ", ".join(f"{each.name} ({len(each.dialogues):,} dialogues)" for each in corpora)
    model = train_on_corpora(corpora, origin=names)
    write_model(model, out, indent=1)
    heading = (
        "Agreement with people on each corpus, after training on the others (Spearman; that of length in brackets):"
    )
    lines = [
        f"  {each.corpus}: {_render(each.learned)} ({_render(each.length)})"
        for each in leave_corpora_out(corpora, seed=seed)
    ]
    languages = list_names(list(dict.fromkeys(language_name(code) for code in model.languages)))
    remark = f"Language: {languages}. In any other, evaluate leaves this judge out."
    return TrainedJudge(model, "\n".join([heading, *lines, remark]), tuple(warnings))


def _render(estimate: Estimate) -> str:
    if estimate.value is None:
        return "undefined: there is no other corpus" if estimate.n == 0 else "undefined"
    return estimate.render("{:z.{}f}".format, 2, undefined="undefined")


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
