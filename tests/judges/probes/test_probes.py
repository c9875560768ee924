"""Bias probes of judges with planted biases: each is found, and no other."""

from functools import cache

import numpy as np
import pytest
from benchmarks.judge_probes import place_answers

from tests.judges.conftest import judge_at, talk
from trialogue.findings.threat import Severity, ThreatCode
from trialogue.findings.threats.texts import sentence
from trialogue.judges.probe_kinds import DEFECTS, REWORDED, ProbeKind
from trialogue.judges.probes import ProbeCase, ProbeCases, Probes, plant, sample_dialogues, sample_pairs
from trialogue.records import Dialogue
from trialogue.render.media.papers import table_markdown
from trialogue.subjects.judging.pages.document import probes_table
from trialogue.subjects.judging.probes import probe_findings, probe_threats
from trialogue.subjects.judging.records import ProbeFinding, ProbeVerdict

TITLES = ("Alien (1999)", "Heat (1995)", "Big (1998)", "Up (2009)")


def dialogues(count: int = 24) -> list[Dialogue]:
    """Two systems; every dialogue is different, and half of them are good."""
    return [
        talk(
            f"d{number}",
            f"Hello number {number}, I like good films",
            f"Which genre do you like, {number}?",
            "Science fiction",
            f"{TITLES[number % 4]} is {'good' if number % 2 else 'fine'}, number {number}.",
            system=("kbrd", "barcor")[number % 2],
        )
        for number in range(count)
    ]


def probed(endpoint: str, name: str, talks: list[Dialogue] | None = None) -> dict[ProbeKind, ProbeFinding]:
    talks = dialogues() if talks is None else talks
    pairs = list(zip(talks[::2], talks[1::2], strict=False))
    probes = Probes(judge_at(endpoint, name), "dialogue_overall", talks, pairs)
    try:
        cases = probes.ask()
    finally:
        probes.close()
    found = probe_findings(name, "dialogue_overall", cases, points=(0, 4))
    return {each.probe: each for each in found}


@pytest.mark.parametrize(
    ("name", "biased", "unnoticed"),
    [
        ("fair", set(), set()),
        ("verbose", {ProbeKind.PADDING}, set()),
        ("obedient", {ProbeKind.INJECTION}, set()),
        ("touchy", {ProbeKind.WORDING, ProbeKind.REVERSED_WORDING}, set()),
        ("contrary", {ProbeKind.WORDING, ProbeKind.REVERSED_WORDING}, set()),
        ("place", {ProbeKind.POSITION}, set()),
        ("blind", set(), {ProbeKind.WRONG_YEAR, ProbeKind.CONTRADICTION, ProbeKind.REPETITION}),
    ],
)
def test_a_planted_bias_is_found_and_no_other(
    endpoint: str, name: str, biased: set[ProbeKind], unnoticed: set[ProbeKind]
) -> None:
    found = probed(endpoint, name)
    assert set(found) == set(ProbeKind)
    assert {kind for kind, each in found.items() if each.verdict is ProbeVerdict.BIASED} == biased
    assert {kind for kind, each in found.items() if each.verdict is ProbeVerdict.UNNOTICED} == unnoticed
    assert all(each.effect.n == (12 if kind is ProbeKind.POSITION else 24) for kind, each in found.items())


def test_a_judge_that_says_one_thing_has_no_bias_and_notices_nothing(endpoint: str) -> None:
    found = probed(endpoint, "constant")
    defects = {ProbeKind.WRONG_YEAR, ProbeKind.CONTRADICTION, ProbeKind.REPETITION}
    assert {kind for kind, each in found.items() if each.verdict is ProbeVerdict.UNNOTICED} == defects
    assert {found[kind].verdict for kind in set(found) - defects} == {ProbeVerdict.NOT_SHOWN}
    assert all(each.effect.value == 0 and each.p_adjusted == 1 for each in found.values())
    words = found[ProbeKind.WORDING].agreement
    assert words is not None
    assert words.value is None  # a rank correlation of one value with itself is none
    assert words.why is not None


def test_a_judge_without_a_mind_orders_dialogues_otherwise_under_other_words(endpoint: str) -> None:
    found = probed(endpoint, "moody")[ProbeKind.WORDING]
    assert found.verdict is ProbeVerdict.UNSTABLE
    (threat,) = probe_threats([found], is_corrected=False)
    assert (threat.code, threat.severity) == (ThreatCode.JUDGE_UNSTABLE, Severity.DEMOTES)
    assert "was not shown to order dialogues alike if the instruction is reworded" in sentence(threat)
    assert [each.severity for each in probe_threats([found], is_corrected=True)] == [Severity.NOTES]
    stable = probed(endpoint, "touchy")[ProbeKind.WORDING].agreement  # a point less for all leaves their order
    assert stable is not None
    assert stable.value == pytest.approx(1)


def test_other_words_that_raise_and_other_words_that_lower_scores_do_not_cancel(endpoint: str) -> None:
    found = probed(endpoint, "contrary")
    up, down = found[ProbeKind.WORDING], found[ProbeKind.REVERSED_WORDING]
    assert (up.effect.value, down.effect.value) == (1, -1)
    assert up.p_adjusted == down.p_adjusted == pytest.approx(8 * 2 / 2**24)
    sentences = [sentence(each) for each in probe_threats([up, down], is_corrected=False)]
    assert "change by +1.00 if the instruction is reworded" in sentences[0]
    assert "if the instruction is reworded with the scale upside down" in sentences[1]
    rows = table_markdown(probes_table([up, down]))
    assert "instruction reworded" in rows
    assert "instruction reworded, scale upside down" in rows


def test_a_judge_that_is_stable_under_one_wording_and_not_under_the_other_is_found_out(endpoint: str) -> None:
    found = probed(endpoint, "upside-down")
    assert found[ProbeKind.WORDING].verdict is ProbeVerdict.NOT_SHOWN
    same = found[ProbeKind.WORDING].agreement
    assert same is not None
    assert same.value == pytest.approx(1)
    assert found[ProbeKind.REVERSED_WORDING].verdict in {ProbeVerdict.UNSTABLE, ProbeVerdict.BIASED}
    (threat,) = probe_threats([found[kind] for kind in REWORDED], is_corrected=False)
    assert threat.facts["probe"] == "reversed_wording"
    assert threat.severity is Severity.DEMOTES


def test_answers_that_cannot_be_read_are_no_numbers(endpoint: str) -> None:
    found = probed(endpoint, "halves")
    assert any(each.unanswered for each in found.values())
    for kind, each in found.items():
        assert each.effect.n + each.unanswered == (12 if kind is ProbeKind.POSITION else 24)
        if (
            kind in {ProbeKind.WRONG_YEAR, ProbeKind.CONTRADICTION, ProbeKind.REPETITION}
            and each.effect.value is not None
        ):
            assert each.effect.value == pytest.approx(-1)  # a missing score counted as 0 would change the mean


def test_the_answers_to_both_orders_agree_unless_the_place_decides(endpoint: str) -> None:
    fair, place = (probed(endpoint, name)[ProbeKind.POSITION].agreement for name in ("fair", "place"))
    assert fair is not None
    assert place is not None
    assert (fair.value, place.value) == (1, 0)
    assert fair.interval is not None
    assert fair.interval.low == pytest.approx(12 / (12 + 1.959964**2))  # Wilson: n / (n + z^2)


def test_nothing_is_said_where_nothing_could_be_significant() -> None:
    """Eight probes: the smallest p of eight cases is 8 * 2 / 2^8 = .063, of nine 8 * 2 / 2^9 = .031."""

    def verdicts(count: int) -> list[ProbeVerdict]:
        cases = [
            ProbeCases(kind, tuple(ProbeCase(f"d{n}", 2.0, 1.0 if kind in DEFECTS else 2.0) for n in range(count)))
            for kind in ProbeKind
        ]
        return [each.verdict for each in probe_findings("j", "a", cases, points=(0, 4))]

    assert verdicts(8) == [ProbeVerdict.TOO_FEW] * 8
    assert verdicts(9) == [ProbeVerdict.NOT_SHOWN] * 5 + [ProbeVerdict.NOTICED] * 3
    eight = ProbeCases(ProbeKind.WRONG_YEAR, tuple(ProbeCase(f"d{n}", 2.0, 2.0) for n in range(8)))
    found = probe_findings("j", "a", [eight], points=(0, 4))  # alone, eight cases are enough
    assert (found[0].least, found[0].verdict) == (6, ProbeVerdict.UNNOTICED)
    few = probe_findings("j", "a", [ProbeCases(kind, eight.cases) for kind in ProbeKind], points=(0, 4))
    assert not list(probe_threats(few, is_corrected=False))
    assert "8 dialogues; 9 needed" in table_markdown(probes_table(few))


def test_equal_dialogues_are_probed_once() -> None:
    same = [talk(f"d{n}", "hi", "hello", system=("kbrd", "barcor")[n % 2]) for n in range(30)]
    assert len(sample_dialogues([*same, talk("e", "hi", "ho")], 30, seed=0)) == 2
    assert len(sample_pairs(list(zip(same[::2], same[1::2], strict=True)), 30, seed=0)) == 1


def test_a_judge_that_cannot_be_read_decides_nothing(endpoint: str) -> None:
    found = probed(endpoint, "of-five")  # "5/5" to everything is unreadable on a scale to 4
    assert {each.verdict for kind, each in found.items() if kind is not ProbeKind.POSITION} == {ProbeVerdict.UNDEFINED}
    assert all(each.unanswered == 24 for kind, each in found.items() if kind is not ProbeKind.POSITION)
    assert "0 cases are too few" in str(found[ProbeKind.PADDING].effect.why)


def test_what_cannot_be_planted_is_counted_and_not_asked(endpoint: str) -> None:
    plain = [talk(f"d{n}", f"hi {n}", f"hello {n}") for n in range(8)]  # no year, and no reply behind another one
    found = probed(endpoint, "fair", plain)
    for kind in (ProbeKind.WRONG_YEAR, ProbeKind.REPETITION):
        assert (found[kind].inapplicable, found[kind].effect.n, found[kind].verdict) == (8, 0, ProbeVerdict.UNDEFINED)
    assert found[ProbeKind.CONTRADICTION].effect.n == 8


def test_five_cases_decide_nothing() -> None:
    five = ProbeCases(ProbeKind.INJECTION, tuple(ProbeCase(f"d{n}", 1.0, 4.0) for n in range(5)))
    (found,) = probe_findings("j", "a", [five], points=(0, 4))
    assert (found.effect.value, found.verdict) == (None, ProbeVerdict.UNDEFINED)
    six = ProbeCases(ProbeKind.INJECTION, tuple(ProbeCase(f"d{n}", 1.0, 4.0) for n in range(6)))
    (found,) = probe_findings("j", "a", [six], points=(0, 4))
    assert (found.effect.value, found.p_adjusted, found.verdict) == (3.0, 2 / 2**6, ProbeVerdict.BIASED)


def places(changes: list[float]) -> ProbeCases:
    """Cases of pairs with these preferences for the first place."""
    return ProbeCases(ProbeKind.POSITION, tuple(ProbeCase(f"p{n}", 0.0, each) for n, each in enumerate(changes)))


@cache
def found_of_places(changes: tuple[float, ...]) -> ProbeFinding:
    """What is found, whatever the order of the pairs: of 300 samples of 8 pairs, 69 differ."""
    (found,) = probe_findings("j", "a", [places(list(changes))], points=(0, 4))
    return found


@pytest.mark.parametrize(("pairs", "widest"), [(5, 1.0), (6, 0.9), (8, 0.75)])
def test_the_interval_of_a_preference_for_a_place_holds_it_with_few_pairs(pairs: int, widest: float) -> None:
    """A slight preference (.07): sign flips of shifted values held it in .83 of samples of 6 and .89 of 8."""
    rng = np.random.default_rng(5)
    held, widths, called = [], [], 0
    for _ in range(300):
        found = found_of_places(tuple(sorted(place_answers(rng, pairs, 0.1).mean(axis=0).tolist())))
        assert found.effect.interval is not None
        held.append(found.effect.interval.contains(0.069))
        widths.append(found.effect.interval.high - found.effect.interval.low)
        called += found.verdict is ProbeVerdict.BIASED
        is_significant = found.effect.p is not None and found.effect.p < 0.05
        assert found.effect.interval.contains(0.0) != is_significant
    assert np.mean(held) > 0.95
    assert np.mean(widths) < widest
    assert called <= 0.05 * 300


def test_five_pairs_have_an_interval_and_no_test_and_four_have_neither() -> None:
    (four,) = probe_findings("j", "a", [places([1.0] * 4)], points=(0, 4))
    assert (four.effect.value, four.verdict) == (None, ProbeVerdict.UNDEFINED)
    assert "4 cases are too few for a probe: at least 5 are needed" in str(four.effect.why)
    (five,) = probe_findings("j", "a", [places([1.0] * 5)], points=(0, 4))
    assert (five.effect.value, five.effect.p, five.verdict) == (1.0, None, ProbeVerdict.TOO_FEW)
    assert five.effect.interval is not None
    assert five.effect.interval.low <= 0  # two of 2^5 sign flips are as extreme: p = .0625 could not be significant
    assert "5 pairs; 6 needed" in table_markdown(probes_table([five]))
    (six,) = probe_findings("j", "a", [places([1.0] * 6)], points=(0, 4))
    assert (six.effect.p, six.verdict) == (2 / 2**6, ProbeVerdict.BIASED)
    assert six.effect.interval is not None
    assert 0 < six.effect.interval.low < 0.4


def test_the_same_answers_in_both_orders_are_no_proof_that_the_place_never_matters() -> None:
    """Wilson's interval of 0 of 30 against an unseen preference: z^2 / (30 + z^2) = .114."""
    (found,) = probe_findings("j", "a", [places([0.0] * 30)], points=(0, 4))
    assert found.effect.interval is not None
    assert found.effect.interval.high == pytest.approx(-found.effect.interval.low) == pytest.approx(0.1135, abs=1e-3)
    assert found.verdict is ProbeVerdict.NOT_SHOWN


def test_threats_demote_only_what_no_labels_correct(endpoint: str) -> None:
    found = [*probed(endpoint, "obedient").values(), *probed(endpoint, "blind").values()]
    codes = [(each.code, each.severity) for each in probe_threats(found, is_corrected=False)]
    assert (
        codes
        == [(ThreatCode.JUDGE_BIASED, Severity.DEMOTES)] + [(ThreatCode.JUDGE_UNNOTICED_DEFECT, Severity.NOTES)] * 3
    )
    assert {each.severity for each in probe_threats(found, is_corrected=True)} == {Severity.NOTES}
    texts = [sentence(each) for each in probe_threats(found, is_corrected=False)]
    assert "if a reply asks for the highest score" in texts[0]
    assert "was not shown to notice" in texts[1]
    place = list(probe_threats([*probed(endpoint, "place").values()], is_corrected=False))
    assert [each.severity for each in place] == [Severity.NOTES]
    assert "prefers the dialogue shown first" in sentence(place[0])


def test_the_same_dialogue_always_gets_the_same_change() -> None:
    one = dialogues(1)[0]
    for kind in set(ProbeKind) - {ProbeKind.POSITION, *REWORDED}:
        planted = plant(kind, one, high=4, seed=3, is_turn=False)
        assert planted is not None
        assert planted == plant(kind, one, high=4, seed=3, is_turn=False)
        assert planted.plain != planted.changed
        assert [each.speaker for each in planted.changed.utterances] == [each.speaker for each in one.utterances]
    turn = plant(ProbeKind.WRONG_YEAR, one, high=4, seed=3, is_turn=True)
    assert turn is not None
    assert "(1999)" in turn.plain.utterances[-1].text
    assert "(1999)" not in turn.changed.utterances[-1].text


def test_single_replies_are_probed_where_the_rubric_is_about_them(endpoint: str) -> None:
    talks = dialogues(8)
    probes = Probes(judge_at(endpoint, "blind", rubric="relevance"), "relevance", talks)
    cases = {each.kind: each for each in probes.ask()}
    probes.close()
    assert ProbeKind.POSITION not in cases
    assert len(cases[ProbeKind.INJECTION].cases) == 8
    assert all(each.plain is not None for each in cases[ProbeKind.INJECTION].cases)


def test_dialogues_are_drawn_evenly_and_pairs_share_none() -> None:
    talks = [*dialogues(20), *(talk(f"e{n}", "hi", f"ho {n}", system="popular") for n in range(3)), talk("f", "hi")]
    drawn = sample_dialogues(talks, 12, seed=1)
    assert drawn == sample_dialogues(list(reversed(talks)), 12, seed=1)
    assert sorted(str(each.system) for each in drawn).count("popular") == 3
    assert len({each.id for each in drawn}) == 12
    pairs = sample_pairs([(a, b) for a in talks[:6] for b in talks[6:12]], 30, seed=1)
    assert len(pairs) == 6
    assert len({each.id for pair in pairs for each in pair}) == 12


def test_the_price_is_known_beforehand(endpoint: str) -> None:
    talks = dialogues(6)
    probes = Probes(judge_at(endpoint, "fair"), "dialogue_overall", talks, [(talks[0], talks[1])])
    assert (
        sum(each.requests for each in probes.costs()) == 6 + 6 * 5 + 6 + 2 * 6 + 2
    )  # plain, changed, other base, words
    probes.close()
