"""Showing a page writes nothing to the database, whichever page it is."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.study.pages.studies import Form, running, source
from trialogue.study.models import Participant, Submission
from trialogue.study.services.rows import read_token

pytestmark = pytest.mark.usefixtures("database")
WRITES = re.compile(r"\s*(insert|update|delete|replace|create|alter|drop|pragma synchronous)\b", re.IGNORECASE)


class Reader(Client):
    """A browser that notes which statements of a GET write."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[str] = []
        self.written: dict[str, list[str]] = {}

    def get(self, path: str, *given: Any, **more: Any) -> HttpResponse:  # type: ignore[override]
        with CaptureQueriesContext(connection) as queries:
            answer = super().get(path, *given, **more)
        self.pages.append(path)
        if written := [each["sql"] for each in queries.captured_queries if WRITES.match(each["sql"])]:
            self.written[f"{len(self.pages)}: {path}"] = written
        return answer  # type: ignore[return-value]

    def walk(self, slug: str) -> list[str]:
        """Kinds of steps from the landing page to the end, each page looked at twice, and the pages beside it."""
        self.get(f"/{slug}/")
        self.post(f"/{slug}/")
        kinds: list[str] = []
        while len(kinds) < 60:
            page = self.get(f"/{slug}/step/")
            again = self.get(f"/{slug}/step/")
            self.get(f"/{slug}/leave/")
            self.get(f"/{slug}/receipt/")
            self.get(f"/{slug}/")
            form = Form(source(page))
            if "token" not in form.hidden:
                return [*kinds, "end"]
            first, second = (read_token(Form(source(each)).hidden["token"]) for each in (page, again))
            assert first == second  # the same time of the first view
            assert first is not None
            kinds.append(first.step.partition(":")[0])
            self.post(form.action.partition("#")[0], form.filled())
        raise AssertionError("a way without an end")


@pytest.mark.parametrize("kind", ["rating", "preference", "realism", "labelling", "chat"])
def test_no_page_writes_when_it_is_shown(kind: str) -> None:
    running(kind)
    reader = Reader()
    kinds = reader.walk(kind)
    assert {"consent", "screening", "before", "instructions", "comprehension", "task", "after", "end"} <= set(kinds)
    assert Participant.objects.get().state == "completed"
    assert reader.written == {}
    assert len(reader.pages) > 40


def test_no_page_of_a_study_without_consent_or_of_somebody_screened_out_writes() -> None:
    running(phases=["tasks", "exit"])
    reader = Reader()
    reader.walk("rating")
    assert reader.written == {}
    running("preference")
    out = Reader()
    out.get("/preference/")
    out.post("/preference/")
    for wanted in ({}, {"adult": "no"}):
        form = Form(source(out.get("/preference/step/")))
        out.post(form.action, form.filled(**wanted))
    assert "looking for other participants" in source(out.get("/preference/step/"))
    assert out.written == {}


def test_the_time_of_an_answer_is_counted_from_the_first_view_whatever_is_looked_at_between(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = [0.0]
    monkeypatch.setattr(
        "django.utils.timezone.now", lambda: datetime(2026, 1, 5, tzinfo=UTC) + timedelta(seconds=late[0])
    )
    running(phases=["tasks", "exit"])
    reader = Reader()
    reader.get("/rating/")
    reader.post("/rating/")
    Form(source(reader.get("/rating/step/")))
    late[0] += 30
    form = Form(source(reader.get("/rating/step/")))  # looked at again
    late[0] += 12
    wrong = reader.post(form.action, {**form.hidden})  # nothing was answered
    assert wrong.status_code == 422
    late[0] += 8
    again = Form(source(wrong))  # type: ignore[arg-type]
    reader.post(again.action.partition("#")[0], again.filled())
    assert [round(each.seconds or 0) for each in Submission.objects.all()] == [50]
    forged = {**form.hidden, "token": form.hidden["token"][:-4] + "AAAA"}
    assert reader.post(form.action, forged).status_code == 403
