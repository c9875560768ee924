"""The operator who starts a server gets a link in the terminal by which the first member of staff comes in, once."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.study.pages.studies import running
from trialogue.errors import DataError
from trialogue.study.design.reading import RESERVED, study_of
from trialogue.study.services import staff_access

pytestmark = pytest.mark.usefixtures("store")
FORM = {"username": "maria", "password": "correct horse battery staple", "again": "correct horse battery staple"}


def test_the_link_makes_one_login_that_may_do_everything_and_works_once() -> None:
    running()
    token = staff_access.first_login()
    client, late = Client(), Client()
    assert "The first staff login" in client.get(f"/staff/first/{token}/").content.decode()
    assert late.get(f"/staff/first/{token}/").status_code == 200
    assert client.post(f"/staff/first/{token}/", FORM).headers["Location"] == "/staff/"
    assert client.get("/staff/rating/").status_code == 200
    assert client.get("/staff/rating/lists/approve.csv").status_code == 200
    assert client.post("/staff/rating/state/", {"state": "paused"}).status_code == 302
    assert late.post(f"/staff/first/{token}/", FORM | {"username": "eve"}).status_code == 404
    assert late.get(f"/staff/first/{token}/").status_code == 404
    assert [user.username for user in User.objects.all()] == ["maria"]
    assert staff_access.first_login() == ""


@pytest.mark.parametrize("change", [{"again": "another"}, {"password": "short", "again": "short"}, {"username": " "}])
def test_what_will_not_do_makes_no_login_and_the_link_still_works(change: dict[str, str]) -> None:
    token = staff_access.first_login()
    page = Client().post(f"/staff/first/{token}/", FORM | change)
    assert page.status_code == 422
    assert 'role="alert"' in page.content.decode()
    assert not User.objects.exists()
    assert Client().post(f"/staff/first/{token}/", FORM).status_code == 302


@pytest.mark.parametrize("token", ["x", "ImEi:1:x"])
def test_a_made_up_link_leads_nowhere(token: str) -> None:
    assert Client().get(f"/staff/first/{token}/").status_code == 404
    assert Client().post(f"/staff/first/{token}/", FORM).status_code == 404
    assert not User.objects.exists()


def test_a_link_is_good_for_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    token = staff_access.first_login()
    monkeypatch.setattr(staff_access, "FIRST_S", -1)
    assert Client().post(f"/staff/first/{token}/", FORM).status_code == 404


@pytest.mark.parametrize("name", RESERVED)
def test_a_study_cannot_have_an_address_of_the_server_itself(name: str) -> None:
    with pytest.raises(DataError, match=f"/{name}/ is a page of the server"):
        study_of(
            {
                "study": name,
                "title": "x",
                "type": "rating",
                "criteria": [{"name": "a", "question": "b", "scale": ["1", "2"]}],
            }
        )
