"""The same data get one answer, whichever command reads them, in whatever form and order."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from trialogue.errors import DataError, UsageError
from trialogue.findings.records import Findings, StatementKind
from trialogue.findings.standings import Contrast
from trialogue.findings.threats import ThreatCode, Validity
from trialogue.records import Dialogue, Estimate, Need, Raters, Rating, Response, Situation, Utterance
from trialogue.subjects.board.commands.board import board
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate

Design = Literal[
    "people", "several each", "other people", "needs", "ids alone", "raters", "situations", "other situations"
]
DESIGNS: tuple[Design, ...] = (
    "people",
    "several each",
    "other people",
    "needs",
    "ids alone",
    "raters",
    "situations",
    "other situations",
)
RESAMPLES = 200
WORDS = ("good", "film", "watch", "tonight", "heat", "alien", "maybe", "another", "robots", "or", "you", "a")


def units(design: Design, system: str, size: int, shift: float, seed: int) -> list[Dialogue | Situation | Response]:
    """Data of one system; those of two systems that meet the same have equal contents, and ids of their own."""
    rng = np.random.default_rng([seed, len(system), ord(system[-1])])
    shared = np.random.default_rng(seed)
    found: list[Dialogue | Situation | Response] = []
    for place in range(size):
        said = " ".join(rng.choice(WORDS, size=int(rng.integers(3, 9))))
        if design in ("situations", "other situations"):
            first = place + (3 if design == "other situations" and system == "v2" else 0)
            context = Utterance(speaker="user", text=f"I like film {first} and film {first * 7}.")
            reference = Utterance(
                speaker="system", text=f"You may watch a good film such as {WORDS[first % 9]} {first}"
            )
            at = f"s{first}"
            found.append(Situation(id=at, dialogue_id=f"d{first // 3}", context=(context,), reference=reference))
            found.append(Response(situation_id=at, system=system, utterance=Utterance(speaker="system", text=said)))
            continue
        score = float(np.clip(round(shared.normal(3, 1) + shift * rng.integers(0, 2)), 1, 5))
        user = {"people": f"u{place}", "several each": f"u{place // 3}", "other people": f"{system}-{place}"}.get(
            design
        )
        found.append(
            Dialogue(
                id=f"{place}",
                system=system,
                user=user,
                need=Need(id=f"n{place}", persona=f"likes film {place}") if design == "needs" else None,
                source="simulated/kind" if design == "needs" else None,
                utterances=(
                    Utterance(speaker="user", text="What shall I watch?"),
                    Utterance(speaker="system", text=said),
                ),
                ratings=tuple(
                    Rating(name="liked", value=value, low=1, high=5, rater=rater, raters=Raters.PEOPLE)
                    for rater, value in _answers(design, score, shared)
                ),
            )
        )
    return found


def _answers(design: Design, score: float, rng: np.random.Generator) -> list[tuple[str, float]]:
    """Who rates a dialogue: the person who took part, or seven others, each of whom rates every dialogue."""
    if design != "raters":
        return [("user", score)]
    return [(f"r{number}", float(np.clip(score + rng.integers(-1, 2), 1, 5))) for number in range(7)]


def together(records: Sequence[Sequence[Dialogue | Situation | Response]]) -> list[Dialogue | Situation | Response]:
    """All records, each situation once."""
    kept: dict[tuple[str, str], Dialogue | Situation | Response] = {}
    for each in (one for own in records for one in own):
        name = each.id if isinstance(each, Dialogue | Situation) else each.situation_id
        kept.setdefault((type(each).__name__, f"{getattr(each, 'system', '')} {name}"), each)
    return list(kept.values())


def numbers(estimate: Estimate) -> tuple[float | None, ...]:
    ends = () if estimate.interval is None else (estimate.interval.low, estimate.interval.high)
    return tuple(None if one is None else round(one, 9) for one in (estimate.value, *ends, estimate.p))


def contrast(findings: Findings, measure: str, a: str, b: str) -> Contrast:
    league = next(each for each in findings.leagues if each.measure.name == measure)
    return next(each for each in league.contrasts if {each.a, each.b} == {a, b})


def run_of(records: Sequence[Dialogue | Situation | Response]) -> Run:
    return evaluate(list(records), resamples=RESAMPLES, metrics=METRICS)


METRICS = ["length@words", "distinct(n=1)@ratio", "repetition@self", "bleu@sacrebleu"]


@settings(max_examples=14, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(st.sampled_from(DESIGNS), st.integers(9, 24), st.sampled_from([0.0, 1.0]), st.integers(0, 99), st.booleans())
def test_two_runs_are_compared_as_one_evaluation_compares_them(
    design: Design, size: int, shift: float, seed: int, swapped: bool
) -> None:
    parts = [units(design, "v1", size, 0, seed), units(design, "v2", size, shift, seed)]
    both = run_of(together(parts))
    runs = [run_of(each) for each in parts]
    old, new = ("v2", "v1") if swapped else ("v1", "v2")
    given_runs = runs[::-1] if swapped else runs
    answers = [
        compare(*given_runs, resamples=RESAMPLES).comparison,
        compare(both, both, systems=[old, new], resamples=RESAMPLES).comparison,
    ]
    assert [each.measure for each in answers[0].judgements] == [each.measure for each in answers[1].judgements]
    for one, other in zip(answers[0].judgements, answers[1].judgements, strict=True):
        own = contrast(both.findings, one.measure, old, new)
        expected = own.difference if own.a == new else own.difference.negate()
        if "distinct" in one.measure and design == "other situations":
            assert "evaluate both in one run" in str(one.difference.why)
            continue  # the counts of single situations are not stored, and the difference says so
        assert numbers(one.difference) == pytest.approx(numbers(expected), abs=1e-8), one.measure
        assert numbers(other.difference) == numbers(expected), one.measure
        assert (one.light, one.validity, one.p_adjusted) == pytest.approx(
            (other.light, other.validity, other.p_adjusted)
        )
    assert (answers[0].light, answers[0].validity, answers[0].answer) == (
        answers[1].light,
        answers[1].validity,
        answers[1].answer,
    )


@settings(max_examples=10, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(st.sampled_from(DESIGNS), st.integers(9, 24), st.integers(2, 4), st.integers(0, 99), st.booleans())
def test_a_board_of_runs_is_the_league_of_one_evaluation(
    design: Design, size: int, systems: int, seed: int, in_one_run: bool
) -> None:
    names = [f"v{number + 1}" for number in range(systems)]
    parts = [units(design, name, size, 0.5 * number, seed) for number, name in enumerate(names)]
    both = run_of(together(parts))
    runs = [both] if in_one_run else [run_of(each) for each in parts][::-1]
    names_on = ["bleu"] if "situations" in design else ["human:liked"]
    found = board(*runs, on=names_on, resamples=RESAMPLES).findings
    column = found.columns[0]
    own = next(each for each in both.findings.leagues if each.measure.measured == column.measure.measured)
    (league,) = column.leagues
    assert [each.system for each in league.standings] == [each.system for each in own.standings]
    assert [(each.rank_low, each.rank_high) for each in league.standings] == [
        (each.rank_low, each.rank_high) for each in own.standings
    ]
    assert league.correction == own.correction
    assert len(league.contrasts) == len(own.contrasts)
    for one, other in zip(league.contrasts, own.contrasts, strict=True):
        assert (one.a, one.b, one.verdict, one.validity) == (other.a, other.b, other.verdict, other.validity)
        assert numbers(one.difference) == pytest.approx(numbers(other.difference), abs=1e-8)
        assert one.p_adjusted == pytest.approx(other.p_adjusted, abs=1e-8)
        assert (one.simultaneous is None) == (other.simultaneous is None)
        if one.simultaneous is not None and other.simultaneous is not None:
            assert (one.simultaneous.low, one.simultaneous.high) == pytest.approx(
                (other.simultaneous.low, other.simultaneous.high), abs=1e-8
            )


def replies(system: str, about: str, good: int, *, half_of: str | None = None) -> list[Situation | Response]:
    """Thirty replies to situations under the ids s0 to s29, whose contents depend on ``about``."""
    found: list[Situation | Response] = []
    for place in range(30):
        topic = half_of if half_of is not None and place % 2 else about
        said = f"{topic} film {place} is one to watch tonight"
        context = Utterance(speaker="user", text=f"Which {topic} film is there, my friend {place}?")
        found.append(
            Situation(
                id=f"s{place}",
                dialogue_id=f"d{place}",
                context=(context,),
                reference=Utterance(speaker="system", text=said),
            )
        )
        text = f"so {said}" if place < good else "no idea"
        found.append(
            Response(situation_id=f"s{place}", system=system, utterance=Utterance(speaker="system", text=text))
        )
    return found


def test_situations_are_recognised_by_their_content_and_never_by_their_ids() -> None:
    metrics = ["token_f1"]
    old = evaluate(replies("v1", "western", 5), resamples=RESAMPLES, metrics=metrics)
    other = evaluate(replies("v2", "space", 25), resamples=RESAMPLES, metrics=metrics)
    found = compare(old, other, on=metrics, resamples=RESAMPLES).comparison
    assert found.light == "no verdict"
    assert found.answer[0].endswith("cannot be compared: they have no answered situation in common.")
    mixed = evaluate(replies("v2", "space", 25, half_of="western"), resamples=RESAMPLES, metrics=metrics)
    found = compare(old, mixed, on=metrics, resamples=RESAMPLES).comparison
    assert any("in the 15 situations that both answered" in note for note in found.notes)
    assert found.judgements[0].paired == 15
    renamed = [
        each.model_copy(update={name: f"x{getattr(each, name)}"})
        for each in replies("v2", "western", 25)
        for name in ["id" if isinstance(each, Situation) else "situation_id"]
    ]
    again = evaluate(renamed, resamples=RESAMPLES, metrics=metrics)
    assert compare(old, again, on=metrics, resamples=RESAMPLES).comparison.judgements[0].paired == 30


def test_ratings_on_two_scales_are_refused_by_every_command() -> None:
    small, large = units("people", "v1", 12, 0, 1), units("people", "v2", 12, 1, 1)
    large = [
        each.model_copy(update={"ratings": tuple(one.model_copy(update={"high": 10.0}) for one in each.ratings)})
        for each in large
        if isinstance(each, Dialogue)
    ]
    with pytest.raises(DataError, match="different scales"):
        run_of([*small, *large])
    with pytest.raises(DataError, match=r"the scales differ: 1 to 5 before, 1 to 10 after.*Convert"):
        compare(run_of(small), run_of(large), resamples=RESAMPLES)


def test_other_simulated_users_leave_no_verdict() -> None:
    old, new = units("needs", "v1", 20, 0, 1), units("needs", "v2", 20, 1, 1)
    new = [each.model_copy(update={"source": "simulated/other"}) for each in new if isinstance(each, Dialogue)]
    found = compare(run_of(old), run_of(new), resamples=RESAMPLES).comparison
    assert found.light == "no verdict"
    assert any("the users differ: v1 met kind, v2 met other" in text.lower() for text in found.answer)
    (pair,) = next(each for each in run_of([*old, *new]).findings.leagues if each.measure.by == "people").contrasts
    assert (pair.verdict, pair.validity) == ("undefined", Validity.BLOCKED)


def test_other_people_make_every_command_conditional_and_the_same_people_none() -> None:
    cases: tuple[tuple[Design, Validity], ...] = (("people", Validity.FIRM), ("other people", Validity.CONDITIONAL))
    for design, validity in cases:
        parts = [units(design, "v1", 24, 0, 3), units(design, "v2", 24, 2.0, 3)]
        runs = [run_of(each) for each in parts]
        compared = compare(*runs, resamples=RESAMPLES).comparison
        both = run_of([*parts[0], *parts[1]])
        (pair,) = next(each for each in both.findings.leagues if each.measure.by == "people").contrasts
        (on_board,) = board(*runs, resamples=RESAMPLES).findings.columns[0].leagues[0].contrasts
        assert compared.light == "better"
        assert (compared.validity, pair.validity, on_board.validity) == (validity, validity, validity)


ENGLISH = (
    "I recommend that you watch the film Heat tonight, it is really very good and exciting.",
    "Maybe you would also like Alien, that is a classic with robots and lots of suspense.",
)
GERMAN = (
    "Ich empfehle dir heute Abend den Film Heat, er ist wirklich sehr gut und spannend.",
    "Vielleicht magst du auch Alien, das ist ein Klassiker mit Robotern und viel Spannung.",
)


def test_measures_of_wording_are_not_compared_across_languages() -> None:
    def said(system: str, texts: Sequence[str]) -> list[Dialogue]:
        return [
            each.model_copy(
                update={"utterances": (each.utterances[0], Utterance(speaker="system", text=texts[place % 2]))}
            )
            for place, each in enumerate(units("people", system, 20, 0, 1))
            if isinstance(each, Dialogue)
        ]

    english = said("v1", ENGLISH)
    german = said("v2", GERMAN)
    found = compare(run_of(english), run_of(german), resamples=RESAMPLES).comparison
    for judged in found.judgements:
        assert (judged.difference.value is None) == judged.measure.startswith(("length", "distinct")), judged.measure
    assert any("they write in different languages" in note for note in found.notes)


def test_one_decision_protocol_decides_in_every_command(tmp_path: Path) -> None:
    parts = [units("people", "v1", 24, 0, 3), units("people", "v2", 24, 2.0, 3)]
    protocol = tmp_path / "decision.yaml"
    protocol.write_text("measure: human:liked\nalpha: 0.01\nmargin: {superiority: 0.1}\n")
    both = evaluate([*parts[0], *parts[1]], resamples=1_000, metrics=METRICS, decide=protocol)
    runs = [evaluate(each, resamples=1_000, metrics=METRICS) for each in parts]
    compared = compare(*runs, resamples=1_000, decide=protocol).comparison
    assert both.findings.primary == "human:liked"
    assert both.findings.protocol is not None
    assert both.findings.protocol.is_kept
    (pair,) = next(each for each in both.findings.leagues if each.measure.by == "people").contrasts
    (on_board,) = board(*runs, resamples=1_000, decide=protocol).findings.columns[0].leagues[0].contrasts
    assert (pair.verdict, on_board.verdict, compared.light) == ("b", "b", "better")
    assert pair.p_adjusted == compared.judgements[0].p_adjusted == on_board.p_adjusted
    large = {"measure": "human:liked", "margin": {"superiority": 3.9}}
    assert compare(*runs, resamples=1_000, decide=large).comparison.light == "inconclusive"
    (pair,) = next(
        each
        for each in evaluate([*parts[0], *parts[1]], resamples=1_000, metrics=METRICS, decide=large).findings.leagues
        if each.measure.by == "people"
    ).contrasts
    assert pair.verdict == "inconclusive"


def test_a_protocol_for_other_users_is_not_kept_in_any_command() -> None:
    parts = [units("needs", "v1", 24, 0, 3), units("needs", "v2", 24, 1.0, 3)]
    runs = [evaluate(each, resamples=RESAMPLES, metrics=METRICS) for each in parts]
    for users, kept in (("kind", True), ("people", False)):
        decide = {"measure": "human:liked", "users": users}
        both = evaluate([*parts[0], *parts[1]], resamples=RESAMPLES, metrics=METRICS, decide=decide)
        found = [
            both.findings.threats,
            compare(*runs, resamples=RESAMPLES, decide=decide).comparison.threats,
            board(*runs, resamples=RESAMPLES, decide=decide).findings.threats,
        ]
        for threats in found:
            assert (ThreatCode.PROTOCOL_NOT_KEPT in {each.code for each in threats}) is not kept


PROTOCOLS: tuple[dict[str, object], ...] = (
    {"margin": {"superiority": 0.3}},
    {"margin": {"superiority": 1.5}},
    {"margin": {"matters": 0.5, "non_inferiority": 0.4, "equivalence": 0.2}},
    {"blocks": ["unassigned_people"]},
    {"measures": ["human:fluent"], "correction": "across"},
    {"exclude": [{"user_turns_below": 2}]},
    {"n": 12},
    {"systems": ["v1", "v3"]},
)


def asked(system: str, seed: int, gain: float) -> list[Dialogue]:
    """Dialogues with people of its own, who answer two questions: one in its favour, the other against it."""
    rng = np.random.default_rng([seed, ord(system[-1])])
    found = []
    for place in range(24):
        said = [Utterance(speaker="user", text="hi"), Utterance(speaker="system", text="Heat")]
        answers = {"liked": 3 + gain, "fluent": 3 - gain}
        ratings = tuple(
            Rating(name=name, value=float(np.clip(round(rng.normal(mean, 0.8)), 1, 5)), rater="user", low=1, high=5)
            for name, mean in answers.items()
        )
        utterances = tuple(said * (1 + place % 3))
        found.append(
            Dialogue(
                id=f"{system}{place}", system=system, user=f"{system}-{place}", utterances=utterances, ratings=ratings
            )
        )
    return found


@pytest.mark.parametrize("more", PROTOCOLS, ids=str)
def test_a_protocol_says_the_same_in_every_command(more: dict[str, object]) -> None:
    old, new = asked("v1", 1, 0), asked("v2", 1, 1.2)
    protocol = {"measure": "human:liked", **more}
    both = evaluate([*old, *new], resamples=RESAMPLES, metrics=METRICS, decide=protocol)
    runs = [evaluate(each, resamples=RESAMPLES, metrics=METRICS, decide=protocol) for each in (old, new)]
    found = board(*runs, resamples=RESAMPLES, decide=protocol).findings
    assert [each.text for each in found.answer] == [each.text for each in both.findings.answer]
    (pair,) = next(each for each in both.findings.leagues if each.measure.name == "human:liked").contrasts
    for sides in ([*runs], [old, new], [new, old]):
        compared = compare(*sides, resamples=RESAMPLES, decide=protocol)
        judged = compared.comparison.judgements[0]
        (own,) = next(each for each in compared.findings.leagues if each.measure.name == "human:liked").contrasts
        turned = {"a": "b", "b": "a"}
        after, is_turned = compared.comparison.after, compared.comparison.after == pair.b
        assert own.verdict == (turned.get(pair.verdict, pair.verdict) if is_turned else pair.verdict)
        assert (judged.p_adjusted, judged.decides, own.validity) == (pair.p_adjusted, True, pair.validity)
        expected = {None: "inconclusive", after: "better"}.get(pair.leader, "worse")
        light = "no verdict" if pair.validity is Validity.BLOCKED else expected
        assert compared.comparison.light in (light, "not worse" if light == "inconclusive" else light)
        margins = {each.text for each in both.findings.answer if each.kind_of is StatementKind.MARGIN}
        assert margins <= set(compared.comparison.answer)


def test_what_was_measured_cannot_be_excluded_any_more() -> None:
    runs = [evaluate(asked(name, 1, 0), resamples=RESAMPLES, metrics=METRICS) for name in ("v1", "v2")]
    protocol = {"measure": "human:liked", "exclude": [{"user_turns_below": 2}]}
    for command in (compare, board):
        with pytest.raises(UsageError, match=r"excludes fewer than 2 user utterances, and .* other exclusions"):
            command(*runs, decide=protocol)


def test_mistakes_in_a_decision_protocol_are_named_at_once(tmp_path: Path) -> None:
    path = tmp_path / "decision.yaml"
    path.write_text("measure: human:liked\nalpha: 2\nmargins: 1\n")
    with pytest.raises(DataError) as caught:
        evaluate(units("people", "v1", 6, 0, 1), decide=path)
    assert {problem.field for problem in caught.value.problems} == {"alpha", "margins"}
    with pytest.raises(UsageError, match="has no direction"):
        compare("a", "b", decide={"measure": "length"})
    with pytest.raises(UsageError, match="omit on"):
        compare("a", "b", decide={"measure": "human:liked"}, on=["human:liked"])


def test_teams_on_one_test_set_are_no_versions_and_share_its_dialogues() -> None:
    teams = {name: replies(name, "western", 6 + 4 * place) for place, name in enumerate(("alpha", "beta", "gamma"))}
    teams["gamma"] = teams["gamma"][2:]  # which did not answer the first situation
    runs = [
        evaluate(each, resamples=RESAMPLES, metrics=["rouge_l", "bleu"], title=name) for name, each in teams.items()
    ]
    found = board(*runs, resamples=RESAMPLES).findings
    assert (found.baseline, found.histories, found.dialogues) == (None, (), 30)
    assert {column.measure.title for column in found.columns} == {"ROUGE-L", "BLEU-k"}
    assert all(cell.rank_low is not None and not cell.why for column in found.columns for cell in column.cells)
