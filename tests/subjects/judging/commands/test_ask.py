"""A language model judges a run: from dialogues to findings, raw or corrected, with consent, price and threats."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import trialogue
from tests.agents.conftest import endpoint, start
from trialogue.errors import DataError, UsageError
from trialogue.findings.threats import Severity, ThreatCode, Validity
from trialogue.judges import JudgeOptions
from trialogue.records import Dialogue, MeasureName, Need, Raters, Response, Score, Situation, Utterance, write_records
from trialogue.records.reasons.codes import ReasonCode
from trialogue.render.media.terminal import document_text
from trialogue.subjects.judging.commands.ask import JUDGEMENTS, SCORES, judge_scores, prepare_panel
from trialogue.subjects.judging.commands.judge import judge, plan_labels
from trialogue.subjects.judging.commands.pairs import judge_pairs, matched_pairs
from trialogue.subjects.judging.pages.document import judging_document

__all__ = ["endpoint", "start"]


def dialogues(each: int = 20, *, systems: tuple[str, ...] = ("kbrd", "barcor"), **more: Any) -> list[Dialogue]:
    """In those of the first system, "good" stands more often."""
    rng = np.random.default_rng(1)
    found = []
    for place, system in enumerate(systems):
        for number in range(each):
            words = "good " * int(np.clip(rng.integers(0, 3) + (2 if place == 0 else 0), 0, 4))
            said = (
                Utterance(speaker="user", text=f"hi {number} of {system}"),
                Utterance(speaker="system", text=f"{words}film {number}", meta=more.get("said", {})),
            )
            found.append(Dialogue(id=f"{system}-{number}", system=system, user=f"u{number}", utterances=said))
    return found


def labels(given: list[Dialogue], count: int = 12) -> list[Score]:
    """People's labels: one point lower than what the judge says, at least 0."""
    return [
        Score(
            measure="human:overall",
            level="dialogue",
            system=each.system,
            dialogue_id=each.id,
            value=max(each.utterances[1].text.count("good") - 1.0, 0.0),
            rater="ann",
        )
        for each in given
        if int(each.id.split("-")[1]) < count
    ]


def options(endpoint: str, name: str = "plain", **more: Any) -> JudgeOptions:
    return JudgeOptions(url=f"{endpoint}/judge/{name}", model="tiny", retries={"most": 0}, **more)


def codes(found: Any) -> set[tuple[ThreatCode, Severity]]:
    return {(each.code, each.severity) for each in found.threats}


def test_without_labels_the_raw_judge_leads_and_every_verdict_is_conditional(endpoint: str) -> None:
    found = judge(dialogues(), rubric="overall", model=options(endpoint))
    assert (ThreatCode.JUDGE_UNCORRECTED, Severity.DEMOTES) in codes(found)
    assert found.answer[0].startswith(
        "Conditional: On dialogue overall by the judge alone, kbrd is significantly better than barcor"
    )
    assert {each.validity for each in found.systems} == {Validity.CONDITIONAL}
    kbrd = found.systems[0].value
    assert kbrd.raw is not None
    assert kbrd.raw.interval is not None
    assert kbrd.corrected.value is None
    assert kbrd.corrected.why is not None
    assert kbrd.corrected.why.code is ReasonCode.NO_LABELS
    values = np.array([each.utterances[1].text.count("good") for each in dialogues() if each.system == "kbrd"])
    assert kbrd.judge == kbrd.raw.value == pytest.approx(values.mean())
    half = (kbrd.raw.interval.high - kbrd.raw.interval.low) / 2
    assert half == pytest.approx(2.093 * values.std(ddof=1) / len(values) ** 0.5, rel=1e-3)  # t, 19 df
    text = document_text(judging_document(found))
    assert "Corrected" not in text
    assert "none has a label by people" in text


def test_with_labels_raw_stands_beside_corrected_and_the_labels_put_it_right(endpoint: str) -> None:
    given = dialogues()
    found = judge(given, rubric="overall", model=options(endpoint), labels=labels(given))
    assert ThreatCode.JUDGE_UNCORRECTED not in {each.code for each in found.threats}
    for each in found.systems:
        truth = np.mean(
            [max(one.utterances[1].text.count("good") - 1, 0) for one in given if one.system == each.system]
        )
        assert each.value.raw is None
        assert each.value.corrected.interval is not None
        assert each.value.corrected.interval.contains(float(truth))
    assert found.question == "overall"  # the rubric's aspect is called dialogue_overall; the labels say overall
    assert "Judge alone" in document_text(judging_document(found))
    assert "Corrected" in document_text(judging_document(found))


def test_a_rerun_asks_nothing_and_writes_the_same_bytes(endpoint: str, tmp_path: Path) -> None:
    given = dialogues(4)
    for out in ("one", "two"):
        asked = judge_scores(
            given, rubric="overall", model=options(endpoint), cache=tmp_path / "answers", out=tmp_path / out
        )
    assert asked.usage[0].calls == 0
    for name in (SCORES, JUDGEMENTS):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    stored = [json.loads(line) for line in (tmp_path / "one" / SCORES).read_text().splitlines()]
    assert len(stored) == 8
    again = judge(given, aspect=str(asked.columns["dialogue_overall"]), scores=str(tmp_path / "one" / SCORES))
    assert [each.value for each in again.systems] == [
        each.value for each in judge(given, rubric="overall", model=options(endpoint)).systems
    ]


def test_missing_scores_are_a_threat_that_grows_with_their_share_and_difference(endpoint: str) -> None:
    given = [
        each.model_copy(update={"utterances": (each.utterances[0], Utterance(speaker="system", text=f"odd {each.id}"))})
        if each.system == "barcor" and int(each.id.split("-")[1]) < 12
        else each
        for each in dialogues()
    ]
    raw = judge(given, rubric="overall", model=options(endpoint, "sometimes"))
    assert (ThreatCode.JUDGE_MISSING, Severity.BLOCKS) in codes(raw)
    assert (ThreatCode.JUDGE_MISSING_DIFFERENCE, Severity.DEMOTES) in codes(raw)
    (missing,) = [each for each in raw.threats if each.code is ThreatCode.JUDGE_MISSING]
    assert missing.systems == ("barcor",)
    assert missing.facts["missing"] == 12
    assert "was not in the requested form" in document_text(judging_document(raw)).replace("\n", " ")
    assert not [each for each in raw.differences if each.verdict in ("better", "worse")]
    corrected = judge(given, rubric="overall", model=options(endpoint, "sometimes"), labels=labels(given))
    assert (ThreatCode.JUDGE_MISSING, Severity.NOTES) in codes(corrected)
    assert corrected.abstained == 12


def test_a_few_missing_scores_demote_and_differ_by_chance(endpoint: str) -> None:
    given = [
        each.model_copy(update={"utterances": (each.utterances[0], Utterance(speaker="system", text=f"odd {each.id}"))})
        if each.id in ("barcor-0", "barcor-1")
        else each
        for each in dialogues()
    ]
    found = judge(given, rubric="overall", model=options(endpoint, "sometimes"))
    assert (ThreatCode.JUDGE_MISSING, Severity.DEMOTES) in codes(found)  # 2 of 20
    assert ThreatCode.JUDGE_MISSING_DIFFERENCE not in {each.code for each in found.threats}  # Fisher's p is .49
    assert [each.verdict for each in found.differences] == ["worse"]


def test_a_judge_that_can_be_read_nowhere_is_an_error_with_the_reason(endpoint: str) -> None:
    with pytest.raises(
        UsageError, match="no score to any of 40 units: the judge's answer was not in the requested form"
    ):
        judge(dialogues(), rubric="overall", model=options(endpoint, "prose"))
    corrected = judge(dialogues(), rubric="overall", model=options(endpoint, "prose"), labels=labels(dialogues()))
    assert {each.value.weight for each in corrected.systems} == {0.0}  # labels alone


def test_labels_of_another_question_are_refused_with_the_names_that_would_do(endpoint: str) -> None:
    other = [each.model_copy(update={"measure": MeasureName("human:cost")}) for each in labels(dialogues())]
    with pytest.raises(DataError, match=r"no labels of 'dialogue_overall' or 'overall' or .* There are: cost"):
        judge(dialogues(), rubric="overall", model=options(endpoint), labels=other)


def test_a_judge_of_a_systems_own_family_is_noticed(endpoint: str) -> None:
    given = dialogues(said={"model": "tiny-7b"})
    assert ThreatCode.JUDGE_FAMILY not in {
        each.code for each in judge(given, rubric="overall", model=options(endpoint)).threats
    }
    given = dialogues(said={"model": "meta-llama/Llama-3.1-8B-Instruct"})
    assert ThreatCode.JUDGE_FAMILY not in {
        each.code for each in judge(given, rubric="overall", model=options(endpoint)).threats
    }
    own = options(endpoint).model_copy(update={"model": "llama-3.3-70b"})
    found = judge(given, rubric="overall", model=own)
    assert (ThreatCode.JUDGE_FAMILY, Severity.DEMOTES) in codes(found)
    assert "(Llama)" in " ".join(document_text(judging_document(found)).split())
    corrected = judge(given, rubric="overall", model=own, labels=labels(given))
    assert (ThreatCode.JUDGE_FAMILY, Severity.NOTES) in codes(corrected)


def test_scores_of_few_readable_samples_are_a_threat(endpoint: str) -> None:
    scores = [
        Score(measure="llm:overall", level="dialogue", dialogue_id=each.id, value=1.0 + place % 3, n=1, skipped=2)
        for place, each in enumerate(dialogues())
    ]
    found = judge(dialogues(), aspect="overall", scores=scores)
    few = [each for each in found.threats if each.code is ThreatCode.JUDGE_FEW_ANSWERS]
    assert {(each.systems, each.severity) for each in few} == {
        (("kbrd",), Severity.DEMOTES),
        (("barcor",), Severity.DEMOTES),
    }
    assert few[0].facts == {"read": 20, "asked": 60}


def test_a_panel_is_the_mean_of_its_judges_and_needs_half_of_them(endpoint: str) -> None:
    given = dialogues(3)
    models = [options(endpoint), options(endpoint, "refuses").model_copy(update={"model": "mute"})]
    found = judge_scores(given, rubric="overall", model=models)
    column = found.columns["dialogue_overall"]
    assert column.parameters.startswith("panel: tiny, overall")
    together = [each for each in found.scores if each.measure == column]
    alone = [each for each in found.scores if each.measure != column and each.value is not None]
    assert [each.value for each in together] == [each.value for each in alone]
    assert {(each.n, each.skipped) for each in together} == {(1, 1)}
    models.append(models[1].model_copy(update={"model": "mute-2"}))
    found = judge_scores(given, rubric="overall", model=models)
    assert {each.value for each in found.scores if each.measure == found.columns["dialogue_overall"]} == {None}
    with pytest.raises(UsageError, match="the same model"):
        judge_scores(given, rubric="overall", model=models[:1] * 2)


def test_dialogues_of_people_need_consent_before_they_leave_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    given = dialogues(3)
    with pytest.raises(
        UsageError, match=r"6 dialogues of 3 people would be sent to api\.openai\.com\. The data record no consent"
    ):
        judge(given, rubric="overall", model="openai:m")
    agreed = [each.model_copy(update={"meta": {"consent": ["language_models"]}}) for each in given]
    simulated = [each.model_copy(update={"source": "simulated/cir6-pkg"}) for each in given]
    for harmless in (agreed, simulated, list(trialogue.read("demo"))):
        assert prepare_panel([harmless], rubric="overall", model="openai:m").disclosure is None
    mixed = prepare_panel([[*agreed[:5], given[5]]], rubric="overall", model="openai:m").disclosure
    assert mixed is not None
    assert mixed.dialogues == 1
    local = {"url": "http://localhost:8000/v1"}
    assert prepare_panel([given], rubric="overall", model="openai:m", options=local).disclosure is None


def test_replies_in_memory_are_judged_like_dialogues(endpoint: str) -> None:
    situations = [Situation(id=f"s{n}", context=(Utterance(speaker="user", text=f"film {n}?"),)) for n in range(12)]
    replies = [
        Response(situation_id=f"s{n}", system=system, utterance=Utterance(speaker="system", text=text))
        for n in range(12)
        for system, text in (("a", "good good" if n % 3 else "good"), ("b", "no" if n % 4 else "good"))
    ]
    found = judge([*situations, *replies], rubric="relevance", model=options(endpoint))
    assert found.level == "turn"
    assert [(each.system, each.judged) for each in found.systems] == [("a", 12), ("b", 12)]
    assert found.systems[0].value.judge == pytest.approx((8 * 2 + 4) / 12)


def test_rubrics_with_several_aspects_need_one_named(endpoint: str) -> None:
    given = dialogues(12)
    with pytest.raises(UsageError, match="has several aspects; name one of them"):
        judge(given, rubric="strategies", model=options(endpoint))
    found = judge(given, rubric="strategies", model=options(endpoint), aspect="encouragement")
    assert found.question == "encouragement"


def test_what_does_not_go_together_is_refused(endpoint: str, tmp_path: Path) -> None:
    given = dialogues(3)
    for wrong in ({"rubric": "overall"}, {"model": options(endpoint)}):
        with pytest.raises(UsageError, match="give both a rubric and a model"):
            judge(given, **wrong)
    with pytest.raises(UsageError, match="Give the judge's column"):
        judge(given)
    with pytest.raises(UsageError, match="openai:MODEL"):
        judge(given, rubric="overall", model="gpt")
    with pytest.raises(UsageError, match="field tempera"):
        judge(given, rubric="overall", model="openai:m", options={"tempera": 1, "url": "http://localhost:1"})
    write_records(tmp_path / "scores.jsonl", labels(given))
    with pytest.raises(DataError, match="there are no dialogues to judge"):
        judge(tmp_path / "scores.jsonl", rubric="overall", model=options(endpoint))
    trialogue.evaluate(given, metrics=["length"], resamples=100).write(tmp_path / "run", explorer=False)
    for ask in (judge, judge_pairs):
        with pytest.raises(DataError, match="a folder of results contains scores, but no dialogues"):
            ask(tmp_path / "run", rubric="overall", model=options(endpoint))


def test_an_interruption_says_how_far_it_was(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    panel = prepare_panel([dialogues(3)], rubric="overall", model=options(endpoint, requests_at_once=1))

    def stop(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="interrupted: 1 of 6 answers of tiny; with a cache"):
        panel.ask(tell=stop)


def test_a_model_judge_can_be_planned_for(endpoint: str) -> None:
    given = dialogues(30)
    asked = judge_scores(given, rubric="overall", model=options(endpoint))
    column = str(asked.columns["dialogue_overall"])
    plan = plan_labels(given, aspect=column, width=0.8, scores=asked.scores)
    assert plan.is_pilot
    assert len(plan.units) == 20


def test_pairs_of_two_systems_give_votes_of_a_model(endpoint: str, tmp_path: Path) -> None:
    found = judge_pairs(dialogues(), rubric="overall", model=options(endpoint), out=tmp_path)
    (tally,) = found.tallies
    assert (tally.a, tally.b) == ("barcor", "kbrd")
    assert tally.b_better > tally.a_better
    assert tally.a_better + tally.b_better + tally.ties == 20
    assert not found.matched
    assert {each.raters for each in found.preferences} == {Raters.MODEL}
    run = trialogue.evaluate([*dialogues(), *found.preferences], resamples=100)
    assert ThreatCode.MODEL_RATERS in {each.code for each in run.findings.threats}
    with pytest.raises(DataError, match="at least two systems"):
        judge_pairs(dialogues(systems=("a",)), rubric="overall", model=options(endpoint))


def test_the_first_place_winning_is_counted_and_is_a_tie(endpoint: str) -> None:
    (tally,) = judge_pairs(dialogues(6), rubric="overall", model=options(endpoint, "first")).tallies
    assert (tally.ties, tally.contradictory, tally.first_won) == (6, 6, 6)


def test_evaluate_shows_a_judge_raw_beside_corrected_and_never_raw_alone_where_people_answered(endpoint: str) -> None:
    given = dialogues()
    asked = judge_scores(given, rubric="overall", model=options(endpoint))
    (raw,) = trialogue.evaluate([*given, *asked.scores], resamples=100).findings.sections
    assert raw.heads == ["System", "Judge alone"]
    assert "no labels by people correct the judge" in raw.sentences[0]
    run = trialogue.evaluate([*given, *asked.scores, *labels(given)], resamples=100)
    (both,) = run.findings.sections
    assert both.heads == ["System", "Judge alone", "Labels alone", "Corrected"]
    direct = judge(given, rubric="overall", model=options(endpoint), labels=labels(given))
    assert both.sentences[0] == direct.answer[0]
    assert [row[0] for row in both.rows] == [each.system for each in direct.systems]
    assert not [each for each in run.scores if each.measure.is_of_judge]  # a corrected value is no score


def test_dialogues_on_the_same_need_are_paired_and_no_others() -> None:
    def of_need(system: str, need: str, name: str) -> Dialogue:
        return Dialogue(id=name, system=system, utterances=(), need=Need(id=need))

    by_system = {
        "b": [of_need("b", "n1", "b1"), of_need("b", "n3", "b3"), of_need("b", "n1", "b1-again")],
        "a": [of_need("a", "n2", "a2"), of_need("a", "n1", "a1")],
        "none": [Dialogue(id="x", system="none", utterances=())],
    }
    assert [(one.id, other.id) for one, other in matched_pairs(by_system)] == [("a1", "b1")]
