"""Export answers about options (rankings, best–worst choices, checkboxes, choices of questionnaires), a row per option."""

from collections.abc import Iterator, Mapping, Sequence

from trialogue.records import JsonValue
from trialogue.study.design.file import StudyFile
from trialogue.study.design.flow import number_of, phase_of
from trialogue.study.design.items import ChatItem, RatingItem
from trialogue.study.design.ordering import ranks_of
from trialogue.study.design.questions import Question
from trialogue.study.export import reading
from trialogue.study.models import Submission

COLUMNS = ("rater", "step", "situation_id", "question", "kind", "option", "value")
SYSTEM = "system"
"""A further column where questions with options were asked about each system."""


def option_rows(sent: Submission, file: StudyFile) -> Iterator[dict[str, object]]:
    """Rows of ``options.csv`` of one page: of tasks and questionnaires, not of checks or training."""
    task = reading.read_judged(sent)
    base: dict[str, object] = {"rater": sent.participant.code, "step": sent.step}
    if task is not None:
        places = task.order if isinstance(task.item, RatingItem | ChatItem) else ()
        base["situation_id"] = task.item.key
        for question in file.item_questions():
            yield from _rows(question, sent.answers.get(question.name), places, base)
        for place, system in enumerate(places, 1):
            for question in file.criteria:
                about = {**base, SYSTEM: system}
                name = question.name if task.of_one else f"r{place}-{question.name}"
                yield from _rows(question, sent.answers.get(name), (), about, single=True)
    elif phase_of(sent.step) in reading.QUESTIONNAIRES:
        pages = file.before if phase_of(sent.step) == "before" else file.after
        for question in pages[number_of(sent.step) - 1].questions:
            answer = sent.answers.get(question.name)
            if question.choice is not None:  # of tasks, a choice is what is judged, and exported as such
                answer = None if answer is None else [answer]
            yield from _rows(question, answer, (), base)


def _rows(
    question: Question, answer: JsonValue, places: Sequence[str], base: Mapping[str, object], *, single: bool = False
) -> Iterator[dict[str, object]]:
    """A row for each thing offered; ``places``: systems as shown, where replies were ordered; ``single``: also of questions
    of which one option is chosen."""
    given = [str(each) for each in answer] if isinstance(answer, list) else [str(answer)]
    if answer is None or not (isinstance(answer, list) or (single and question.choice is not None)):
        return
    asked = question.for_replies(len(places))
    if question.ranking is not None:
        values = dict(ranks_of(given))
    elif question.best_worst is not None:
        best, worst = given
        values = {option.value: (option.value == best) - (option.value == worst) for option in asked.options}
    elif question.choices is not None or question.choice is not None:
        values = {option.value: int(option.value in given) for option in asked.options}
    else:
        return
    for option in asked.options:
        name = places[int(option.value) - 1] if question.of_replies else option.value
        about = {"question": question.name, "kind": question.kind_of_answer, "option": name}
        yield {**base, **about, "value": values[option.value]}
