"""Somebody walks through a study of every type: nothing is revealed, nothing is lost, nothing is stored twice."""

import re

import pytest
from django.test import Client

from tests.study.hostile import HOSTILE
from tests.study.pages.studies import Form, entered, heading, running, sent, source, walked
from trialogue.study.models import ChatTurn, Event, Participant, Submission

TYPES = ["rating", "preference", "realism", "labelling", "chat"]
pytestmark = pytest.mark.usefixtures("database")


@pytest.mark.parametrize("kind", TYPES)
def test_somebody_comes_to_the_end_and_no_page_names_a_system_or_an_item(kind: str) -> None:
    study, client = running(kind), Client()
    pages = walked(client, study)
    assert heading(pages[-1]) == "Thank you!"
    person = Participant.objects.get()
    assert person.state == "completed"
    assert person.submissions.filter(step__startswith="task").count() == 2
    seen = "".join(source(page) for page in pages) + str(client.cookies)
    assert not re.search(r"secret-(one|two|three|item|simulator)|simulated|human:", seen)
    assert person.code not in seen
    assert "secret" not in "".join(page.request["PATH_INFO"] for page in pages)  # type: ignore[attr-defined]


def test_a_chat_is_saved_as_it_happens_with_what_was_said_of_each_turn() -> None:
    client = Client()
    walked(client, running("chat", items=1, items_per_participant=1))
    turns = list(ChatTurn.objects.filter(chat__number=1).values_list("speaker", "text", "answers"))
    first = [text for speaker, text, _ in turns if speaker == "user"]
    assert first == ["Because it fits the talk."] * 3
    assert [speaker for speaker, _, _ in turns] == ["user", "system"] * 3
    assert turns[1][2] == {"nice": 1}


def test_a_form_sent_twice_a_stale_tab_and_a_reload_store_one_answer() -> None:
    study, client = running(), Client()
    page = entered(client, study)
    while "r1-meaning" not in Form(source(page)).choices:
        page = sent(client, page)
    form = Form(source(page))
    after = [client.post(form.action, form.filled(), follow=True) for _ in range(3)]
    assert Submission.objects.filter(step__startswith="task").count() == 1
    assert len({re.sub(r'value="[^"]*"', "", source(each)) for each in after}) == 1  # type: ignore[arg-type]
    assert "r1-meaning" in source(after[0])  # type: ignore[arg-type]
    assert Submission.objects.filter(step="task:2").count() == 0


def test_what_is_missing_is_asked_for_again_and_what_was_given_is_kept() -> None:
    study, client = running(), Client()
    page = entered(client, study)
    while "r1-meaning" not in Form(source(page)).choices:
        page = sent(client, page)
    form = Form(source(page))
    again = client.post(form.action, {**form.hidden, "r2-meaning": "4", "r3-meaning": "9"})
    assert again.status_code == 422
    shown = source(again)  # type: ignore[arg-type]
    assert "2 answers are missing or must be changed" in shown
    assert "Reply 1: How meaningful is it?" in shown
    assert re.search(r'name="r2-meaning" value="4"[^>]* checked', shown)
    assert not Submission.objects.filter(step__startswith="task").exists()


def test_another_ones_token_is_refused() -> None:
    study, one, two = running(), Client(), Client()
    form = Form(source(entered(one, study)))
    entered(two, study)
    refused = two.post(form.action, form.filled())
    assert refused.status_code == 403
    assert "someone else" in source(refused)  # type: ignore[arg-type]
    forged = two.post(form.action, {**form.filled(), "token": "forged"})
    assert forged.status_code == 403
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "path", ["/rating/", "/rating/step/", "/rating/chat/", "/rating/leave/", "/rating/receipt/", "/staff/login/"]
)
def test_a_form_from_another_site_is_refused(path: str) -> None:
    running()
    client = Client(enforce_csrf_checks=True)
    refused = client.post(path, {"agree": "yes"})
    assert refused.status_code == 403
    assert "could not be verified" in source(refused)  # type: ignore[arg-type]
    assert not Participant.objects.exists()


def test_a_session_that_was_planted_is_worth_nothing_after_entry() -> None:
    study, client = running(), Client()
    client.session.save()
    session = client.session
    session["planted"] = 1
    session.save()
    before = session.session_key
    entered(client, study)
    assert client.session.session_key != before
    cookie = client.cookies["trialogue"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


def test_nobody_in_particular_is_led_to_the_beginning() -> None:
    running()
    assert Client().get("/rating/step/").headers["Location"] == "/rating/"
    assert Client().get("/nothing/").status_code == 404
    assert Client().get("/rating/chat/").status_code == 405


def test_who_does_not_agree_is_shown_out_and_stays_out() -> None:
    study, client = running(), Client()
    page = sent(client, entered(client, study), agree="no")
    assert heading(page) == "You are not taking part"
    assert heading(client.get("/rating/step/")) == "You are not taking part"  # type: ignore[arg-type]


def test_who_does_not_fit_is_screened_out_and_who_misreads_may_try_again() -> None:
    study, client = running(), Client()
    page = sent(client, entered(client, study))
    assert heading(sent(client, page, adult="no")) == "The study ends here"
    other = Client()
    page = entered(other, study)
    while "what" not in Form(source(page)).choices:
        page = sent(other, page)
    page = sent(other, page, what="films")
    assert "Some answers were not correct" in source(page)
    assert "Attempt 2 of 2" in source(page)
    assert heading(sent(other, page, what="films")) == "The study ends here"


def test_the_last_page_is_the_same_at_every_reload_and_the_receipt_deletes_everything() -> None:
    study, client = running(platform={"name": "prolific", "codes": {"completed": "C0DE"}}), Client()
    query = "?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x"
    page = entered(client, study, query)
    while "token" in Form(source(page)).hidden:
        page = sent(client, page)
    assert "https://app.prolific.com/submissions/complete?cc=C0DE" in source(page)
    assert source(client.get("/rating/step/")) == source(client.get("/rating/step/"))  # type: ignore[arg-type]
    receipt = re.search(r"<b>([0-9a-f]{4}(?:-[0-9a-f]{4}){3})</b>", source(page))
    assert receipt
    elsewhere = Client()
    assert elsewhere.post("/rating/receipt/", {"receipt": "0000-0000"}).status_code == 422
    assert heading(elsewhere.post("/rating/receipt/", {"receipt": receipt[1]})) == "Your answers are deleted"  # type: ignore[arg-type]
    assert not Submission.objects.exists()
    assert heading(client.get("/rating/step/")) == "You have left the study"  # type: ignore[arg-type]


def test_somebody_may_leave_at_any_step() -> None:
    study, client = running(), Client()
    sent(client, entered(client, study))
    page = client.get("/rating/leave/")
    assert "Leave and delete my answers" in source(page)  # type: ignore[arg-type]
    assert heading(client.post("/rating/leave/", follow=True)) == "You have left the study"  # type: ignore[arg-type]
    assert not Submission.objects.exists()


def test_a_link_without_an_id_and_a_full_paused_or_closed_study_are_reported_before_anything() -> None:
    study = running(platform={"name": "prolific"})
    query = "?PROLIFIC_PID=p1&SESSION_ID=x"
    assert heading(Client().get("/rating/")) == "This link is incomplete"  # type: ignore[arg-type]
    for state, messages in (("paused", "The study is paused"), ("closed", "The study is closed")):
        study.state = state
        study.save()
        assert heading(Client().get(f"/rating/{query}")) == messages  # type: ignore[arg-type]
    study.state = "running"
    study.save()
    study.items.update(taken=2)
    assert heading(Client().get(f"/rating/{query}")) == "All places are taken"  # type: ignore[arg-type]
    assert not Participant.objects.exists()


def test_the_same_person_finds_their_place_again_and_another_does_not_take_it() -> None:
    study = running(platform={"name": "prolific"})
    query = "?PROLIFIC_PID=p1&SESSION_ID=x"
    client = Client()
    sent(client, entered(client, study, query))
    assert "Continue where I left off" in source(client.get(f"/rating/{query}"))  # type: ignore[arg-type]
    assert heading(entered(Client(), study, query)) == "First, a few questions"
    assert heading(entered(Client(), study, "?PROLIFIC_PID=p1&SESSION_ID=y")) == "You have already taken part"
    assert Participant.objects.count() == 1


def test_mturk_shows_a_preview_a_door_in_its_frame_and_a_form_home() -> None:
    study, client = running(platform={"name": "mturk", "codes": {"completed": "C0DE"}}), Client()
    home = "&turkSubmitTo=https://workersandbox.mturk.com/"
    looked = client.get(f"/rating/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=h{home}")
    assert "This is a preview" in source(looked)  # type: ignore[arg-type]
    framed = client.get(f"/rating/?assignmentId=a&hitId=h&workerId=w{home}")
    assert "opens in a new tab" in source(framed)  # type: ignore[arg-type]
    assert "frame-ancestors https://www.mturk.com" in framed.headers["Content-Security-Policy"]
    assert "X-Frame-Options" not in framed.headers
    page = entered(client, study, f"?assignmentId=a&hitId=h&workerId=w{home}&open=1")
    while "token" in Form(source(page)).hidden:
        page = sent(client, page)
    assert Form(source(page)).action == "https://workersandbox.mturk.com/mturk/externalSubmit"
    evil = Client()
    page = entered(evil, study, "?assignmentId=a&hitId=h&workerId=v&turkSubmitTo=https://evil.example/&open=1")
    while "token" in Form(source(page)).hidden:
        page = sent(evil, page)
    assert "evil" not in source(page)


def test_a_recommender_that_is_down_is_reported_politely_and_who_stops_frees_the_place() -> None:
    down = {"agent": "http://127.0.0.1:9/", "protocol": "trialogue"}
    agents = {"secret-one": down, "secret-two": down}
    study = running("chat", agents=agents, items=1, items_per_participant=1)
    client = Client()
    page = entered(client, study)
    while "say" not in Form(source(page)).texts:
        page = sent(client, page)
    page = sent(client, page)
    assert "is not responding at the moment" in source(page)
    assert "Your message is saved" in source(page)
    form = Form(source(page))
    page = client.post("/chat/chat/", {**form.hidden, "act": "stop"}, follow=True)  # type: ignore[assignment]
    assert "This is our fault" in source(page)
    assert study.items.filter(kind="task").get().taken == 0


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_stored_as_they_are_and_shown_harmless(text: str) -> None:
    study, client = running(items=1, items_per_participant=1, phases=["tasks", "after", "exit"], text=text), Client()
    page = entered(client, study, f"?x={text[:20].replace('&', '')}")
    assert "<script>window" not in source(page)
    page = sent(client, page)
    form = Form(source(page))
    client.post(form.action, {**form.filled(), "remarks": text, "events": text})
    stored = Submission.objects.get(step="after:1").answers["remarks"]
    assert stored == text.strip()
    assert not Event.objects.filter(step="after:1").exists()


def test_headers_let_the_browser_load_nothing_from_elsewhere() -> None:
    running()
    response = Client().get("/rating/")
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["Referrer-Policy"] == "same-origin"


def test_who_is_too_fast_is_asked_to_wait() -> None:
    study, client = running(), Client()
    entered(client, study)
    codes = [client.get("/rating/step/").status_code for _ in range(245)]
    assert codes[0] == 200
    last = client.get("/rating/step/")
    assert last.status_code == 429
    assert 0 < int(last.headers["Retry-After"]) <= 60
