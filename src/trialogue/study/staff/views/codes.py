"""Coding of explanations by two members of staff, blind to each other, with kappa per code."""

from typing import Any, ClassVar

from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.study.models import Coding, Study, Submission
from trialogue.study.staff.access import MANAGE, login_of, record
from trialogue.study.staff.dashboard.answers import kappa_of_two
from trialogue.study.staff.forms import CODES, CodesForm, number_in
from trialogue.study.staff.views.base import StaffForm

CODERS = 2


class Codes(StaffForm):
    """Show the next uncoded explanation for this coder, and store the submitted codes."""

    permission: ClassVar[str] = MANAGE
    form_class = CodesForm
    template_name = "study/staff/decide.html"

    def form_valid(self, form: CodesForm) -> HttpResponse:
        """Keep the codes; not of a third coder, nor a second opinion of the same."""
        by = login_of(self.request)
        with transaction.atomic():
            submission = get_object_or_404(
                Submission.objects.select_for_update(), pk=form.cleaned_data["key"], participant__study=self.study
            )
            coders = set(submission.codings.values_list("by", flat=True))
            if by not in coders and len(coders) < CODERS:
                Coding.objects.create(submission=submission, codes=form.codes(), by=by)
                record(self.request, self.study, "coded", explanation=submission.pk)
        return redirect(self.request.path)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """An explanation, and how many are left."""
        study = self.study
        mine = set(_codings(study).filter(by=login_of(self.request)).values_list("submission_id", flat=True))
        explained = [each for each in _explained_submissions(study) if each.pk in mine or each.codings.count() < CODERS]
        waiting = [each for each in explained if each.pk not in mine]
        later = number_in(self.request.GET.get("after", ""))
        first = next((each for each in waiting if each.pk > later), waiting[0] if waiting else None)
        counts = {"done": len(explained) - len(waiting), "all": len(explained)}
        context: dict[str, Any] = {
            "heading": gettext("What is the explanation about?"),
            "eyebrow": gettext("%(done)s of %(all)s coded by you") % counts,
            "measure": agreement(study),
            "done": "" if first else gettext("You have coded everything."),
        }
        if first:
            context |= _question(study, first)
        return super().get_context_data(**context, **kwargs)


def code_names() -> dict[str, tuple[str, str]]:
    """Name and meaning of each code."""
    return {
        "realisticity": (gettext("Realisticity"), gettext("how natural or human-like it sounds")),
        "engagement": (
            gettext("Engagement"),
            gettext("whether the user is involved, asks questions and stays interested"),
        ),
        "emotion": (gettext("Emotion"), gettext("feelings: joy, irritation, politeness")),
        "response": (gettext("Response"), gettext("whether answers fit the conversation so far")),
        "grammar": (gettext("Grammar"), gettext("language, spelling, punctuation")),
        "length": (gettext("Length"), gettext("how long or short the messages or the conversation are")),
    }


def _question(study: Study, submission: Submission) -> dict[str, Any]:
    options = [{"value": code, "title": name, "help": meant} for code, (name, meant) in code_names().items()]
    return {
        "shown_heading": gettext("Explanation"),
        "quote": explanation(submission),
        "question": gettext("Codes"),
        "help": gettext("Choose all that apply, or none."),
        "options": options,
        "control": "checkbox",
        "key": submission.pk,
        "skip_url": f"{reverse('study:staff-codes', args=[study.slug])}?after={submission.pk}",
    }


def _codings(study: Study) -> Any:
    return Coding.objects.filter(submission__participant__study=study)


def _explained_submissions(study: Study) -> list[Submission]:
    found = Submission.objects.filter(participant__study=study, assignment__isnull=False).order_by("pk")
    return [each for each in found.prefetch_related("codings") if explanation(each)]


def explanation(submission: Submission) -> str:
    """The explanation that came with a judgement; "" without."""
    return str(submission.answers.get("reason") or "")


def agreement(study: Study) -> str:
    """Kappa of the two coders for each code, in a line; "" before both coded anything."""
    by: dict[str, dict[str, list[str]]] = {}
    for submission, coder, given in _codings(study).values_list("submission_id", "by", "codes"):
        by.setdefault(coder, {})[str(submission)] = given
    coders = sorted(by, key=lambda coder: (-len(by[coder]), coder))[:CODERS]
    if len(coders) < CODERS:
        return ""
    names, values = code_names(), []
    for code in CODES:
        first, second = ({key: str(code in given) for key, given in by[coder].items()} for coder in coders)
        estimate = kappa_of_two(first, second)
        if estimate.n:
            value = f"{estimate.value:.2f}" if estimate.value is not None else gettext("undefined")
            values.append(f"{names[code][0]} {value}")
    return gettext("Cohen’s kappa between the two coders: %(values)s") % {"values": ", ".join(values)} if values else ""
