"""What people are told when a form is not stored, and several people at one computer."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.study.walking import running
from trialogue.study.models import Participant, Submission

pytestmark = pytest.mark.usefixtures("store")
STEP = "/rating/step/"
TOKEN = re.compile(r'name="token" value="([^"]+)"')


def token_at(client: Client) -> str:
    """The token of the page where somebody is."""
    found = TOKEN.search(client.get(STEP).content.decode())
    assert found is not None
    return found[1]


def at_first_task(client: Client) -> str:
    """Enter and agree; the token of the first task."""
    client.post("/rating/")
    client.post(STEP, {"token": token_at(client), "agree": "yes"})
    return token_at(client)


def answers(token: str) -> dict[str, str]:
    """Answers to a task."""
    return dict.fromkeys(("r1-sense", "r2-sense", "r3-sense"), "1") | {"token": token}


def test_a_page_that_is_sent_again_with_other_answers_says_that_the_first_ones_stay() -> None:
    running()
    client = Client()
    first = answers(at_first_task(client))
    assert client.post(STEP, first).headers["Location"] == STEP
    assert client.post(STEP, first).headers["Location"] == STEP  # a double click
    again = client.post(STEP, first | {"r1-sense": "5"}, follow=True)
    assert "Your first answers were kept" in again.content.decode()
    assert Submission.objects.get(step="task:1").answers["r1-sense"] == 1


def test_an_answer_whose_task_went_to_somebody_else_is_said_not_to_be_saved() -> None:
    study = running(raters_per_item=1, items=1, items_per_participant=1)
    late, other = Client(), Client()
    token = at_first_task(late)
    person = study.participants.get()
    person.assignments.update(lease_until=timezone.now() - timedelta(minutes=1))
    at_first_task(other)
    said = late.post(STEP, answers(token), follow=True).content.decode()
    assert "Your last answer was not saved" in said
    assert "Your answers are saved" not in said
    assert not Submission.objects.filter(participant=person, step__startswith="task").exists()


def test_somebody_else_at_the_same_computer_enters_anew() -> None:
    running()
    client = Client()
    client.post("/rating/")
    landing = client.get("/rating/").content.decode()
    assert "Continue where I left off" in landing
    assert "I am somebody else" in landing
    assert client.post("/rating/").status_code == 302
    assert Participant.objects.count() == 1
    client.post("/rating/", {"somebody_else": "1"})
    assert Participant.objects.count() == 2


def test_whoever_has_an_id_of_a_platform_is_not_asked_who_they_are() -> None:
    study = running(platform={"name": "prolific"})
    client = Client()
    link = "/rating/?PROLIFIC_PID=p1&SESSION_ID=e1"
    client.post(link)
    assert study.participants.count() == 1
    assert "I am somebody else" not in client.get(link).content.decode()
    client.post(link, {"somebody_else": "1"})
    assert study.participants.count() == 1
