"""The study informs people that their platform id is stored and how to have it erased; erasing finds them by it alone."""

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.study.pages.studies import Form, entered, running, sent, source
from trialogue.study.models import Identity, Participant
from trialogue.study.services import entering, leaving

pytestmark = pytest.mark.usefixtures("store")
QUERY = "?PROLIFIC_PID=pid-1&STUDY_ID=study-1&SESSION_ID=session-1"


def _to_the_end(client: Client, page: HttpResponse) -> str:
    while "token" in Form(source(page)).hidden:
        page = sent(client, page)
    return source(page)


@pytest.mark.parametrize(
    ("language", "before", "after"),
    [
        ("en", "Your Prolific ID is stored separately from your answers", "write to lab@example.org and state your ID"),
        ("de", "Ihre Prolific-ID wird getrennt", "schreiben Sie an lab@example.org und nennen Ihre ID"),
    ],
)
def test_who_comes_with_an_id_is_informed_before_they_agree_and_at_the_end(
    language: str, before: str, after: str
) -> None:
    study = running(platform={"name": "prolific"}, contact="lab@example.org", language=language)
    client = Client()
    page = entered(client, study, QUERY)
    assert before in source(page)
    last = _to_the_end(client, page)
    assert after in last
    assert "cannot find them without it" not in last
    assert "anders nicht finden" not in last


def test_who_comes_without_an_id_reads_that_nobody_could_find_them() -> None:
    study = running()
    client = Client()
    page = entered(client, study)
    assert "What is stored about you" not in source(page)
    assert "cannot find them without it" in _to_the_end(client, page)


@pytest.mark.parametrize("name", ["pid-1", " pid-1 ", "session-1"])
def test_erasing_finds_one_person_by_their_id_and_not_everybody_by_the_studys(name: str) -> None:
    study = running(platform={"name": "prolific"})
    for number in (1, 2):
        given = {"PROLIFIC_PID": f"pid-{number}", "STUDY_ID": "study-1", "SESSION_ID": f"session-{number}"}
        assert entering.enter(study, given).why == "entered"
    assert leaving.erase(study, "study-1", who="test") == 0
    assert leaving.erase(study, name, who="test") == 1
    assert [each.ids["PROLIFIC_PID"] for each in Identity.objects.all()] == ["pid-2"]
    assert Participant.objects.filter(state="withdrew").count() == 1
