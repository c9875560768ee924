"""Language-model rater of a study's items, for comparison with people, marked as a model and never counted among them.

It answers the study's own questions, in the study's words and language: each reply separately, each pair in both orders. A
pair on which its two answers contradict each other is a tie. Its answers go into separate files beside an export,
``model_scores.jsonl`` and ``model_preferences.jsonl``, with ``raters: model`` in every line.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from trialogue.errors import UsageError
from trialogue.llm import Choice, ModelOptions, Usage, choose, open_model
from trialogue.llm.choosing import Model
from trialogue.records import MeasureName, Preference, Raters, Score
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import write_text
from trialogue.seeds import seed_for
from trialogue.study.design.file import StudyFile, preference_question
from trialogue.study.design.folder import read_items
from trialogue.study.design.items import AnyItem, PreferenceItem, RatingItem, lines_of
from trialogue.study.design.pages import ConversationShown, Line
from trialogue.study.design.questions import Question, text_in
from trialogue.study.design.reading import read_study

SCORES, PREFERENCES, USAGE = "model_scores.jsonl", "model_preferences.jsonl", "model_usage.json"
TYPES = ("rating", "preference")
AT_ONCE = 8
MAX_PLACES = 11  # of a slider, among which a model chooses
INTRODUCTION = "You judge conversations between a user and a recommender system, one question at a time."


@dataclass(frozen=True)
class ModelRatings:
    """Answers of a model."""

    scores: tuple[Score, ...]
    preferences: tuple[Preference, ...]
    unanswered: int
    """Questions without a valid answer; each has a score without a value, or no preference."""
    left_out: tuple[str, ...] = ()
    """Names of item questions that models are not asked, because answers of their kind are not compared with human ones."""


def rate_by_model(
    folder: Path,
    export: Path,
    options: ModelOptions,
    *,
    name: str = "",
    seed: int = 0,
    progress: Callable[[str], None] = lambda line: None,
) -> tuple[ModelRatings, Usage]:
    """Let a model rate a study's items, and write its answers beside an export.

    Args:
        folder: the study folder.
        export: existing folder of its export.
        options: the model, behind an endpoint or in this process.
        name: name of the rater in files and in the report; by default the model's.
        seed: seed of the model's sampling.
        progress: called with summary lines.

    Raises:
        UsageError: a study with nothing that a model rates, no such folder, no model, or no answer at all.
        DataError: mistakes in the study.
    """
    file = read_study(folder)
    if file.type not in TYPES:
        raise UsageError(f"A model rates studies of type {' or '.join(TYPES)}; this one is {file.type}.")
    left_out = questions_left_out(file)
    if file.type == "rating" and not any(is_asked(question) for question in file.criteria):
        raise UsageError(f"A model answers only criteria with a scale or slider; found only {', '.join(left_out)}.")
    if not export.is_dir():
        raise UsageError(f"There is no folder {export}. Export the study first: trialogue study export {folder}.")
    items = read_items(folder / file.items, file)
    client = open_model(options)
    try:
        rated = rate_items(client, file, items, name=name or options.model, seed=seed)
    finally:
        client.close()
    usage = client.ledger.usage()
    if not any(score.value is not None for score in rated.scores) and not rated.preferences:
        why = next((str(score.why) for score in rated.scores if score.why), "no valid answer")
        raise UsageError(
            f"{options.model} answered none of {rated.unanswered:,} questions: {why}. Nothing was written."
        )
    _write(export / SCORES, rated.scores)
    _write(export / PREFERENCES, rated.preferences)
    write_text(export / USAGE, to_line(usage) + "\n")
    progress(f"{options.model}: {usage.calls:,} requests, {usage.cached:,} answers from the cache")
    if left_out:
        progress(
            f"Not asked, because a model's answers to them are not compared with human answers: {', '.join(left_out)}."
        )
    return replace(rated, left_out=left_out), usage


def is_asked(question: Question) -> bool:
    """Whether a model is asked a question about a reply."""
    return (question.scale is not None or question.slider is not None) and question.only_if is None


def questions_left_out(file: StudyFile) -> tuple[str, ...]:
    """Names of item questions that models are not asked."""
    asked = [question.name for question in file.criteria if not is_asked(question)]
    return (*asked, *(question.name for question in file.questions))


def _write(path: Path, records: Sequence[Score | Preference]) -> None:
    """Write records to a file; no file if there are none."""
    if records:
        write_text(path, "".join(to_line(each) + "\n" for each in records))
    else:
        path.unlink(missing_ok=True)


def rate_items(model: Model, file: StudyFile, items: Sequence[AnyItem], *, name: str, seed: int = 0) -> ModelRatings:
    """A model's answers about items, in the order of items, systems and questions."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        each = list(pool.map(lambda item: _rate_item(model, file, item, name, seed), items))
    scores = tuple(score for rated in each for score in rated.scores)
    preferences = tuple(choice for rated in each for choice in rated.preferences)
    return ModelRatings(scores, preferences, sum(rated.unanswered for rated in each))


def _rate_item(model: Model, file: StudyFile, item: AnyItem, name: str, seed: int) -> ModelRatings:
    if isinstance(item, RatingItem):
        scores = tuple(_scores(model, file, item, name, seed))
        return ModelRatings(scores, (), sum(score.value is None for score in scores))
    if isinstance(item, PreferenceItem):
        choice = _preference(model, file, item, name, seed)
        return ModelRatings((), (choice,) if choice else (), int(choice is None))
    raise UsageError(f"A model does not rate items of kind {item.kind}. Leave them out, or have people rate them.")


def _rating_task(file: StudyFile, item: RatingItem, system: str) -> str:
    shown = item.show(item.systems)
    if isinstance(shown, ConversationShown):
        return _task(file, _talk(shown.lines), "Judge this conversation as a whole.")
    return _task(file, _talk(shown.context), f"The reply to judge:\n{shown.replies[item.systems.index(system)]}")


def _scores(model: Model, file: StudyFile, item: RatingItem, name: str, seed: int) -> Iterator[Score]:
    for system in item.systems:
        for question in file.criteria:
            if not is_asked(question):
                continue
            points = points_of(question, file.language)
            task = _rating_task(file, item, system)
            trial = f"{name}:{item.key}:{system}:{question.name}"
            chosen = choose(
                model, task, text_in(question.question, file.language), [words for words, _ in points],
                seed=seed_for(seed, trial), trial=trial,
            )  # fmt: skip
            fields = {"level": item.level, "system": system, "rater": name, "raters": Raters.MODEL, **item.subject}
            value = None if chosen.option is None else points[chosen.option][1]
            measure = MeasureName(f"human:{question.name}")
            yield Score.model_validate({**fields, "measure": measure, "value": value, "why": chosen.why})


def points_of(question: Question, language: str) -> list[tuple[str, float]]:
    """Options for a model, each with its number: the points of a scale, or positions of a slider.

    Points without words and slider positions are shown by number; the ends of a slider also have their words.
    """
    if question.slider is None:
        scale = question.scale or ()
        return [
            (text_in(words, language) or f"(point {place} of {len(scale)})", float(question.first + place - 1))
            for place, words in enumerate(scale, start=1)
        ]
    line = question.slider
    steps = round((line.high - line.low) / line.step)
    chosen = (
        range(steps + 1)
        if steps < MAX_PLACES
        else [round(each * steps / (MAX_PLACES - 1)) for each in range(MAX_PLACES)]
    )
    values = [line.low + line.step * each for each in chosen]
    ends = {values[0]: text_in(line.ends[0], language), values[-1]: text_in(line.ends[1], language)}
    return [(f"{value:g} ({ends[value]})" if value in ends else f"{value:g}", value) for value in values]


def _preference(model: Model, file: StudyFile, item: PreferenceItem, name: str, seed: int) -> Preference | None:
    """Choice consistent with both orders: the side that wins in one and does not lose in the other; else a tie."""
    a, b = item.systems
    votes = [_vote(model, file, item, order, name, seed) for order in ((a, b), (b, a))]
    if None in votes:
        return None
    balance = sum({a: 1, b: -1}.get(vote or "", 0) for vote in votes)
    talks = item.dialogues
    return Preference(
        id=f"{name}:{item.key}",
        a=a,
        b=b,
        choice="tie" if balance == 0 else "a" if balance > 0 else "b",
        rater=name,
        raters=Raters.MODEL,
        situation_id=None if talks else item.key,
        dialogue_a=talks[a].id if talks else None,
        dialogue_b=talks[b].id if talks else None,
    )


def _vote(
    model: Model, file: StudyFile, item: PreferenceItem, order: tuple[str, str], name: str, seed: int
) -> str | None:
    """System chosen when the two are shown in one order; "" for neither, None for no valid answer."""
    question = preference_question(file.type)
    sides = [f"{letter}:\n{_side(item, system)}" for letter, system in zip("AB", order, strict=True)]
    trial = f"{name}:{item.key}:{order[0]}"
    chosen: Choice = choose(
        model,
        _task(file, _talk(lines_of(item.context)), *sides),
        text_in(question.question, file.language),
        [text_in(option.label, file.language) for option in question.options],
        seed=seed_for(seed, trial),
        trial=trial,
    )
    return None if chosen.option is None else (order[0], "", order[1])[chosen.option]


def _side(item: PreferenceItem, system: str) -> str:
    if item.responses is not None:
        return item.responses[system]
    return _talk(lines_of((item.dialogues or {})[system].messages))


def _task(file: StudyFile, context: str, *shown: str) -> str:
    parts = [text_in(file.instructions, file.language), f"The conversation:\n{context}" if context else "", *shown]
    return "\n\n".join([INTRODUCTION, *(part for part in parts if part)])


def _talk(lines: Sequence[Line]) -> str:
    return "\n".join(f"{line.speaker}: {line.text}" for line in lines)
