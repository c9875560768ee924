"""Render a step as a page."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.records.kinds.uses import Use
from trialogue.study.design.pages import ChatShown, ConversationShown, PairShown, Step
from trialogue.study.design.questions import Answers, text_in
from trialogue.study.design.validity import HIDDEN_FIELD
from trialogue.study.models import Study
from trialogue.study.pages.contents import content_of
from trialogue.study.services.rows import stored_fields
from trialogue.study.web.middleware import activate_language, choices


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
