"""Form fields of questions for templates: translated texts, given answers and errors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext, gettext_lazy, ngettext

from trialogue.study.design.assignment import BEST, RANK, WORST
from trialogue.study.design.questions import Answers, InvalidAnswer, Question, text_in

SHORT = 30  # characters of a label that fits beside others
FEW = 7  # points of a scale that stand side by side on a wide screen


@dataclass(frozen=True)
class OptionField:
    """One option, point or box."""

    value: str
    label: str
    help: str
    chosen: bool
    element: str
    """Id of its input."""


@dataclass(frozen=True)
class ListField:
    """One list of choices of a question that orders things."""

    label: str
    element: str
    choices: tuple[tuple[str, str, bool], ...]
    """(value, label, whether it is chosen)."""


@dataclass(frozen=True)
class Field:
    """One question on a page."""

    name: str
    """Name of the form's field."""
    element: str
    """Id of the element that a link to the question leads to."""
    kind: str
    where: str
    """Subject of the question where a page asks it more than once, such as "Reply 2"."""
    question: str
    help: str
    required: bool
    options: tuple[OptionField, ...]
    value: str
    """Submitted text or number."""
    error: str
    across: bool
    """Whether the points stand side by side."""
    ends: tuple[str, str] | None
    """Words of both ends, where the points between them have none."""
    several_columns: bool
    three: bool
    """Whether three short options stand side by side, as for "A", "the same" and "B"."""
    lines: int
    at_least: int
    at_most: int
    low: str
    high: str
    step: str
    lists: tuple[ListField, ...]
    """Lists of choices: one for each thing that is ranked, or for the best and the worst."""
    condition: tuple[str, tuple[str, ...], str]
    """(field, values, in words) of the question above with which it counts; ("", (), "") where it always does."""

    @property
    def described_by(self) -> str:
        """Ids of what describes it, for assistive technology."""
        ids = [f"{self.element}-help"] if self.help else []
        return " ".join([*ids, f"{self.element}-error"] if self.error else ids)


def fields_of(
    questions: Iterable[Question],
    language: str,
    *,
    answers: Answers | None = None,
    stored: Mapping[str, Any] | None = None,
    prefix: str = "",
    where: str = "",
    stacked: bool = False,
) -> list[Field]:
    """Fields of several questions.

    Args:
        questions: what is asked.
        language: language of the reader.
        answers: submitted answers, if some are invalid; None: nothing submitted yet.
        stored: answers that are stored already, to be shown.
        prefix: prefix of the field names, if a question is asked more than once on a page.
        where: what they are asked about, for the list of what is missing.
        stacked: points below each other, also on a wide screen, as within a narrow card.
    """
    asked = list(questions)
    frame = {"prefix": prefix, "where": where}
    return [
        replace(
            _field(question, language, _given_values(question, answers, stored), answers, frame, stacked=stacked),
            condition=_condition(question, asked, prefix, language),
        )
        for question in asked
    ]


def _condition(
    question: Question, asked: Sequence[Question], prefix: str, language: str
) -> tuple[str, tuple[str, ...], str]:
    """When a question counts, for the page's script and in words."""
    for name, wanted in (question.only_if or {}).items():
        other = next(each for each in asked if each.name == name)
        labels = [text_in(option.label, language) or option.value for option in other.options if option.value in wanted]
        values = {"question": text_in(other.question, language), "answers": ", ".join(labels)}
        return prefix + name, tuple(wanted), gettext("Only if you answered “%(answers)s” above: %(question)s") % values
    return "", (), ""


def _given_values(question: Question, answers: Answers | None, stored: Mapping[str, Any] | None) -> Sequence[str]:
    if answers is not None:
        return answers.given.get(question.name, ())
    value = (stored or {}).get(question.name)
    if value is None:
        return ()
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]


def _field(
    question: Question,
    language: str,
    given: Sequence[str],
    answers: Answers | None,
    frame: Mapping[str, str],
    *,
    stacked: bool,
) -> Field:
    name = frame["prefix"] + question.name
    element = "q-" + name
    labels = [text_in(option.label, language) for option in question.options]
    bare = question.scale is not None and not all(labels)
    wrong = answers.wrong.get(question.name) if answers else None
    return Field(
        name=name,
        element=element,
        kind=question.kind_of_answer,
        where=frame["where"],
        question=text_in(question.question, language),
        help=text_in(question.help, language),
        required=question.required,
        options=tuple(
            OptionField(
                value=option.value,
                label=option.value if bare else labels[place],
                help=text_in(option.help, language),
                chosen=option.value in given,
                element=f"{element}-{place + 1}",
            )
            for place, option in enumerate(question.options)
        ),
        value=given[-1] if given else "",
        error=message_of(wrong) if wrong else "",
        across=question.scale is not None and (bare or (len(labels) <= FEW and not stacked)),
        ends=_ends(question, labels, language, bare=bare),
        three=question.choice is not None and len(labels) == 3 and max(map(len, labels)) < SHORT and not stacked,
        several_columns=len(labels) > FEW and max(map(len, labels)) < SHORT,
        condition=("", (), ""),
        lists=_lists(question, element, labels, given),
        **_limits(question),
    )


def _lists(question: Question, element: str, labels: Sequence[str], given: Sequence[str]) -> tuple[ListField, ...]:
    """The lists of a question that orders things."""
    values = [option.value for option in question.options]
    if question.ranking is not None:
        return tuple(
            ListField(label, f"{element}-{place}", tuple(_ranks(value, len(values), given)))
            for place, (value, label) in enumerate(zip(values, labels, strict=True), 1)
        )
    if question.best_worst is None:
        return ()
    names = {BEST: gettext("Best"), WORST: gettext("Worst")}
    return tuple(
        ListField(
            names[which],
            f"{element}-{which}",
            tuple((f"{which}{RANK}{value}", label, f"{which}{RANK}{value}" in given) for value, label in things),
        )
        for which in (BEST, WORST)
        for things in [list(zip(values, labels, strict=True))]
    )


def _ranks(value: str, count: int, given: Sequence[str]) -> Iterator[tuple[str, str, bool]]:
    for rank in range(1, count + 1):
        sent = f"{rank}{RANK}{value}"
        yield sent, str(rank), sent in given


def _ends(question: Question, labels: Sequence[str], language: str, *, bare: bool) -> tuple[str, str] | None:
    """Words of both ends of a line, or of a scale whose points between have none."""
    if question.slider is not None:
        low, high = question.slider.ends
        return text_in(low, language), text_in(high, language)
    return (labels[0], labels[-1]) if bare else None


def _limits(question: Question) -> dict[str, Any]:
    text, number = question.text, question.number
    if (slider := question.slider) is not None:
        ends = {"low": _plain(slider.low), "high": _plain(slider.high), "step": _plain(slider.step)}
        return {"lines": 1, "at_least": 0, "at_most": 0, **ends}
    return {
        "lines": text.lines if text else 1,
        "at_least": text.at_least if text else 0,
        "at_most": text.at_most if text else 0,
        "low": _plain(number.low) if number else "",
        "high": _plain(number.high) if number else "",
        "step": ("1" if number.whole else "any") if number else "",
    }


def _plain(limit: float | None) -> str:
    return "" if limit is None else f"{limit:.10g}"


_MESSAGES = {
    "missing": gettext_lazy("Please answer this question."),
    "unknown": gettext_lazy("Please choose one of the answers shown."),
    "not_ranked": gettext_lazy("Please use each rank once."),
    "same_twice": gettext_lazy("Please choose two different answers."),
    "not_a_number": gettext_lazy("Please enter a number, such as 42."),
    "ambiguous": gettext_lazy("Please enter this number without a separator between thousands, such as 25000."),
    "not_whole": gettext_lazy("Please enter a whole number."),
    "too_low": gettext_lazy("Please enter a number of at least %(limit)s."),
    "too_high": gettext_lazy("Please enter a number of at most %(limit)s."),
}
"""By the code of what is wrong; those with a number of characters are worded below."""


def message_of(wrong: InvalidAnswer) -> str:
    """Error message for an answer, in the active language."""
    limit = wrong.limit or 0
    count = int(limit)
    if wrong.code == "too_short":
        return ngettext(
            "Please write at least %(count)d character.", "Please write at least %(count)d characters.", count
        ) % {"count": count}
    if wrong.code == "too_long":
        return ngettext(
            "Please shorten this to %(count)d character.", "Please shorten this to %(count)d characters.", count
        ) % {"count": count}
    return str(_MESSAGES[wrong.code]) % {"limit": number_format(count if limit == count else limit)}
