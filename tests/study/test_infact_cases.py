"""What lost or corrupted answers in INFACT (KaRS 2022), replayed on our pages: none of it can happen.

The eighth, a network fault while an answer is stored, is in ``test_unsaved``.
"""

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client

from tests.study.pages.studies import Form, entered, running, sent, source, walked
from trialogue.study.models import Assignment, Participant, Study, Submission
from trialogue.study.services import rows

pytestmark = pytest.mark.usefixtures("store")
RATED = "r1-meaning"


def at_task(client: Client, study: Study, query: str = "") -> HttpResponse:
    """The page of the first task."""
    page = entered(client, study, query)
    while RATED not in Form(source(page)).choices:
        page = sent(client, page)
    return page


def rated(person: Participant | None = None) -> dict[str, int]:
    """The first rating of each task, by step."""
    every = Submission.objects.filter(step__startswith="task").order_by("step")
    return {each.step: each.answers[RATED] for each in (every if person is None else every.filter(participant=person))}


def test_a_form_of_an_earlier_situation_is_never_filed_under_a_later_one() -> None:
    study, client = running(), Client()
    first = at_task(client, study)
    second = sent(client, first, **{RATED: "1"})
    sent(client, first, **{RATED: "5"})  # back button, sent again
    assert rated() == {"task:1": 1}
    sent(client, second, **{RATED: "4"})
    sent(client, second, **{RATED: "2"})  # sent twice
    assert rated() == {"task:1": 1, "task:2": 4}
    for each in Submission.objects.exclude(assignment=None).select_related("assignment"):
        assert each.assignment is not None
        assert each.step == f"task:{each.assignment.position}"


def test_a_rating_that_comes_to_another_process_or_after_a_restart_is_stored() -> None:
    study, client = running(), Client()
    page = at_task(client, study)
    cache.clear()
    rows._file.cache_clear()  # nothing is known from before
    sent(client, page, **{RATED: "3"})
    assert rated() == {"task:1": 3}


def test_reloads_show_the_same_page_and_the_address_of_the_study_leads_back_to_it() -> None:
    study, client = running(), Client()
    second = sent(client, at_task(client, study), **{RATED: "2"})
    for path in ("/rating/step/", "/rating/step/"):
        again = client.get(path)
        assert again.status_code == 200
        assert [line.strip() for line in source(again).splitlines() if "reply" in line] == [  # type: ignore[arg-type]
            line.strip() for line in source(second).splitlines() if "reply" in line
        ]
    back = entered(client, study)
    sent(client, back, **{RATED: "5"})
    assert rated() == {"task:1": 2, "task:2": 5}
    assert Participant.objects.count() == 1


def test_two_people_at_one_browser_do_not_overwrite_each_other() -> None:
    study, client = running(platform={"name": "prolific"}), Client()
    for place, name in enumerate(("one", "two"), start=1):
        page = at_task(client, study, f"?PROLIFIC_PID={name}&SESSION_ID={name}")
        sent(client, page, **{RATED: str(place)})
    assert [rated(person) for person in Participant.objects.order_by("number")] == [{"task:1": 1}, {"task:1": 2}]


def test_the_place_of_a_check_stays_and_it_comes_once() -> None:
    study, client = running(attention={"checks": 1}), Client()
    at_task(client, study)
    plan = list(Participant.objects.get().plan)
    entered(client, study)
    client.get("/rating/step/")
    walked(client, study)
    person = Participant.objects.get()
    assert person.plan == plan
    assert person.checks.filter(kind="attention").count() == 1
    assert person.state == "completed"


@pytest.mark.parametrize("text", ["it costs $5", "$", "a$b$c%s{0}", "{{ 7*7 }}"])
def test_no_sign_in_a_reply_breaks_the_page(text: str) -> None:
    study, client = running(text=text), Client()
    page = at_task(client, study)
    assert page.status_code == 200
    assert text in source(page)


@pytest.mark.parametrize("value", ["", "five", "0", "6", "3.5", "-1", "9999; =cmd|calc", "<script>", "٣"])
def test_a_rating_that_is_none_is_asked_for_again_and_never_stored(value: str) -> None:
    study, client = running(), Client()
    form = Form(source(at_task(client, study)))
    answer = client.post(form.action, {**form.filled(), RATED: value})
    assert answer.status_code == 422
    assert rated() == {}
    assert not Assignment.objects.filter(state="done").exists()
