"""Default headings of steps, and the line above them, where the study file defines none."""

from django.utils.translation import gettext

from trialogue.study.design.page_content import ChatShown, ConversationShown, PairShown, Step
from trialogue.study.design.questions import text_in


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
