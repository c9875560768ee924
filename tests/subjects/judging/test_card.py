"""The report card of a judge: what was planted is found, what cannot be known is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from trialogue.records import ReasonCode
from trialogue.render.document import Medium
from trialogue.render.media.papers import table_latex, table_markdown
from trialogue.stats.association.partial import partial_slope
from trialogue.subjects.judging.card import judge_card
from trialogue.subjects.judging.pages.document import card_table
from trialogue.subjects.judging.records import JudgeCard
from trialogue.subjects.judging.units import JudgedUnit

SYSTEMS = ("alpha", "beta", "gamma", "delta", "epsilon")


def world(
    *,
    each: int = 40,
    systems: tuple[str, ...] = SYSTEMS,
    verbosity: float = 0.0,
    kind_to: dict[str, float] | None = None,
    raters: int = 2,
    noise: float = 0.6,
    length_of_quality: float = 0.5,
    seed: int = 0,
) -> list[JudgedUnit]:
    """Quality by people on 0 to 4; a judge that sees it with error, and length, which goes with quality."""
    rng = np.random.default_rng(seed)
    units = []
    for place, system in enumerate(systems):
        for number in range(each):
            quality = float(rng.normal(1.2 + 0.4 * place, 0.7))
            log_length = 8 + length_of_quality * quality + float(rng.normal())
            said = 0.6 * quality + 0.8 + verbosity * (log_length - 8.8) + (kind_to or {}).get(system, 0.0)
            said += 0.3 * float(rng.normal())
            answers = tuple((f"r{who}", quality + noise * float(rng.normal())) for who in range(raters))
            key = (system, f"{system}-{number}", None, None)
            units.append(JudgedUnit(key, said, answers, None, None, round(2**log_length)))
    return units


def card(units: list[JudgedUnit], **more: Any) -> JudgeCard:
    given = {"judge": "j", "question": "overall", "level": "dialogue", "scale": (-9.0, 9.0), **more}
    return judge_card(units, **given)


def test_a_preference_for_length_is_found_and_none_is_not_invented() -> None:
    fair, biased = card(world()), card(world(verbosity=0.15))
    assert fair.verbosity.interval is not None
    assert biased.verbosity.interval is not None
    assert fair.verbosity.interval.contains(0.0)
    assert biased.verbosity.interval.contains(0.15)
    assert not biased.verbosity.interval.contains(0.0)


def test_raters_errors_do_not_pass_for_a_preference_for_length() -> None:
    """Quality goes with length; measured once with much noise, a part of it is credited to length.

    Moments within systems: quality .49, one label .49 + 1.44, length 1.1225, quality and length .245; the judge is .6 times
    quality. Given one label, the slope is (.147 x 1.93 - .294 x .245) / (1.93 x 1.1225 - .245^2) = .1005, and truly 0.
    """
    noisy: list[float] = []
    mended: list[float] = []
    for seed in range(3):
        units = world(each=60, noise=1.2, seed=seed)
        judge = [each.judge for each in units]
        length = np.log2([float(each.length or 1) for each in units])
        label = [each.answers[0][1] for each in units]
        names = [each.key[0] for each in units]
        for found, noise in ((noisy, 0.0), (mended, 1.44)):
            found.append(
                partial_slope(judge, length, label, groups=names, clusters=range(300), noise=noise).value or 0.0
            )
    assert np.mean(noisy) == pytest.approx(0.1005, abs=0.03)
    assert np.mean(mended) == pytest.approx(0.0, abs=0.04)


def test_the_slope_without_noise_is_that_of_least_squares() -> None:
    rng = np.random.default_rng(1)
    y, x, given = rng.normal(size=(3, 60))
    groups = ["a", "b", "c"] * 20
    found = partial_slope(y, x, given, groups=groups, clusters=range(60))
    dummies = np.array([[name == each for each in "abc"] for name in groups], dtype=float)
    expected = np.linalg.lstsq(np.column_stack([x, given, dummies]), y, rcond=None)[0][0]
    assert found.value == pytest.approx(expected)
    assert found.interval is not None
    twice = partial_slope(
        np.tile(y, 2), np.tile(x, 2), np.tile(given, 2), groups=groups * 2, clusters=[*range(60), *range(60)]
    )
    assert twice.interval is not None
    assert twice.interval.low == pytest.approx(found.interval.low)  # copies within a cluster are no more data


def test_leniency_is_by_system_and_that_to_the_own_family_is_apart() -> None:
    found = card(world(kind_to={"beta": 0.5}), family=["beta"])
    by_system = {each.system: each.leniency for each in found.leniency}
    # 0.6 q + 0.8 - q = 0.8 - 0.4 q, at q = 1.2, 1.6, ...
    for system, expected in zip(SYSTEMS, (0.32, 0.66, 0.0, -0.16, -0.32), strict=True):
        interval = by_system[system].interval
        assert interval is not None
        assert interval.contains(expected)
        assert interval.high - interval.low < 0.6
    own = found.self_preference
    assert own.interval is not None
    assert own.interval.contains(0.66 - float(np.mean([0.32, 0.0, -0.16, -0.32])))
    assert card(world()).self_preference.why is not None


def test_agreement_within_systems_and_between_them_are_not_mixed() -> None:
    units = world()
    rng = np.random.default_rng(5)
    means = {name: float(np.mean([u.judge for u in units if u.key[0] == name and u.judge])) for name in SYSTEMS}
    blind = [replace(each, judge=means[each.key[0]] + 0.1 * float(rng.normal())) for each in units]
    found = card(blind)
    within, between = (found.coefficient("spearman", scope) for scope in ("within", "between"))
    assert within is not None
    assert within.estimate.interval is not None
    assert within.estimate.interval.contains(0.0)
    assert between is not None
    assert (between.estimate.value or 0) > 0.9
    assert found.ceiling.ceiling is not None
    assert 0.8 < found.ceiling.ceiling < 0.97  # reliability of two: 2 r / (1 + r), its root


def test_scale_use_shows_how_much_of_the_scale_is_used() -> None:
    units = [
        JudgedUnit(("s", f"d{place}", None, None), 4.0 if place < 30 else 3.0, (("r", float(place % 5)),))
        for place in range(40)
    ]
    scale = card(units, scale=(0.0, 4.0)).scale
    assert scale is not None
    assert scale.judge_at_high == 0.75
    assert scale.people_at_high == scale.people_at_low == 0.2
    assert [(each.value, each.judge) for each in scale.shares] == [(0, 0), (1, 0), (2, 0), (3, 0.25), (4, 0.75)]


def test_too_few_labels_systems_or_texts_have_reasons_in_place_of_values() -> None:
    few = card(world(each=9, systems=SYSTEMS[:2]))
    codes = {each.estimate.why.code for each in few.agreement if each.estimate.why}
    assert codes == {ReasonCode.CARD_TOO_FEW_LABELS}
    assert few.verbosity.why is not None
    assert few.verbosity.why.code is ReasonCode.CARD_TOO_FEW_LABELS
    assert all(each.leniency.why and each.leniency.why.code is ReasonCode.TOO_FEW_LABELS for each in few.leniency)
    four = card(world(systems=SYSTEMS[:4])).coefficient("pearson", "between")
    assert four is not None
    assert four.estimate.why is not None
    assert four.estimate.why.code is ReasonCode.CARD_TOO_FEW_SYSTEMS
    textless = card([replace(each, length=None) for each in world()])
    assert textless.verbosity.why is not None
    assert textless.verbosity.why.code is ReasonCode.CARD_NO_TEXTS
    once = card([replace(each, answers=(("r0", each.answers[0][1]),)) for each in world()])
    assert once.ceiling.why is not None
    assert once.verbosity_noise is None
    assert once.verbosity.value is not None
    assert once.verbosity.interval is None
    assert once.verbosity.why == once.ceiling.why


def test_a_judge_on_another_scale_has_no_leniency_and_its_agreement_is_the_same() -> None:
    units = world()
    other = [replace(each, judge=100 + 50 * (each.judge or 0.0)) for each in units]
    found, plain = card(other, family=["beta"]), card(units)
    for estimate in (*(each.leniency for each in found.leniency), found.self_preference):
        assert estimate.why is not None
        assert estimate.why.code is ReasonCode.CARD_OTHER_SCALE
    assert found.agreement[0].estimate.value == pytest.approx(plain.agreement[0].estimate.value)


def test_missing_scores_are_counted_and_lower_agreement_and_order_does_not_matter() -> None:
    units = [replace(each, judge=None) if place % 4 == 0 else each for place, each in enumerate(world())]
    found = card(units)
    assert sum(each.unscored for each in found.leniency) == 50
    within = found.coefficient("pearson", "within")
    assert within is not None
    assert within.penalised is not None
    assert (within.penalised.value or 0) < (within.estimate.value or 0)
    again = card(list(reversed(units)))
    for one, other in zip(again.leniency, found.leniency, strict=True):
        assert one.leniency.value == pytest.approx(other.leniency.value)
    empty = card([replace(each, judge=None) for each in world(each=5)])
    assert empty.scored == 0
    assert empty.scale is None


def test_an_unknown_reliability_of_one_rating_is_not_shown_as_zero() -> None:
    found = card(world())
    ceiling = found.ceiling.model_copy(update={"ceiling": 0.9, "single": None, "raters": 2.0})
    cells = card_table(found.model_copy(update={"ceiling": ceiling})).cells(Medium.PAGE)
    assert [row[2] for row in cells.texts if row[0].startswith("ceiling")] == ["2.0 raters per dialogue"]


def test_the_card_in_tables_says_what_each_line_is_based_on() -> None:
    found = card(world(verbosity=0.15))
    table = card_table(found).cells(Medium.PAGE)
    rows = {row[0]: row for row in table.texts}
    assert "200 dialogues" in rows["score per doubling of length, at equal quality"][2]
    assert rows["leniency toward its own family, minus toward others"][1:] == (
        "—",
        "no system is declared to be of the judge's family",
    )
    assert rows["missing scores"][1] == "0.0%"
    assert rows["agreement within systems (Pearson)"][2] == "200 dialogues"
    assert rows["agreement between systems (Pearson)"][2] == "5 systems"
    assert table_latex(card_table(found)).count(r"\\") == len(table.rows) + 1
    assert table_markdown(card_table(found)).count("\n") == len(table.rows) + 2
    assert JudgeCard.model_validate_json(found.model_dump_json()) == found
