"""A database that cannot write: nobody is told that something was saved which was not."""

import pytest
from django.db import OperationalError
from django.test import Client

from tests.study.pages.studies import entered, running, sent, source
from trialogue.study.models import Participant, Submission

pytestmark = pytest.mark.usefixtures("store")


@pytest.mark.parametrize(
    "why", ["database is locked", "database or disk is full", "attempt to write a readonly database"]
)
def test_what_could_not_be_written_is_not_acknowledged_and_can_be_sent_again(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_fields: object) -> None:
        raise OperationalError(why)

    study, client = running(), Client(raise_request_exception=False)
    page = entered(client, study)
    with monkeypatch.context() as broken:
        broken.setattr(Submission.objects, "create", refuse)
        answer = sent(client, page)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "Not saved yet" in source(answer)
    assert why not in source(answer)
    assert not Submission.objects.exists()
    assert Participant.objects.get().state == "arrived"
    assert sent(client, answer).status_code == 200  # the page carries the form
    assert Submission.objects.count() == 1
