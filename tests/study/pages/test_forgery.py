"""Forged forms, links and cookies; floods from one place; and settings that would let them in."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import Tags, run_checks
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.utils import override_settings

from tests.study.pages.studies import Form, entered, running, sent, source
from trialogue.study import settings
from trialogue.study.models import Participant, Submission
from trialogue.study.opening import secret_key
from trialogue.study.web import throttle

pytestmark = pytest.mark.usefixtures("database")


def settings_with(monkeypatch: pytest.MonkeyPatch, **environment: str) -> dict[str, Any]:
    """The settings that an environment gives."""
    for name in ("TRIALOGUE_STUDY", "TRIALOGUE_SECURE", "TRIALOGUE_HOSTS", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return {name: value for name, value in runpy.run_path(str(settings.__file__)).items() if name.isupper()}


def test_a_form_with_anothers_secret_or_from_another_site_is_refused() -> None:
    study = running()
    mine, theirs = Client(enforce_csrf_checks=True), Client(enforce_csrf_checks=True)
    form, other = (Form(source(each.get("/rating/"))) for each in (mine, theirs))  # type: ignore[arg-type]
    foreign = {**form.hidden, "csrfmiddlewaretoken": other.hidden["csrfmiddlewaretoken"]}
    assert mine.post(form.action, foreign).status_code == 403
    evil = mine.post(form.action, form.hidden, headers={"origin": "https://evil.example"})
    assert evil.status_code == 403
    assert not study.participants.exists()
    assert mine.post(form.action, form.hidden).status_code == 302


def test_somebody_of_one_study_is_nobody_in_another() -> None:
    first, client = running(), Client()
    running("preference")
    token = Form(source(entered(client, first))).hidden["token"]
    assert client.get("/preference/step/").headers["Location"] == "/preference/"
    assert client.post("/preference/step/", {"token": token, "agree": "yes"}).headers["Location"] == "/preference/"
    assert not Submission.objects.exists()


def test_an_id_that_nobody_signed_is_marked_as_such_and_let_in_only_where_the_study_says_so() -> None:
    study = running(platform={"name": "prolific"})
    entered(Client(), study, "?PROLIFIC_PID=forged&SESSION_ID=x")
    assert Participant.objects.get().signed is False
    strict = running("preference", platform={"name": "prolific", "signed": True})
    page = Client().get("/preference/?PROLIFIC_PID=forged&SESSION_ID=x&sig=0000")
    assert "This link is incomplete" in source(page)  # type: ignore[arg-type]
    assert not strict.participants.exists()


def test_one_address_may_bring_a_whole_university_but_not_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    study = running(items=8)
    at_work = Client()
    page = entered(at_work, study)
    at_door = [Client().get("/rating/").status_code for _ in range(60)]
    assert set(at_door) == {200}  # sixty students of one address within a second
    monkeypatch.setattr("trialogue.study.pages.views.BY_ADDRESS", 50)
    flooded = Client().get("/rating/")
    assert flooded.status_code == 429
    assert 0 < int(flooded.headers["Retry-After"]) <= throttle.WINDOW
    assert sent(at_work, page).status_code == 200  # who has come in before is not kept from their work
    assert throttle.BY_ADDRESS >= 100 * 60  # a hundred people of one address, each with a request a second


def test_over_https_cookies_and_redirects_are_made_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    found = settings_with(monkeypatch, TRIALOGUE_SECURE="1", TRIALOGUE_HOSTS="study.example.org")
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY", "SECURE_SSL_REDIRECT")
    assert [found[name] for name in names] == [True] * 4
    assert found["ALLOWED_HOSTS"] == ["study.example.org"]
    used = {name: value for name, value in found.items() if name.startswith(("SECURE_", "SESSION_", "CSRF_"))}
    with override_settings(**used, ALLOWED_HOSTS=found["ALLOWED_HOSTS"]):
        said = {str(each.id) for each in run_checks(tags=[Tags.security], include_deployment_checks=True)}
    # X-Frame-Options comes from our own middleware; whether subdomains have HTTPS is not ours to say
    assert said <= {"security.W002", "security.W005", "security.W021"}


def test_no_secret_is_in_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, second = (settings_with(monkeypatch) for _ in range(2))
    assert first["SECRET_KEY"] != second["SECRET_KEY"]
    assert first["DEBUG"] is False
    assert not any("*" in host for host in first["ALLOWED_HOSTS"])
    key = secret_key(tmp_path)
    assert settings_with(monkeypatch, TRIALOGUE_STUDY=str(tmp_path))["SECRET_KEY"] == key.read_text().strip()
    assert key.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(("size", "status"), [(10, 302), (2_000_000, 400)])
def test_no_file_is_taken_and_none_is_written_to_the_disk(
    size: int, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    running()
    client = Client(enforce_csrf_checks=True)
    form = Form(source(client.get("/rating/")))  # type: ignore[arg-type]
    written: list[str] = []
    monkeypatch.setattr("django.core.files.uploadedfile.TemporaryUploadedFile", written.append)
    monkeypatch.setattr("django.core.files.uploadhandler.TemporaryUploadedFile", written.append)
    sent_file = SimpleUploadedFile("evil.bin", b"0" * size)
    assert client.post(form.action, {**form.hidden, "evil": sent_file}).status_code == status
    assert written == []
