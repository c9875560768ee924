"""Layout shared by all staff pages."""

import os
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from trialogue.study.design.questions import Question, text_in
from trialogue.study.models import Study
from trialogue.study.recruiting.api import TOKEN
from trialogue.study.services.reading import file_of
from trialogue.study.staff.access import MANAGE, may, role

LANGUAGES = ("en", "de")  # that the pages of staff speak


def frame(request: HttpRequest, study: Study | None, language: str) -> dict[str, Any]:
    """Template context shared by all staff pages."""
    return {"role": role(request), "tabs": _tabs(request, study), "study_title": title(study, language)}


def title(study: Study | None, language: str) -> str:
    """The title of a study."""
    return text_in(study.configuration.get("title", study.slug), language) if study else "Trialogue"


def questions_of(study: Study) -> list[Question]:
    """Questions about items."""
    design = file_of(study)
    return [*design.criteria, *design.item_questions()]


def recruits(study: Study) -> bool:
    """Whether this server sends decisions to Prolific: it has a token, and the study states a payment."""
    file = file_of(study)
    wanted = file.platform.name == "prolific" and file.payment is not None
    return wanted and settings.FOLDER is not None and bool(os.environ.get(TOKEN))


def _tabs(request: HttpRequest, study: Study | None) -> list[dict[str, object]]:
    if study is None:
        return []
    pages = [
        ("staff-study", gettext("Overview")),
        ("staff-people", gettext("Participants")),
        *([("staff-labels", gettext("Labels"))] if study.configuration.get("type") == "labelling" else []),
        *([("staff-codes", gettext("Explanations"))] if study.configuration.get("type") in EXPLAINED else []),
        ("staff-report", gettext("Report")),
        *([("staff-launch", gettext("Launch"))] if may(request, MANAGE) else []),
        ("staff-data", gettext("Data")),
        ("staff-log", gettext("Log")),
    ]
    tabs: list[dict[str, object]] = []
    for name, label in pages:
        url = reverse(f"study:{name}", args=[study.slug])
        tabs.append(
            {
                "name": label,
                "url": url,
                "current": request.path == url or (name in WITHIN and request.path.startswith(url)),
            }
        )
    return tabs


WITHIN = ("staff-people", "staff-data")  # tabs with pages below them
EXPLAINED = ("realism", "preference")  # types of study whose judgements come with explanations
