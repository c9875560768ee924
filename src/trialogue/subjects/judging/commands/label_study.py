"""Write the study in which people label exactly the units of a plan, on the scale of the labels that exist already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialogue.analysis.saved_results import holds_run
from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.inputs.memory import Data
from trialogue.inputs.read import read
from trialogue.judges import Aspect, JudgedLevel, Rubric, load_rubric, rubric_names
from trialogue.records import Dialogue, MeasureName, Response, Score, Situation, write_records
from trialogue.records.completion import UNNAMED
from trialogue.study.design.folder import write_study
from trialogue.study.design.items import MAX_LINES, Message, RatingItem, ShownDialogue
from trialogue.subjects.judging.commands.judge import LabelPlan
from trialogue.subjects.judging.records import PlannedLabel

PLAN = "label_plan.jsonl"
"""The plan in the folder of the study: the sampling probabilities, for ``judge --set chances=…``."""
RATERS = 2
"""Raters of an item: two are the fewest that show how far people disagree."""
MAX_POINTS = 11  # of a scale on a page

Scale = tuple[float | None, float | None]


@dataclass(frozen=True)
class LabelStudy:
    """A study that was written."""

    folder: Path
    items: int
    """Units that are to be labelled."""
    question: str
    """Name of the question."""
    low: int
    """Lowest point of the scale."""
    high: int


def write_label_study(
    out: Path | str,
    plan: LabelPlan,
    given: Sequence[str | Path | Data],
    *,
    aspect: str,
    rubric: str | Path | None = None,
    labels: str | Path | None = None,
    scale: Scale = (None, None),
    raters_per_item: int = RATERS,
    seed: int = 0,
) -> LabelStudy:
    """Write a study folder with the units of a plan that have no label yet, and the plan itself beside it.

    The question and the words of its points come from a rubric, the ends of the scale from ``scale``, else from the labels
    that exist, else from the rubric: old and new labels must be on one scale.

    Args:
        out: the folder; there may be no study in it.
        plan: what is to be labelled.
        given: the dialogues, or the situations and replies, that were judged.
        aspect: what people are asked, or the full name of the judge's column.
        rubric: name or file of the rubric; None: the bundled one that has the aspect, if any.
        labels: those that exist.
        scale: lowest and highest label.
        raters_per_item: people who label each unit.
        seed: random seed for the orders in the study.

    Raises:
        UsageError: nothing is left to label, no scale is known, or a run folder was given, which has no texts.
        DataError: a planned unit is not among the dialogues, or is too long for a page.
    """
    for each in given:
        if isinstance(each, str | Path) and holds_run(Path(each)):
            raise UsageError(
                f"{each} contains scores, but no texts to label. Give the dialogues, and the scores with "
                f"--scores {Path(each) / 'scores.jsonl'}."
            )
    question = MeasureName(aspect).aspect or aspect
    open_units = [each for each in plan.units if not each.is_labelled]
    if not open_units:
        raise UsageError("All units of the plan are labelled already. No study is needed.")
    found = _aspect_of(question, rubric, open_units)
    low, high = _scale(question, found, labels, scale)
    items = _items(open_units, gather(given), ", ".join(map(str, given)))
    fields = _study(question, found, open_units[0], low, high, raters_per_item, seed, len(items))
    folder = write_study(Path(out), HEAD + _yaml(fields), items)
    write_records(folder / PLAN, plan.units)
    return LabelStudy(folder, len(items), question, low, high)


HEAD = (
    "# Labels that correct a judge. Edit the texts; leave items.jsonl and label_plan.jsonl as they are, since the\n"
    "# plan states with which probability each of them was sampled.\n"
)


def _yaml(fields: Mapping[str, Any]) -> str:
    import yaml

    text: str = yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=1_000)
    return text


@dataclass(frozen=True)
class _RubricAspect:
    rubric: Rubric
    aspect: Aspect

    @property
    def ends(self) -> tuple[int, int]:
        points = self.rubric.scale_of(self.aspect)
        return points.low, points.high


def _aspect_of(question: str, given: str | Path | None, units: Sequence[PlannedLabel]) -> _RubricAspect | None:
    """The aspect of a rubric that asks the question, at the level of the units."""
    is_dialogue = units[0].utterance is None and units[0].dialogue_id is not None
    level = JudgedLevel.DIALOGUE if is_dialogue else JudgedLevel.TURN
    for name in (given,) if given is not None else rubric_names():
        rubric = load_rubric(name)
        for aspect in rubric.aspects:
            is_scaled = aspect.scale is not None or rubric.scale is not None
            if rubric.level is level and is_scaled and question in (aspect.name, *aspect.also):
                return _RubricAspect(rubric, aspect)
    if given is not None:
        raise UsageError(f"The rubric {given} has no aspect {question!r} with a scale for a {level.value}.")
    return None


def _scale(question: str, found: _RubricAspect | None, labels: str | Path | None, given: Scale) -> tuple[int, int]:
    """Both ends: as given, as of existing labels, or as of the rubric."""
    if (given[0] is None) != (given[1] is None):
        raise UsageError("Give both ends of the scale: --set scale=LOW,HIGH.")
    ends: tuple[float, float] | None = None
    if given[0] is not None and given[1] is not None:
        ends = (given[0], given[1])
    elif labels is not None:
        ends = _declared_scale(question, labels)
    elif found is not None:
        ends = found.ends
    if ends is None:
        why = "the existing labels do not declare one" if labels is not None else f"no rubric is about {question!r}"
        raise UsageError(f"The scale of new labels is not known, since {why}: give --set scale=LOW,HIGH.")
    low, high = ends
    if not (float(low).is_integer() and float(high).is_integer() and low in (0, 1) and 1 <= high - low < MAX_POINTS):
        raise UsageError(
            f"A scale on a page starts at 0 or 1 and has at most {MAX_POINTS} whole points, got {low:g} to {high:g}."
        )
    return int(low), int(high)


def _declared_scale(question: str, labels: str | Path) -> tuple[float, float] | None:
    """The scale that all labels of a question declare; None: some declare none, or they differ."""
    scales = {
        each.scale
        for each in read(labels, note=lambda _problem: None)
        if isinstance(each, Score) and each.rater is not None and question in (each.measure.question, str(each.measure))
    }
    if len(scales) != 1:
        return None
    scale = next(iter(scales))
    return None if scale is None or scale.low is None or scale.high is None else (scale.low, scale.high)


def _items(units: Sequence[PlannedLabel], material: InputRecords, source: str) -> list[RatingItem]:
    """One item per unit, in the order of the plan.

    Raises:
        DataError: units without text, all at once.
    """
    dialogues: dict[tuple[str, str], Dialogue] = {
        (each.system or UNNAMED, each.id): each for each in material.dialogues
    }
    situations: dict[str, Situation] = {each.id: each for each in material.situations}
    replies: dict[tuple[str, str], Response] = {(each.system, each.situation_id): each for each in material.responses}
    items: dict[str, RatingItem] = {}
    problems = []
    for number, unit in enumerate(units, start=1):
        made: RatingItem | str
        if unit.dialogue_id is not None:
            made = _of_dialogue(unit, f"unit-{number}", dialogues.get((unit.system, unit.dialogue_id)))
        else:
            key = unit.situation_id or ""
            made = _of_reply(unit, situations.get(key), replies.get((unit.system, key)), items.get(key))
        if isinstance(made, str):
            problems.append(Problem(made, file=source))
        else:
            items[made.key] = made
    if problems:
        raise DataError(problems)
    return list(items.values())


def _of_dialogue(unit: PlannedLabel, key: str, dialogue: Dialogue | None) -> RatingItem | str:
    """The item, or what is wrong."""
    name = f"{unit.system}: {unit.dialogue_id}"
    if dialogue is None:
        return f"the planned dialogue {name} is missing. Give the planned dialogues."
    if not dialogue.utterances:
        return f"the planned dialogue {name} has no messages to show."
    if len(dialogue.utterances) > MAX_LINES:
        return f"the planned dialogue {name} has more than {MAX_LINES} messages; a page shows at most that many."
    talk = ShownDialogue(
        id=dialogue.id, messages=tuple(Message(speaker=each.speaker, text=each.text) for each in dialogue.utterances)
    )
    return RatingItem(
        key=key,
        dialogue_id=dialogue.id,
        conversation={unit.system: talk},
        utterance=unit.utterance,
    )


def _of_reply(
    unit: PlannedLabel, situation: Situation | None, reply: Response | None, item: RatingItem | None
) -> RatingItem | str:
    """The item of a situation, with one more reply if several of its replies are planned."""
    if situation is None or reply is None:
        return f"the planned reply of {unit.system} to {unit.situation_id} is missing. Give the planned replies."
    if item is not None:
        return RatingItem.model_validate(
            {**item.to_json(), "responses": {**item.responses, unit.system: reply.utterance.text}}
        )
    context = tuple(Message(speaker=each.speaker, text=each.text) for each in situation.context)
    return RatingItem(
        key=situation.id,
        dialogue_id=situation.dialogue_id,
        context=context,
        responses={unit.system: reply.utterance.text},
    )


def _study(
    question: str,
    found: _RubricAspect | None,
    unit: PlannedLabel,
    low: int,
    high: int,
    raters_per_item: int,
    seed: int,
    items: int,
) -> dict[str, Any]:
    """Fields of the study file."""
    what = "reply" if unit.utterance is not None or unit.dialogue_id is None else "conversation"
    points = [""] * (high - low + 1)
    points[0], points[-1] = "Lowest", "Highest"
    asked = f"How good is this {what} ({question.replace('_', ' ')})?"
    instructions = f"Read the conversation, then judge the {what}."
    if found is not None:
        asked, instructions = found.aspect.text, found.rubric.text
        if found.ends == (low, high):
            anchors = found.rubric.scale_of(found.aspect).anchors
            points = [anchors.get(point, "") for point in range(low, high + 1)]
    criterion: dict[str, Any] = {"name": question, "question": asked, "scale": points}
    return {
        "study": "labels",
        "type": "rating",
        "title": f"How good is this {what}?",
        "language": "en",
        "raters_per_item": raters_per_item,
        "items_per_participant": min(items, MAX_ITEMS),
        "one_per_dialogue": False,
        "criteria": [criterion if low == 1 else {**criterion, "first": low}],
        "phases": ["consent", "instructions", "tasks", "exit"],
        "consent": {"version": "1", "text": CONSENT},
        "instructions": instructions,
        "attention": {"checks": 1, "allowed_failures": 0, "min_seconds_per_item": 3},
        "exclusion": ["failed_checks", "too_fast"],
        "seed": seed,
    }


MAX_ITEMS = 20  # of one participant: about half an hour
CONSENT = (
    "You will read conversations between people and recommender programs, and judge them. **Taking part is voluntary**, and "
    "you can leave at any time.\n\n**Replace this with the text that your ethics board approved.**"
)
__all__ = ["PLAN", "LabelStudy", "write_label_study"]
