"""What stands beside alignment, and what a recommender could foresee without reading a word."""

from pathlib import Path

import pytest

from tests.demo_records import demo_responses, demo_situations
from trialogue.analysis.alignment_baselines import predicted_strategies
from trialogue.inputs.inputs import gather, situations_in
from trialogue.metrics import get_metric
from trialogue.metrics.alignment.baseline_scores import alignment_baseline_scores
from trialogue.metrics.alignment.reply_baselines import CONTEXT, MAJORITY, RANDOM, SAME_TURN, alignment_baselines
from trialogue.records import Labeller, Role, Situation, StrategyLabel, Utterance, write_records
from trialogue.subjects.alignment.commands.align import align
from trialogue.subjects.evaluation.commands.evaluate import evaluate

ALL = {RANDOM, SAME_TURN, MAJORITY, CONTEXT}


def talk(dialogue: int, strategies: tuple[str, ...]) -> list[Situation]:
    """A situation for each strategy, with all that came before."""
    context: list[Utterance] = []
    found = []
    for turn, name in enumerate(strategies):
        context.append(Utterance(speaker="user", text="fine"))
        label = StrategyLabel(strategy=name, origin="expert", by=Labeller.PERSON)
        reply = Utterance(speaker="system", text="said", strategies=(label,))
        found.append(
            Situation(
                id=f"{dialogue}#{turn}", context=tuple(context), reference=reply, dialogue_id=str(dialogue), turn=turn
            )
        )
        context.append(reply)
    return found


def test_what_follows_what_is_learned_from_other_dialogues() -> None:
    """In eleven dialogues similarity follows credibility; what the twelfth does otherwise, it does not know."""
    usual, odd = ("credibility", "similarity"), ("credibility", "encouragement")
    some = [one for d in range(11) for one in talk(d, usual)] + talk(11, odd)
    found = predicted_strategies(some)
    assert set(found) == {one.id for one in some}
    assert {ranking[0] for name, ranking in found.items() if name.endswith("#1")} == {"similarity"}
    assert "encouragement" not in found["11#1"]
    assert found["0#0"][0] == "credibility"


def test_of_few_or_unlabelled_dialogues_nothing_is_predicted() -> None:
    assert predicted_strategies([one for d in range(9) for one in talk(d, ("credibility", "similarity"))]) == {}
    assert predicted_strategies([]) == {}
    bare = [
        one.model_copy(update={"reference": Utterance(speaker="system", text="x")})
        for d in range(12)
        for one in talk(d, ("credibility",))
    ]
    assert predicted_strategies(bare) == {}


def test_where_people_did_one_thing_only_that_is_predicted() -> None:
    some = [one for d in range(10) for one in talk(d, ("credibility",))]
    assert set(predicted_strategies(some).values()) == {("credibility",)}


def test_situations_without_a_labelled_reference_are_predicted_too() -> None:
    some = [one for d in range(10) for one in talk(d, ("credibility", "similarity"))]
    bare = some[1].model_copy(update={"id": "bare", "dialogue_id": "else", "reference": None})
    assert predicted_strategies([*some, bare])["bare"][0] == "similarity"


def test_no_seed_changes_a_baseline_and_none_is_a_system() -> None:
    first, second = (evaluate("demo", metrics=["behavior_alignment"], resamples=100, seed=seed) for seed in (0, 1))
    league = first.league("behavior_alignment")
    assert {baseline.system for baseline in league.baselines} == ALL
    assert league.baselines == second.league("behavior_alignment").baselines
    assert {each.system for each in first.findings.systems} == {"aria", "bolt", "chip"}
    assert {each.system for each in league.standings} == {"aria", "bolt", "chip"}
    assert len(league.contrasts) == 3
    gaps = [each for each in first.scores if each.versus_role is Role.BASELINE]
    assert len(gaps) == 12
    assert {each.system for each in gaps if each.p_adjusted is not None} == {
        "aria",
        "bolt",
        "chip",
    }  # the best baseline
    assert {each.signature for each in first.scores if each.system == RANDOM} == {league.measure.signature}


def test_baselines_are_left_out_where_nobody_wants_them_or_nothing_is_aligned() -> None:
    assert (
        evaluate("demo", metrics=["behavior_alignment"], resamples=100, baselines=False)
        .league("behavior_alignment")
        .baselines
        == ()
    )
    run = evaluate("demo", metrics=["length"], resamples=100)
    assert not any("baseline" in (each.system or "") for each in run.scores)


def test_where_dialogues_are_few_a_note_says_which_baseline_is_missing(tmp_path: Path) -> None:
    names = list(dict.fromkeys(one.dialogue_id for one in demo_situations()))
    for count, what in ((4, "The baseline 'context' is not shown"), (1, "There are no baselines")):
        kept = [one for one in demo_situations() if one.dialogue_id in names[:count]]
        ids = {one.id for one in kept}
        path = tmp_path / f"{count}.jsonl"
        write_records(path, [*kept, *(one for one in demo_responses() if one.situation_id in ids)])
        run = evaluate(path, metrics=["behavior_alignment"], resamples=100)
        assert any(line.startswith(what) for line in run.findings.warnings)
        assert CONTEXT not in {baseline.system for baseline in run.league("behavior_alignment").baselines}


def test_without_references_nothing_is_said_of_baselines(tmp_path: Path) -> None:
    """Users who align without references are informed by the systems, and not that there is one dialogue alone."""
    bare = [one.model_copy(update={"reference": None}) for one in demo_situations()]
    write_records(tmp_path / "a.jsonl", [*bare, *demo_responses()])
    run = evaluate(tmp_path / "a.jsonl", metrics=["behavior_alignment", "length"], resamples=100)
    assert not any("baseline" in line for line in run.findings.warnings)
    assert all("no reference" in str(each.estimate.why) for each in run.league("behavior_alignment").standings)


def test_files_of_several_systems_may_each_bring_what_they_answer(tmp_path: Path) -> None:
    for system in ("aria", "bolt"):
        own = [one for one in demo_responses() if one.system == system]
        write_records(tmp_path / f"{system}.jsonl", [*demo_situations(), *own])
    files = [tmp_path / "aria.jsonl", tmp_path / "bolt.jsonl"]
    assert gather(files).situations == list(demo_situations())
    league = evaluate(*files, metrics=["behavior_alignment"], resamples=100).league("behavior_alignment")
    assert {baseline.system for baseline in league.baselines} == ALL
    with_others = evaluate("demo", metrics=["behavior_alignment"], resamples=100).league("behavior_alignment")
    assert [each.estimate.value for each in league.baselines] == [each.estimate.value for each in with_others.baselines]


def test_without_labels_of_people_baselines_rest_on_beliefs_too() -> None:
    run = align(["demo"], [], metrics=["implicit_alignment"], resamples=100)
    baselines = {baseline.system: baseline.estimate for baseline in run.league("implicit_alignment").baselines}
    assert set(baselines) == ALL
    assert all(estimate.value is not None and 0 <= estimate.value <= 1 for estimate in baselines.values())


@pytest.mark.mirror
def test_on_inspired_baselines_are_where_they_were_measured(mirror: Path) -> None:
    """One reply to each user turn, first ones left out: docs/background/alignment.md."""
    situations = situations_in(gather([str(mirror / "inspired" / part) for part in ("dev.tsv", "test.tsv")]))
    found = alignment_baselines(situations, predicted=predicted_strategies(situations))
    assert found is not None
    scores = alignment_baseline_scores(found, [], [get_metric("behavior_alignment")])
    values = {each.system: each.value for each in scores}
    expected = {RANDOM: 0.101, SAME_TURN: 0.117, MAJORITY: 0.139, CONTEXT: 0.282}
    assert values == pytest.approx(expected, abs=0.001)
