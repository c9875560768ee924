"""Time: kept in UTC whatever the clocks on the wall do, and harmless when it goes back or when much of it passes."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from tests.study.pages.studies import Form, entered, running, sent, source
from tests.study.test_services import counted
from tests.study.walking import answers, now_at, send, walk
from tests.study.walking import entered as somebody
from tests.study.walking import running as study_of_services
from trialogue.study.bots.__main__ import Clock, patched_time
from trialogue.study.models import Assignment, Study, Submission
from trialogue.study.pages.steps import parse_events
from trialogue.study.services import steps
from trialogue.study.services.rows import read_token
from trialogue.study.services.validity import evidence_of

pytestmark = pytest.mark.usefixtures("store")
SUMMER_ENDS = datetime(
    2026, 10, 25, 0, 59, 50, tzinfo=UTC
)  # in Berlin 2:59:50 summer time; ten seconds later it is 2:00
SUMMER_BEGINS = datetime(2026, 3, 29, 0, 59, 50, tzinfo=UTC)  # in Berlin 1:59:50; ten seconds later it is 3:00


@pytest.fixture
def clock() -> Iterator[Clock]:
    """A clock that a test sets."""
    clock = Clock()
    with patched_time(clock):
        yield clock


@pytest.mark.parametrize("start", [SUMMER_ENDS, SUMMER_BEGINS], ids=["back", "forth"])
def test_half_a_minute_is_half_a_minute_when_the_clocks_change(start: datetime, clock: Clock) -> None:
    person = somebody(study_of_services(lease_minutes=60))
    walk(person, until="task")
    clock.start = start
    step = now_at(person)
    clock.seconds += 30
    assert send(person, step).kind == "stored"
    stored = Submission.objects.get(step="task:1")
    assert (stored.seconds, stored.received_at.isoformat()) == (30.0, (start + timedelta(seconds=30)).isoformat())
    held = Assignment.objects.filter(state="leased").first()
    assert held is not None
    assert timedelta(minutes=60) <= held.lease_until - start <= timedelta(minutes=62)  # and not an hour more or less


def test_a_clock_that_was_set_back_tells_no_time_and_the_browsers_own_does(clock: Clock) -> None:
    person = somebody(study_of_services())
    walk(person, until="task")
    step = now_at(person)
    clock.seconds -= 3600
    events = parse_events('[["first_input", 900], ["submit", 41500]]')
    assert steps.submit(person, step.token, answers(step), events=events).kind == "stored"
    stored = Submission.objects.get(step="task:1")
    assert (stored.seconds, stored.client_seconds) == (None, 41.5)
    assert evidence_of(person).seconds == ()


def at_first_task(client: Client, study: Study) -> Form:
    """The form of the first task."""
    page = entered(client, study)
    while "r1-meaning" not in Form(source(page)).choices:
        page = sent(client, page)
    return Form(source(page))


def test_a_form_that_is_sent_again_a_day_later_changes_nothing_and_leads_to_where_its_sender_is(clock: Clock) -> None:
    study, client = running(lease_minutes=10_000), Client()
    form = at_first_task(client, study)
    here = client.post(form.action, {**form.filled(), "r1-meaning": "2"}, follow=True)
    clock.seconds += 24 * 3600
    there = client.post(form.action, {**form.filled(), "r1-meaning": "5"}, follow=True)
    assert there.status_code == 200
    assert read_token(Form(source(there)).hidden["token"]) == read_token(Form(source(here)).hidden["token"])  # type: ignore[arg-type]
    assert [each.answers["r1-meaning"] for each in Submission.objects.filter(step__startswith="task")] == [2]


def test_who_comes_back_after_days_goes_on_where_they_were(clock: Clock) -> None:
    study, client = running(), Client()
    form = at_first_task(client, study)
    clock.seconds += 5 * 24 * 3600  # leases have run out, and nobody else came
    page = client.get("/rating/step/")
    assert "r1-meaning" in Form(source(page)).choices  # type: ignore[arg-type]
    assert client.post(form.action, form.filled()).status_code == 302
    assert Submission.objects.filter(step="task:1").count() == 1
    assert counted(study)
