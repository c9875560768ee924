"""A session that cannot be stored: said as such, and never as a mistake of the visitor."""

import pytest
from django.contrib.sessions.models import Session
from django.db import OperationalError
from django.test import Client

from tests.study.pages.studies import Form, running, source
from trialogue.study.models import Participant
from trialogue.study.web.middleware import SessionStore

pytestmark = pytest.mark.usefixtures("database")


def test_a_database_that_is_locked_when_the_session_is_stored_is_said_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    study, client, locked = running(), Client(raise_request_exception=False), [True]
    whole = Session.save

    def save(self: Session, *args: object, force_update: bool = False, **kwargs: object) -> None:
        if force_update and locked.pop():
            raise OperationalError("database is locked")
        whole(self, *args, force_update=force_update, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "save", save)
    answer = client.post(f"/{study.slug}/", HTTP_ACCEPT_LANGUAGE="de")
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert "Noch nicht gespeichert" in source(answer)  # type: ignore[arg-type]
    locked.append(False)
    again = client.post(f"/{study.slug}/", follow=True)
    assert again.status_code == 200
    assert "token" in Form(source(again)).hidden  # type: ignore[arg-type]


def test_a_session_that_was_deleted_meanwhile_is_not_brought_back(monkeypatch: pytest.MonkeyPatch) -> None:
    study, client = running(), Client()
    whole = SessionStore.save

    def save(self: SessionStore, must_create: bool = False) -> None:
        if not must_create:
            Session.objects.all().delete()
        whole(self, must_create)

    monkeypatch.setattr(SessionStore, "save", save)
    assert client.post(f"/{study.slug}/").status_code == 400
    assert not Session.objects.exists()
    assert Participant.objects.count() == 1
