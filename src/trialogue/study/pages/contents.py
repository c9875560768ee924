"""Steps as pages: template, texts, fields and headings in the participant's language, without system names."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.records import JsonValue
from trialogue.records.kinds.uses import Use
from trialogue.study.design.guidelines import guidelines
from trialogue.study.design.pages import (
    ChatShown,
    ConversationShown,
    FeedbackShown,
    LabelShown,
    Line,
    PairShown,
    Part,
    RatingShown,
    Row,
    Shown,
    Step,
)
from trialogue.study.design.questions import Answers, Option, Question, Words, text_in
from trialogue.study.design.validity import HIDDEN_FIELD
from trialogue.study.models import Study
from trialogue.study.pages.fields import Field, fields_of
from trialogue.study.pages.fragments import Message, messages_of_page, split_around
from trialogue.study.services.rows import stored_fields
from trialogue.study.web.middleware import activate_language, choices

Given = Mapping[str, Answers]
"""Answers by prefix that could not be taken."""
MAX_PARTS = 1_000  # groups of questions whose fields are kept
LONGEST_MESSAGE = 2_000  # characters of a participant's message in a chat


def content_of(step: Step, language: str, given: Given) -> tuple[str, dict[str, Any]]:
    """Template and context of a step's content; ``given``: the submitted values of an invalid form."""
    content = step.content
    if isinstance(content, RatingShown):
        return "study/rating.html", rating_page(content, step.parts, language, given)
    if isinstance(content, ConversationShown):
        return "study/rating.html", conversation_page(content, step.parts, language, given)
    if isinstance(content, PairShown):
        return "study/compare.html", pair(content, step.parts, language, given, realism=step.item == "realism")
    if isinstance(content, LabelShown):
        return "study/label.html", labelling_page(content, step.parts, language, given)
    if isinstance(content, ChatShown):
        return "study/chat.html", chat(content, step.parts, language, given)
    if isinstance(content, FeedbackShown):
        return "study/feedback.html", feedback(content, language)
    fields = _fields(step.parts, language, given)
    return "study/questions.html", {"fields": fields, "wrong_fields": _wrong(fields)}


def _fields(
    parts: Sequence[Part],
    language: str,
    given: Given,
    *,
    stacked: bool = False,
    where: Callable[[str], str] = lambda prefix: "",
) -> list[Field]:
    return [
        each
        for part in parts
        for each in (
            fields_of(
                part.questions,
                language,
                answers=given[part.prefix],
                prefix=part.prefix,
                where=where(part.prefix),
                stacked=stacked,
            )
            if part.prefix in given
            else _empty_fields(part, language, where(part.prefix), stacked)
        )
    ]


@lru_cache(maxsize=MAX_PARTS)
def _empty_fields(part: Part, language: str, where: str, stacked: bool) -> tuple[Field, ...]:
    """Unanswered fields, equal for all participants."""
    return tuple(fields_of(part.questions, language, prefix=part.prefix, where=where, stacked=stacked))


def reply_title(prefix: str) -> str:
    """Title of the reply that a part is about; "" for all."""
    place = prefix.removeprefix("r").removesuffix("-")
    return gettext("Reply %(number)s") % {"number": place} if place else ""


def _wrong(fields: Sequence[Field]) -> list[Field]:
    return [each for each in fields if each.error]


def rating_page(shown: RatingShown, parts: Sequence[Part], language: str, given: Given) -> dict[str, Any]:
    """A situation, the replies with their questions, and the questions asked once."""
    own = {part.prefix: part for part in parts}
    cards, every = [], []
    for place, text in enumerate(shown.replies, 1):
        part = own.pop(f"r{place}-", None)
        fields = _fields([part] if part else [], language, given, stacked=len(shown.replies) > 1, where=reply_title)
        cards.append({"text": text, "fields": fields})
        every += fields
    overall = _fields(list(own.values()), language, given)
    wrong = _wrong([*every, *overall])
    return {
        "talk": messages_of_page(shown.context),
        "cards": cards,
        "fields": overall,
        "wrong_fields": wrong,
        "wide": True,
    }


def conversation_page(shown: ConversationShown, parts: Sequence[Part], language: str, given: Given) -> dict[str, Any]:
    """A whole conversation and the questions about it."""
    fields = _fields(parts, language, given)
    return {
        "cards": [{"talk": messages_of_page(shown.lines), "fields": fields}],
        "wrong_fields": _wrong(fields),
        "wide": True,
    }


def pair(
    shown: PairShown, parts: Sequence[Part], language: str, given: Given, *, realism: bool = False
) -> dict[str, Any]:
    """Two sides, and questions about both."""
    fields = _fields(parts, language, given)
    return {
        "talk": messages_of_page(shown.context),
        "cards": _sides(shown, realism=realism),
        "fields": fields,
        "wrong_fields": _wrong(fields),
        "wide": True,
    }


def _sides(shown: PairShown, *, realism: bool) -> list[dict[str, Any]]:
    dialogues = realism or not shown.context
    name = gettext("Conversation %(letter)s") if dialogues else gettext("Reply %(letter)s")
    given: Sequence[str | tuple[Line, ...]] = shown.sides
    sides: list[dict[str, Any]] = []
    for letter, side in zip("AB", given, strict=True):
        text = {"text": side} if isinstance(side, str) else {"talk": messages_of_page(side)}
        sides.append({"title": name % {"letter": letter}, **text})
    return sides


def labelling_page(shown: LabelShown, parts: Sequence[Part], language: str, given: Given) -> dict[str, Any]:
    """A dialogue with one message marked, labels with guidelines, and what else is asked."""
    fields = _fields(parts, language, given)
    questions = [question for part in parts for question in part.questions]
    place = next((place for place, question in enumerate(questions) if question.choice is not None), None)
    shown_context = {"around": split_around(shown.lines, shown.asked_about), "wrong_fields": _wrong(fields)}
    if place is None:
        return {**shown_context, "fields": fields, "wide": True}
    label = fields.pop(place)
    options = zip(questions[place].options, label.options, strict=True)
    labels = [
        {
            "element": each.element,
            "value": option.value,
            "chosen": each.chosen,
            "title": each.label,
            **guideline_of(option, language),
        }
        for option, each in options
    ]
    return {**shown_context, "label": label, "labels": labels, "fields": fields, "wide": True}


def guideline_of(option: Option, language: str) -> dict[str, Any]:
    """Definition, examples and limits of a label; those of the study file first."""
    ours = guidelines(language)
    known = ours.get(option.value)
    return {
        "definition": text_in(option.help, language) or (known.definition if known else ""),
        "use": text_in(option.use, language) or (known.use if known else ""),
        "avoid": text_in(option.avoid, language) or (known.avoid if known else ""),
        "examples": [text_in(each, language) for each in option.examples] or list(known.examples if known else ()),
        "neighbors": [{"title": ours[other].title, "how": how} for other, how in known.neighbors.items()]
        if known
        else [],
    }


def chat(shown: ChatShown, parts: Sequence[Part], language: str, given: Given) -> dict[str, Any]:
    """A conversation with its questions: after each message, or at the end about each system and both."""
    asked = parts if shown.ended else [Part("", shown.turn_questions)]
    grouped = [(conversation(part.prefix), _fields([part], language, given, where=conversation)) for part in asked]
    fields = [each for _, group in grouped for each in group]
    return {
        "talk": messages_of_page(shown.lines),
        "chat": shown,
        "intro": text_in(shown.task, language),
        "fields": fields,
        "groups": [{"title": title, "fields": group} for title, group in grouped],
        "wrong_fields": _wrong(fields),
        "longest": LONGEST_MESSAGE,
    }


def conversation(prefix: str) -> str:
    """Conversation, out of two, that a part is about; "" for both."""
    place = {"r1-": "A", "r2-": "B"}.get(prefix)
    return gettext("Conversation %(letter)s") % {"letter": place} if place else ""


def feedback(shown: FeedbackShown, language: str) -> dict[str, Any]:
    """A training item with the participant's answers and the right ones."""
    texts = _texts(shown.item)
    places = sorted({row.place for row in shown.rows if row.place is not None})
    compared = [
        {
            "title": gettext("Reply %(number)s") % {"number": place},
            "text": texts[place - 1] if place <= len(texts) else "",
            "rows": [_row(row, language) for row in shown.rows if row.place == place],
        }
        for place in places
    ]
    if overall := [_row(row, language) for row in shown.rows if row.place is None]:
        compared.append({"title": "", "text": "", "rows": overall})
    return {
        "right": shown.right,
        "explanation": text_in(shown.explanation, language),
        "talk": _lines(shown.item),
        "cards": _sides(shown.item, realism=False) if isinstance(shown.item, PairShown) else [],
        "compared": compared,
        "wide": isinstance(shown.item, PairShown),
    }


def _texts(item: Shown) -> Sequence[str]:
    return item.replies if isinstance(item, RatingShown) else ()


def _lines(item: Shown) -> list[Message]:
    if isinstance(item, ConversationShown):
        return messages_of_page(item.lines)
    if isinstance(item, LabelShown):
        return messages_of_page(item.lines, asked_about=item.asked_about)
    return messages_of_page(item.context)


def _row(row: Row, language: str) -> dict[str, Any]:
    return {
        "question": text_in(row.question.question, language),
        "given": answer_text(row.question, row.given, language),
        "expected": answer_text(row.question, row.expected, language),
        "right": row.given == row.expected,
    }


def answer_text(question: Question, answer: JsonValue, language: str) -> str:
    """An answer in words."""
    if answer is None:
        return gettext("no answer")
    labels: dict[str, Words] = {option.value: option.label for option in question.options}
    answers = answer if isinstance(answer, list) else [answer]
    return ", ".join(text_in(labels.get(str(each), "") or str(each), language) for each in answers)


def heading_of(step: Step, language: str) -> str:
    """The heading of a step's page."""
    return text_in(step.heading, language) or (
        _of_task(step) if step.kind in ("task", "chat", "training") else _heading_of(step)
    )


def _heading_of(step: Step) -> str:
    return {
        "consent": gettext("Taking part"),
        "screening": gettext("First, a few questions"),
        "questions": gettext("A few questions"),
        "instructions": gettext("What you will do"),
        "feedback": gettext("Our answers"),
        "comprehension": gettext("Is everything clear?"),
        "exit": gettext("Thank you!"),
    }.get(step.kind, gettext("Next"))


def _of_task(step: Step) -> str:
    if isinstance(step.content, PairShown) and step.item == "preference":
        return gettext("Which reply is better?") if step.content.context else gettext("Which conversation is better?")
    is_over = isinstance(step.content, ChatShown) and step.content.ended
    if is_over or isinstance(step.content, ConversationShown):
        return gettext("How was it?")
    return {
        "rating": gettext("Rate each reply"),
        "realism": gettext("In which conversation is the user a person?"),
        "labelling": gettext("What does the marked message do?"),
        "chat": gettext("Talk to the recommender"),
    }.get(step.item or "", gettext("Next"))


def eyebrow_of(step: Step) -> str:
    """The small line above the heading: where in the study this is."""
    if step.kind in ("training", "feedback"):
        return gettext("Practice")
    if step.kind == "comprehension" and step.attempts > 1:
        return gettext("Attempt %(attempt)s of %(attempts)s") % {"attempt": step.attempt, "attempts": step.attempts}
    if isinstance(step.content, ChatShown) and step.content.of > 1 and not step.content.ended:
        return gettext("Conversation %(letter)s of A and B") % {"letter": "AB"[step.content.number - 1]}
    return gettext("Task %(number)s of %(of)s") % {"number": step.task, "of": step.tasks} if step.task else ""


PROSE = {"consent": "study/consent.html", "instructions": "study/text.html", "exit": "study/exit.html"}
INVALID = 422  # status of a page that is shown again, since an answer could not be taken


def frame(request: HttpRequest, study: Study, *, language: str) -> dict[str, Any]:
    """Template context shared by every page of a study."""
    stored = stored_fields(study)
    return {
        "study_title": text_in(stored.get("title", ""), language),
        "contact": stored.get("contact", ""),
        "languages": choices(languages_of(study), language),
        "action": request.path,
        "images": image_addresses(study),
    }


def image_addresses(study: Study) -> tuple[str, ...]:
    """Beginnings of addresses from which the study shows images."""
    return tuple(str(each) for each in stored_fields(study).get("images", ()))


def languages_of(study: Study) -> list[str]:
    """The languages of a study, the author's first."""
    stored = stored_fields(study)
    first = str(stored.get("language", "en"))
    return [first, *(str(each) for each in stored.get("languages", ()) if each != first)]


def show(
    request: HttpRequest, study: Study, step: Step, *, given: Mapping[str, Answers] | None = None, **more: Any
) -> HttpResponse:
    """Render the page of a step, with the submitted values of an invalid form."""
    language = activate_language(request, languages_of(study))
    template, context = content_of(step, language, given or {})
    template = PROSE.get(step.kind, template)
    status = INVALID if given else 200
    context = {
        **frame(request, study, language=language),
        "heading": heading_of(step, language),
        "eyebrow": eyebrow_of(step),
        "intro": text_in(step.text, language),
        "token": step.token,
        "page_key": step.page_key,
        "hidden": step.hidden,
        "hidden_field": HIDDEN_FIELD,
        "to_models": Use.LANGUAGE_MODELS in _allowed_uses(study),
        "notices_models": bool(stored_fields(study).get("validity")),
        "steps": step.of,
        "step_number": step.number,
        "failed": bool(given),
        "withdraw_url": reverse("study:leave", args=[study.slug]),
        "chat_action": reverse("study:chat", args=[study.slug]),
        "again": gettext("Some answers were not correct. Please read the instructions again and have another try.")
        if step.kind == "comprehension" and step.attempt > 1
        else "",
        **{name: value for name, value in context.items() if value or name != "intro"},
        **more,
    }
    response = render(request, template, context, status=status)
    response.image_addresses = context["images"]  # type: ignore[attr-defined]
    return response


def _allowed_uses(study: Study) -> list[str]:
    """Uses of conversations that the consent asks for."""
    consent = stored_fields(study).get("consent")
    uses = consent.get("allows") if isinstance(consent, dict) else None
    return [str(each) for each in uses] if isinstance(uses, list) else []
