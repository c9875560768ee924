"""Prolific's signed links: who is in the token comes in, once for each token; nobody makes an id up."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from django.test import Client

from tests.study.pages.studies import running
from tests.study.prolific_keys import Signer, published
from trialogue.errors import UsageError
from trialogue.study.models import Participant, PlatformRequest, Study
from trialogue.study.services import entering
from trialogue.study.services.entering import PublishedKeys

pytestmark = pytest.mark.usefixtures("store")
SIGNED = {"name": "prolific", "signed": True}


@pytest.fixture
def signer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Signer]:
    with published() as made:
        monkeypatch.setenv(entering.VARIABLE, made.address)
        monkeypatch.setattr(entering, "_keys", {})
        yield made


@pytest.fixture
def study() -> Study:
    return running(platform=SIGNED)


def why(study: Study, token: str = "", **parameters: str) -> str:
    given = parameters | ({"prolific_token": token} if token else {})
    return entering.enter(study, given).why


def test_who_stands_in_the_token_comes_in_whatever_else_the_link_says(signer: Signer, study: Study) -> None:
    came = entering.enter(study, {"prolific_token": signer.token("real"), "PROLIFIC_PID": "made up"}).participant
    assert came is not None
    assert came.signed
    assert {name: value for name, value in came.identity.ids.items() if name != "tokens"} == {
        "PROLIFIC_PID": "real", "STUDY_ID": "s1", "SESSION_ID": "e1", "session": "e1"}  # fmt: skip


def test_unsigned_ids_do_not_come_in_where_signing_is_configured(signer: Signer, study: Study) -> None:
    assert why(study, PROLIFIC_PID="made up", SESSION_ID="x") == "unsigned"
    assert why(study) == "unsigned"
    assert not Participant.objects.exists()


def _parts(token: str) -> list[Any]:
    return [json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2]]


def _unsigned(token: str) -> str:
    head, body = _parts(token)
    return jwt.encode(body, "", algorithm="none", headers={"kid": head["kid"]})


def _by_hmac_with_the_public_key(signer: Signer, token: str) -> str:
    head, body = _parts(token)
    public = (
        signer.private["first"]
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )

    def packed(data: bytes) -> bytes:
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    said = packed(json.dumps({"alg": "HS256", "kid": head["kid"]}).encode()) + b"." + packed(json.dumps(body).encode())
    return (said + b"." + packed(hmac.new(public, said, hashlib.sha256).digest())).decode()


def test_tokens_that_prolific_did_not_sign_for_this_server_are_refused(signer: Signer, study: Study) -> None:
    real = signer.token()
    stranger = Signer()
    stranger.rotate("first")  # another key under the same name
    head, _, signature = real.split(".")
    _, claims = _parts(real)
    claims["prolific"]["participant_id"] = "other"
    changed = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    forged = {
        "alg none": _unsigned(real),
        "HMAC": _by_hmac_with_the_public_key(signer, real),
        "another key": stranger.token(),
        "changed": f"{head}.{changed}.{signature}",
        "for another server": signer.token(aud="https://elsewhere.example"),
        "for any machine": signer.token(aud="https://localhost"),
        "for any machine by its address": signer.token(aud=["https://127.0.0.1", "localhost"]),
        "of no study": signer.token(prolific={"participant_id": "p1", "submission_id": "e1"}),
        "for nobody": signer.token(aud=None),
        "without end": signer.token(exp=None),
        "without a person": signer.token(prolific={"workspace_id": "w"}),
        "no claim": signer.token(prolific="p1"),
        "not yet": signer.token(nbf=time.time() + 3600),
        "no token": "abc",
        "long": "a" * 9_000,
        "not text": "\x00.é.",
    }
    assert {name: why(study, token) for name, token in forged.items()} == dict.fromkeys(forged, "unsigned")
    assert not Participant.objects.exists()
    assert why(study, real) == "entered"


def test_a_token_runs_out_and_says_so_and_who_is_in_already_goes_on(signer: Signer, study: Study) -> None:
    old = signer.token("late", exp=time.time() - 3600)
    assert why(study, old) == "expired"
    page = Client().get(f"/rating/?prolific_token={old}")
    assert "open the study again from the platform to get" in page.content.decode()
    client = Client()
    token = signer.token("p2", exp=time.time() + 1)
    assert client.post(f"/rating/?prolific_token={token}").headers["Location"] == "/rating/step/"
    same = signer.token("p2", exp=time.time() - 3600)
    assert client.post(f"/rating/?prolific_token={same}").headers["Location"] == "/rating/step/"


def test_a_token_lets_in_once_and_a_new_one_of_the_same_person_leads_back(
    signer: Signer, study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = signer.token("p1")
    assert why(study, token) == "entered"
    assert why(study, token) == "resumed"  # a double click
    monkeypatch.setattr(entering, "SAME_CLICK_S", -1.0)
    assert why(study, token) == "taken"  # somebody who got hold of the address
    again = signer.token("p1", iat=time.time() + 5)
    assert why(study, again) == "resumed"
    assert why(study, again) == "taken"
    assert Participant.objects.count() == 1


def test_a_token_of_another_study_of_ours_lets_nobody_in(signer: Signer) -> None:
    study = running(platform={**SIGNED, "study_id": "s2"})
    assert why(study, signer.token(study="s1")) == "unsigned"
    assert why(study, signer.token(study="s2")) == "entered"


def test_the_study_at_prolific_is_known_from_the_draft(signer: Signer, study: Study) -> None:
    PlatformRequest.objects.create(
        study=study, kind="draft", key="rating", state="confirmed", remote_id="s7", by="test"
    )
    assert why(study, signer.token("p1", study="s1")) == "unsigned"
    assert why(study, signer.token("p2", study="s7")) == "entered"


PARAMETERS = {
    "prolific": {"PROLIFIC_PID": "a1", "SESSION_ID": "e1", "STUDY_ID": "s1"},
    "mturk": {"workerId": "a1", "assignmentId": "e1", "hitId": "h1"},
    "connect": {"participantId": "a1", "assignmentId": "e1", "projectId": "j1"},
    "sona": {"id": "a1"},
    "generic": {"participant": "a1"},
}
TEMPLATES = (
    "{{%%%s%%}}",
    "{%%%s%%}",
    "{{%s}}",
    "${%s}",
    "${e://Field/%s}",
    "%%%s%%",
    "[%%%s%%]",
    "<%s>",
    "%s",
    "%%7B%s%%7D",
)


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_link_that_the_platform_did_not_fill_in_is_an_incomplete_link(name: str) -> None:
    study = running(platform={"name": name})
    for parameter in PARAMETERS[name]:
        for written in [*(each % parameter for each in TEMPLATES), "undefined", "null", "%SURVEY_CODE%"]:
            for _ in range(2):
                assert why(study, **PARAMETERS[name] | {parameter: written}) == "no_id", (parameter, written)
    assert not Participant.objects.exists()
    assert why(study, **PARAMETERS[name]) == "entered"
    submit = {"turkSubmitTo": "https://www.mturk.com/?a=%7B1%7D"}
    assert why(study, **PARAMETERS[name] | {next(iter(PARAMETERS[name])): "a2"} | submit) == "entered"


def test_a_forged_token_is_refused_where_unsigned_links_are_taken_too(signer: Signer) -> None:
    study = running(platform={"name": "prolific"})
    assert why(study, "abc", PROLIFIC_PID="p1") == "unsigned"
    assert why(study, PROLIFIC_PID="p1") == "entered"


def test_keys_are_kept_and_read_again_for_a_new_one_but_not_for_every_made_up_one(
    signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr("trialogue.study.services.entering.time", SimpleNamespace(monotonic=lambda: clock[0]))
    keys = PublishedKeys(signer.address)
    assert keys.key("first") is not None
    keys.key("first")
    assert signer.requests == 1
    for number in range(50):
        with pytest.raises(LookupError):
            keys.key(f"made up {number}")
    assert signer.requests == 1  # within a minute of the last reading
    signer.rotate("second")
    clock[0] += entering.AGAIN_S
    assert keys.key("second") is not None
    with pytest.raises(LookupError):
        keys.key("first")  # withdrawn
    assert signer.requests == 2
    clock[0] += entering.FRESH_S
    keys.key("second")
    assert signer.requests == 3  # at least daily
    signer.broken = True
    clock[0] += entering.FRESH_S
    assert keys.key("second") is not None  # what was read before is good for some days
    clock[0] += entering.STALE_S
    with pytest.raises(LookupError):
        keys.key("second")
    assert not keys.readable


def test_where_keys_cannot_be_read_people_are_asked_to_try_again(signer: Signer, study: Study) -> None:
    signer.broken = True
    token = signer.token()
    assert why(study, token) == "unchecked"
    page = Client().get(f"/rating/?prolific_token={token}")
    assert "try again in a minute" in page.content.decode()


def test_keys_come_by_https_only() -> None:
    with pytest.raises(UsageError, match="https"):
        PublishedKeys("http://evil.example/keys")
