"""Those who run a study: each sees and does what their role allows, and everything that they do is in the log."""

import csv
import io
import re

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.http import HttpResponse
from django.test import Client

from tests.study.hostile import HOSTILE
from tests.study.pages.studies import Form, entered, running, sent, source, walked
from trialogue.study.design.platforms import signed_link
from trialogue.study.models import Adjudication, Audit, Coding, Participant, Study, Submission
from trialogue.study.services import leaving

pytestmark = pytest.mark.usefixtures("database")
PAGES = ["", "rating/", "rating/people/", "rating/log/"]


def member(name: str = "maria", *permissions: str) -> Client:
    """A member of staff, logged in."""
    user = User.objects.create_user(name, password="open sesame", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


def text(client: Client, path: str) -> str:
    response = client.get(path, follow=True)
    assert response.status_code == 200, path
    return source(response)  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [*PAGES, "rating/labels/", "rating/explanations/", "rating/lists/approve.csv"])
def test_a_page_of_staff_leads_strangers_to_the_login_and_keeps_others_out(path: str) -> None:
    running()
    assert Client().get(f"/staff/{path}").headers["Location"].startswith("/staff/login/?next=")
    User.objects.create_user("guest", password="x")
    guest = Client()
    guest.force_login(User.objects.get(username="guest"))
    assert guest.get(f"/staff/{path}").status_code == 403


def test_roles_allow_looking_exporting_and_managing() -> None:
    running()
    looks, exports, manages = member("a"), member("b", "export_study"), member("c", "manage_study")
    for path in PAGES:
        assert looks.get(f"/staff/{path}", follow=True).status_code == 200
    lists, state = "/staff/rating/lists/approve.csv", "/staff/rating/state/"
    assert [each.get(lists).status_code for each in (looks, exports, manages)] == [403, 200, 403]
    sent_by = [each.post(state, {"state": "paused"}).status_code for each in (looks, exports, manages)]
    assert sent_by == [403, 403, 302]
    assert Study.objects.get().state == "paused"
    assert looks.get("/staff/rating/labels/").status_code == 403
    assert 'name="state"' not in text(looks, "/staff/rating/")
    assert Audit.objects.filter(who="c").count() == 1
    assert "state: paused" in text(looks, "/staff/rating/log/")


def test_only_sensible_changes_of_state_are_made() -> None:
    running()
    boss = member("boss", "manage_study")
    for state in ("draft", "nonsense", "running"):
        boss.post("/staff/rating/state/", {"state": state})
        assert Study.objects.get().state == "running"


def test_guessing_passwords_is_slowed_down() -> None:
    User.objects.create_user("maria", password="open sesame", is_staff=True)
    client = Client()
    codes = [client.post("/staff/login/", {"username": "maria", "password": "guess"}).status_code for _ in range(11)]
    assert codes == [403] * 10 + [429]
    right = client.post("/staff/login/", {"username": "maria", "password": "open sesame"})
    assert right.status_code == 429
    assert int(right.headers["Retry-After"]) > 0


def test_a_name_written_in_another_way_is_no_new_name_to_guess_with() -> None:
    User.objects.create_user("maria", password="open sesame", is_staff=True)
    names = ["maria", " maria", "maria ", "\uff4daria", "m\uff41ria"] * 2  # full-width letters mean the same to Django
    codes = [Client().post("/staff/login/", {"username": name, "password": "guess"}).status_code for name in names]
    assert codes == [403] * 10
    assert Client().post("/staff/login/", {"username": "mari\uff41", "password": "open sesame"}).status_code == 429


def test_the_login_leads_on_within_this_site_only() -> None:
    User.objects.create_user("maria", password="open sesame", is_staff=True)
    given = {"username": "maria", "password": "open sesame"}
    assert Client().post("/staff/login/", {**given, "next": "https://evil.example/"}).headers["Location"] == "/staff/"
    assert Client().post("/staff/login/", {**given, "next": "/staff/x/"}).headers["Location"] == "/staff/x/"


def test_the_overview_counts_people_items_and_agreement() -> None:
    study = running(items=2, raters_per_item=3)
    for _ in range(2):
        walked(Client(), study)
    refuses = Client()
    sent(refuses, entered(refuses, study), agree="no")
    shown = text(member(), "/staff/rating/")
    assert re.search(r"Arrived</th><td class=\"number\"><b>3</b>.*1 did not consent", shown, re.DOTALL)
    assert re.search(r"Completed</th><td class=\"number\"><b>2</b>", shown)
    assert "2 items; 4 of 6 answers count" in shown
    assert "all ratings have the same value" in shown


def test_the_overview_shows_numbers_that_were_asked_about_items() -> None:
    asked = {"number": {"low": 0, "high": 99}, "required": False}
    known, tries = ({"name": name, "question": f"{name}?", **asked} for name in ("films_known", "tries"))
    study = running(items=1, items_per_participant=1, questions=[known, tries], raters_per_item=3)
    assert re.search(r">films known</th><td class=\"number\">0</td>.*?No answers yet", text(member(), "/staff/rating/"))
    for number in ("3", "40"):
        walked(Client(), study, films_known=number, tries="")
    shown = text(member("b"), "/staff/rating/")
    row = r'films known</th><td class="number">2</td><td class="number"><b>21.5</b></td><td class="number">3 – 40</td>'
    assert re.search(row, shown)  # (3 + 40) / 2
    assert re.search(r">tries</th><td class=\"number\">0</td>", shown)


def test_who_came_by_a_link_that_nobody_signed_is_distinguished_from_who_came_by_one_of_ours() -> None:
    study = running(platform={"name": "sona"}, items=8)
    link = signed_link("/rating/", study="rating", person="p1", key=settings.SECRET_KEY)
    signed, unsigned = Client(), Client()
    entered(signed, study, "?" + link.partition("?")[2])
    entered(unsigned, study, "?id=anybody")
    shown = text(member(), "/staff/rating/people/")
    known = dict(Participant.objects.values_list("signed", "code"))
    for was_signed, words in ((True, "signed link"), (False, "unsigned link with an ID")):
        assert re.search(rf"<code>{known[was_signed]}</code></a></th>.*?<td class=\"hint\">{words}</td>", shown)
        assert f"<dt>{words}</dt><dd>1</dd>" in shown
    assert "is not verified: anyone" in shown
    assert "anybody</td>" not in shown  # the id itself is in lists for those who can export
    leaving.erase(study, "anybody", who="boss")
    after = text(member("b"), "/staff/rating/people/")
    assert "unsigned link" not in after
    assert "is not verified: anyone" not in after


def test_evidence_is_shown_and_excludes_nobody() -> None:
    study, client = running(items=8, items_per_participant=6), Client()
    page = entered(client, study)
    while "token" in Form(source(page)).hidden:
        form = Form(source(page))
        posted = {**form.filled(), "events": '[["paste", 10], ["hidden", 20]]'}
        page = client.post(form.action, posted, follow=True)  # type: ignore[assignment]
    shown = text(member(), "/staff/rating/people/")
    for each in ("the same answer 18 times", "pasted", "s for a task", "straight lining"):
        assert each in shown
    assert Participant.objects.get().state == "completed"


@pytest.mark.parametrize("name", ["approve", "bonus"])
def test_lists_hold_platform_ids_and_no_formula_and_are_logged(name: str) -> None:
    study = running(platform={"name": "prolific"})
    for person in ("=cmd|x", "5f3"):
        client = Client()
        page = entered(client, study, f"?PROLIFIC_PID={person}&SESSION_ID=%2B1")
        while "token" in Form(source(page)).hidden:
            page = sent(client, page)
    response = member("b", "export_study").get(f"/staff/rating/lists/{name}.csv")
    rows = list(csv.DictReader(io.StringIO(source(response))))  # type: ignore[arg-type]
    assert [row["platform_id"] for row in rows] == ["'=cmd|x", "5f3"]
    assert [row["session_id"] for row in rows] == ["'+1", "'+1"]
    assert Audit.objects.get(what=f"list:{name}").detail == {"rows": 2}
    assert member("d", "export_study").get("/staff/rating/lists/others.csv").status_code == 404


def test_labels_that_differ_are_decided_once_and_kept_beside_the_others() -> None:
    study = running("labelling", items=1, items_per_participant=1)
    for label in ("credibility", "similarity"):
        walked(Client(), study, label=label)
    boss = member("boss", "manage_study")
    page: HttpResponse = boss.get("/staff/labelling/labels/")  # type: ignore[assignment]
    assert "Annotator 1</dt><dd>Credibility" in source(page)
    assert "1 to decide, 0 decided" in source(page)
    german = source(boss.get("/staff/labelling/labels/", headers={"accept-language": "de"}))  # type: ignore[arg-type]
    assert "Glaubwürdigkeit" in german
    assert "Credibility" not in german
    assert "choose one of the labels" in source(boss.post("/staff/labelling/labels/", {"key": "1", "decision": "x"}))  # type: ignore[arg-type]
    key = Form(re.sub(r"<form.*?</form>", "", source(page), count=1, flags=re.DOTALL)).hidden["key"]
    after = boss.post("/staff/labelling/labels/", {"key": key, "decision": "credibility"}, follow=True)
    assert "0 to decide, 1 decided" in source(after)  # type: ignore[arg-type]
    assert Adjudication.objects.get().answers == {"label": "credibility"}
    assert Submission.objects.filter(answers__label="similarity").count() == 1
    assert Audit.objects.filter(what="adjudicated", who="boss").count() == 1


def test_explanations_are_coded_by_two_people_who_do_not_see_each_other() -> None:
    study = running("realism", items=2, items_per_participant=2, raters_per_item=1)
    walked(Client(), study)
    coders = [member(name, "manage_study") for name in ("ann", "bob", "cem")]
    for coder, codes in zip(coders[:2], (["emotion"], ["emotion", "length"]), strict=True):
        for submission in Submission.objects.filter(step__startswith="task"):
            page = text(coder, "/staff/realism/explanations/")
            assert "checked" not in page
            coder.post("/staff/realism/explanations/", {"key": submission.pk, "decision": [*codes, "nonsense"]})
    assert sorted(Coding.objects.values_list("by", flat=True)) == ["ann", "ann", "bob", "bob"]
    assert "nonsense" not in str(list(Coding.objects.values_list("codes", flat=True)))
    first = Submission.objects.filter(step__startswith="task").first()
    assert first
    coders[2].post("/staff/realism/explanations/", {"key": first.pk, "decision": ["length"]})
    assert Coding.objects.count() == 4
    assert "kappa between the two coders" in text(coders[0], "/staff/realism/explanations/")


def test_nothing_hostile_that_people_wrote_becomes_a_tag_on_pages_of_staff() -> None:
    wanted = "\n".join(HOSTILE)
    study = running("realism", items=1, items_per_participant=1, raters_per_item=1, title=HOSTILE[0], text=wanted)
    client = Client()
    walked(client, study, reason=wanted)
    boss = member(HOSTILE[0][:20], "manage_study", "export_study")
    for path in ("", "realism/people/", "realism/explanations/", "realism/log/"):
        shown = text(boss, f"/staff/{path}")
        assert not re.search(r"<script>|<img|<svg/|<iframe|<style>|<base|<b onclick|<mark onclick", shown)
    assert "&lt;script&gt;window.harmed=1" in text(boss, "/staff/realism/explanations/")
