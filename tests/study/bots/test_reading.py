"""What bots read from pages, and what they make of it."""

import numpy as np
import pytest

from trialogue.study.bots.page import Knowledge, Page, parse
from trialogue.study.bots.people import Bot, Kind, Taste, point
from trialogue.study.bots.simulation import kinds_of
from trialogue.study.design.items import Message, RatingItem

ITEM = RatingItem(
    key="one",
    context=(Message(speaker="user", text='A film like  "Heat" & <co>?'),),
    responses={"fine": "Try it.", "poor": ""},
)
FORM = """
<h1>Rate</h1><form method="post" action="/s/step/"><input type="hidden" name="token" value="t:1">
<section class="situation"><ol><li>
<div class="bubble" dir="auto">A film like <mark>&quot;Heat&quot;</mark> &amp; &lt;co&gt;?</div></li></ol></section>
<section class="card"><div class="bubble" dir="auto"><span class="silent">(empty message)</span></div>
<fieldset><legend>Good?</legend>
<label for="a"><input id="a" type="radio" name="r1-good" value="1" required><bdi>No</bdi></label>
<label for="b"><input id="b" type="radio" name="r1-good" value="2"><bdi>Yes</bdi></label></fieldset></section>
<section class="card"><div class="bubble" dir="auto">{second}</div>
<fieldset><legend>Good?</legend><label for="c"><input id="c" type="radio" name="r2-good" value="1"><bdi>No</bdi></label>
<label for="d"><input id="d" type="radio" name="r2-good" value="2"><bdi>Yes</bdi></label></fieldset></section>
<label for="e">Why?</label><textarea id="e" name="why" data-least="30" maxlength="40" required></textarea>
<button type="submit" name="act" value="go">Go</button><button type="submit" disabled>Stop</button></form>"""
CHECK = "This reply is an attention check: please choose &quot;No&quot; for every question."


def bot(kind: Kind) -> Bot:
    rng = np.random.default_rng(0)
    return Bot(1, kind, Taste({"fine": 50.0, "poor": -50.0}, 0, rng), Knowledge([ITEM]), rng)


def test_a_page_is_read_as_people_see_it() -> None:
    page = Page(FORM.format(second="Try it."))
    assert page.heading == "Rate"
    assert page.context == ('A film like "Heat" & <co>?',)
    assert page.sides == (("",), ("Try it.",))
    form = page.forms[0]
    assert form.hidden == (("token", "t:1"),)
    assert form.buttons == (("act", "go"),)
    assert [(each.name, each.kind, each.required) for each in form.asked] == [
        ("r1-good", "radio", True),
        ("r2-good", "radio", False),
        ("why", "text", True),
    ]
    assert [option.label for option in form.asked[0].options] == ["No", "Yes"]


def test_a_form_sends_what_a_browser_would() -> None:
    form = Page(FORM.format(second="Try it.")).forms[0]
    assert form.fill({"r1-good": "1", "films": ["a", "b"]}) == [
        ("token", "t:1"),
        ("r1-good", "1"),
        ("films", "a"),
        ("films", "b"),
        ("act", "go"),
    ]


def test_systems_are_known_by_their_words_only() -> None:
    knows = Knowledge([ITEM])
    assert knows.systems_on(Page(FORM.format(second="Try it."))) == [{"poor"}, {"fine"}]
    assert knows.systems_on(Page(FORM.format(second="Something else."))) == [{"poor"}, frozenset()]


def test_an_attentive_one_answers_by_preference_and_writes_as_much_as_is_asked_for() -> None:
    page = Page(FORM.format(second="Try it."))
    sent = bot("attentive").answers(page, page.forms[0].asked)
    assert (sent["r1-good"], sent["r2-good"]) == ("1", "2")
    assert 30 <= len(sent["why"]) <= 40


@pytest.mark.parametrize(("kind", "texts"), [("attentive", 2), ("obedient", 1), ("straight", 1)])
def test_who_reads_and_cares_writes_something_else_of_each_page(kind: Kind, texts: int) -> None:
    pages = [Page(FORM.format(second=second)) for second in ("Try it.", "Something else.")]
    assert len({str(bot(kind).answers(page, page.forms[0].asked)["why"]) for page in pages}) == texts


@pytest.mark.parametrize("kind", ["attentive", "obedient"])
def test_who_reads_obeys_a_check(kind: Kind) -> None:
    page = Page(FORM.format(second=CHECK))
    sent = bot(kind).answers(page, page.forms[0].asked)
    assert (sent["r1-good"], sent["r2-good"]) == ("1", "1")


def test_a_straight_liner_takes_the_first_point_whatever_is_said() -> None:
    page = Page(FORM.format(second=CHECK.replace("No", "Yes")))
    sent = bot("straight").answers(page, page.forms[0].asked)
    assert (sent["r1-good"], sent["r2-good"]) == ("1", "1")


def test_a_check_is_no_check_where_it_only_quotes_a_title() -> None:
    page = Page(FORM.format(second="Pay attention to &quot;Heat&quot;!"))
    assert bot("attentive")._demanded_label(page, page.forms[0].asked) == ""


def test_tags_that_are_not_closed_harm_nobody() -> None:
    assert parse("<ul><li>one<li>two</ul></p><p>three").text == "one two three"


def test_points_are_equally_likely_for_somebody_without_an_opinion() -> None:
    rng = np.random.default_rng(0)
    points = [point(float(each), 5) for each in rng.logistic(size=20_000)]
    shares = np.bincount(points, minlength=6)[1:] / len(points)
    assert shares == pytest.approx([0.2] * 5, abs=0.015)  # 5 standard errors of sqrt(.2 * .8 / 20000) = .0028


def test_sides_are_preferred_by_the_difference_of_their_effects() -> None:
    taste = Taste({"fine": 50.0, "poor": -50.0}, 0, np.random.default_rng(0))
    assert (taste.side(["poor"], ["fine"]), taste.side(["fine"], ["poor"])) == ("2", "1")
    assert taste.side(["fine", "poor"], []) in ("1", "same", "2")


def test_labels_are_wrong_as_often_as_they_should_be() -> None:
    taste = Taste({}, 0, np.random.default_rng(0), errors=0.2)
    labels = [taste.label("a", "text", ["a", "b", "c"]) for _ in range(5_000)]
    assert labels.count("a") / 5_000 == pytest.approx(
        0.8, abs=0.03
    )  # 5 standard errors of sqrt(.8 * .2 / 5000) = .0057


def test_kinds_are_as_many_as_the_shares_say() -> None:
    kinds = kinds_of(60, {"drop_out": 0.1, "careless": 0.1}, seed=3)
    assert (kinds.count("drop_out"), kinds.count("careless"), kinds.count("attentive")) == (6, 6, 48)
    assert kinds != kinds_of(60, {"drop_out": 0.1, "careless": 0.1}, seed=4)
