"""Agree: runs of evaluate, CRSArena-Eval in its official form, realism; on the bundled demo and on made-up files."""

import json
from pathlib import Path

import numpy as np
import pytest

import trialogue
from tests.workflows.made import good_and_bad, written
from trialogue.analysis import read_run
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.findings.threat import ThreatCode
from trialogue.records import Dialogue, DialogueAct, Ending, Score, Utterance, read_records, write_records
from trialogue.stats import pearson, spearman
from trialogue.subjects.agreement.commands.agree import agree, parse_grouping
from trialogue.subjects.agreement.commands.benchmark import OFFICIAL, agree_benchmark
from trialogue.subjects.agreement.pages.document import write_agreement
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.subjects.simulated_users.commands.realism import realism


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the bundled demo."""
    folder = tmp_path_factory.mktemp("agree") / "arena"
    evaluate("demo", metrics=["satisfaction", "repetition"], resamples=100).write(folder)
    return folder


def test_a_run_is_held_against_the_people_in_it(arena: Path) -> None:
    found = agree(arena, resamples=50)
    assert {each.question for each in found.ratings} == {"human:satisfaction"}
    assert set(found.baselines) == {
        "length@words|v1",
        "distinct(n=2)@per_response_marks|v1",
    }  # though nobody asked for them
    assert found.preferences[0].votes > 30
    assert {each.title for each in found.measures} >= {"Estimated satisfaction", "Reply length", "Repetition"}
    assert any("3 systems" in text for text in found.warnings)
    assert agree(arena, resamples=50) == found


def test_a_measure_of_which_less_is_better_is_known_from_its_card(arena: Path) -> None:
    found = agree(arena, resamples=10)
    scores = read_run(arena).scores
    rated = {score.dialogue_id: score.value for score in scores if score.measure == "human:satisfaction"}
    raw = {s.dialogue_id: s.value for s in scores if s.measure == "repetition@self|v1" and s.level == "dialogue"}
    ids = sorted(str(name) for name in rated if name in raw)
    plain = pearson([raw[name] for name in ids], [rated[name] for name in ids]).value
    own = next(each for each in found.ratings if each.measure == "repetition@self|v1").get("pearson")
    assert own is not None
    assert plain is not None
    assert own.estimate.value == pytest.approx(-plain)


def test_systems_of_one_corpus_are_shown_apart(arena: Path) -> None:
    found = agree(arena, groups=["vowels=a*", "others=*"], resamples=10)
    assert found.ratings[0].rated_by_group == {"others": 40, "vowels": 20}
    assert parse_grouping([]) is None
    with pytest.raises(UsageError, match="NAME=PATTERN"):
        parse_grouping(["redial", "=x"])


def test_a_run_on_answers_that_are_not_people_s_says_so_where_agree_reads_it(arena: Path) -> None:
    first = agree(arena, resamples=10).warnings[0]  # the bundled conversations, whose raters are invented
    assert first == "These answers are invented, not given by people: they show nothing about any system."


def test_a_folder_without_a_run_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="trialogue evaluate"):
        agree(tmp_path)


def test_a_run_without_people_and_metrics_is_refused_with_both_reasons(tmp_path: Path) -> None:
    write_records(tmp_path / "scores.jsonl", [Score(measure="m", level="system", value=1.0, system="a")])
    with pytest.raises(DataError) as caught:
        agree(tmp_path)
    assert len(caught.value.problems) == 2


def test_impossible_options_are_refused_together(arena: Path) -> None:
    with pytest.raises(UsageError) as caught:
        trialogue.agree(arena, resamples=0, confidence=2.0)
    assert "resamples" in str(caught.value)
    assert "confidence" in str(caught.value)


def test_votes_of_an_earlier_run_do_not_stay(tmp_path: Path) -> None:
    data = written(tmp_path / "d.jsonl", good_and_bad())
    evaluate(data, metrics=["length"], resamples=100).write(tmp_path / "run")
    assert (tmp_path / "run" / "preferences.jsonl").is_file()
    alone = written(tmp_path / "e.jsonl", [record for record in good_and_bad() if isinstance(record, Dialogue)])
    evaluate(alone, metrics=["length"], resamples=100).write(tmp_path / "run")
    assert not (tmp_path / "run" / "preferences.jsonl").exists()


def test_agreement_with_earlier_scores_does_not_stay(tmp_path: Path) -> None:
    run = evaluate(written(tmp_path / "d.jsonl", good_and_bad()), metrics=["length"], resamples=100)
    run.write(tmp_path / "run")
    write_agreement(agree(tmp_path / "run", resamples=10), tmp_path / "run")
    run.write(tmp_path / "run")
    assert (tmp_path / "run" / "validity.json").exists()  # the scores are the same
    evaluate(tmp_path / "d.jsonl", metrics=["length"], resamples=100, seed=1).write(tmp_path / "run")
    assert not (tmp_path / "run" / "validity.json").exists()
    assert not (tmp_path / "run" / "agreement.html").exists()


def labels(path: Path, size: int = 60, *, seed: int = 0) -> Path:
    """A labels file of the benchmark: replies of five systems on two corpora, aspects from a stated truth."""
    rng = np.random.default_rng(seed)
    conversations = []
    for place in range(size):
        system = f"{'abcde'[place % 5]}_{('redial', 'opendialkg')[place % 2]}"
        good = float(rng.normal())
        turns = [
            {"turn_ind": 0, "role": "USER", "utterance": "a film please"},
            {
                "turn_ind": 1,
                "role": "ASST",
                "utterance": " ".join(f"w{n}" for n in range(3 + int(rng.integers(9)))),
                "turn_level_aggregated": {"relevance": int(good > 0), "interestingness": int(rng.integers(3))},
            },
        ]
        whole = {aspect: round(good + float(rng.normal()), 3) for aspect in OFFICIAL[2:]}
        conversations.append({"conv_id": f"{system}_{place}", "dialogue": turns, "dial_level_aggregated": whole})
    path.write_text(json.dumps(conversations), "utf-8")
    return path


def predictions(path: Path, gold: Path, *, seed: int = 1) -> Path:
    """A run that sees the labels through noise."""
    rng = np.random.default_rng(seed)
    run = []
    for entry in json.loads(gold.read_text("utf-8")):
        whole = {aspect: value + float(rng.normal()) for aspect, value in entry["dial_level_aggregated"].items()}
        turn = {
            aspect: value + float(rng.normal())
            for aspect, value in entry["dialogue"][1]["turn_level_aggregated"].items()
        }
        turns = [{"turn_ind": 1, "turn_level_pred": turn}]
        run.append({"conv_id": entry["conv_id"], "turns": turns, "dial_level_pred": whole})
    path.write_text(json.dumps(run), "utf-8")
    return path


def test_the_official_table_is_pearson_and_spearman_by_corpus(tmp_path: Path) -> None:
    gold = labels(tmp_path / "gold.json")
    run = predictions(tmp_path / "mine.json", gold)
    found = agree_benchmark("crsarena-eval", run, labels=gold, resamples=10, note=lambda _: None)
    cell = next(each for each in found.official if (each.aspect, each.dataset) == ("understanding", "redial"))
    said = {each["conv_id"]: each["dial_level_pred"]["understanding"] for each in json.loads(run.read_text())}
    asked = {e["conv_id"]: e["dial_level_aggregated"]["understanding"] for e in json.loads(gold.read_text())}
    ids = [name for name in asked if "_redial_" in name]
    assert cell.pearson == pytest.approx(pearson([said[i] for i in ids], [asked[i] for i in ids]).value)
    assert cell.spearman == pytest.approx(spearman([said[i] for i in ids], [asked[i] for i in ids]).value)
    assert (cell.n, cell.rated) == (30, 30)
    assert [each.aspect for each in found.official[::2]] == list(OFFICIAL)
    assert "length@words|v1" in found.findings.baselines


def test_what_a_run_leaves_out_counts_as_its_worst_guesses_and_comes_first(tmp_path: Path) -> None:
    gold = labels(tmp_path / "gold.json")
    whole = json.loads(predictions(tmp_path / "mine.json", gold).read_text("utf-8"))
    asked = {each["conv_id"]: each["dial_level_aggregated"] for each in json.loads(gold.read_text("utf-8"))}

    def error(entry: dict[str, dict[str, float]]) -> float:
        own, people = entry["dial_level_pred"], asked[str(entry["conv_id"])]
        return float(abs(own["dialogue_overall"] - people["dialogue_overall"]))

    best = sorted(whole, key=error)[:36]  # of 60: the 40% that it gets most wrong are left out
    (tmp_path / "cheat.json").write_text(json.dumps(best), "utf-8")
    full, cheat = (
        agree_benchmark("crsarena-eval", tmp_path / name, labels=gold, resamples=10, note=lambda _: None)
        for name in ("mine.json", "cheat.json")
    )
    for cell, lifted in zip(full.official, cheat.official, strict=True):
        if cell.aspect == "dialogue_overall":
            assert (lifted.spearman or 0) > (cell.spearman or 0)  # what the official evaluator shows
            assert (lifted.spearman_penalised or 0) < (cell.spearman_penalised or 0) == cell.spearman
            assert (lifted.pearson_penalised or 0) < (cell.pearson_penalised or 0) == cell.pearson
    assert cheat.findings.answer[0].startswith(
        "cheat:dialogue_overall does not agree significantly better than chance with people's dialogue overall (dialogues): "
        "ρ"
    )
    assert "It has no value for 24 of 60 dialogues" in cheat.findings.answer[0]
    assert full.findings.answer[0].endswith("].")  # nothing is missing, nothing is said of it


def test_a_run_is_written_in_the_form_of_the_official_evaluator(tmp_path: Path) -> None:
    gold = labels(tmp_path / "gold.json", 20)
    run = predictions(tmp_path / "mine.json", gold)
    found = agree_benchmark("crsarena-eval", run, labels=gold, resamples=10, note=lambda _: None)
    assert found.write_run(tmp_path / "again.json") == 20
    assert json.loads((tmp_path / "again.json").read_text()) == json.loads(run.read_text())


def test_scores_of_any_metric_stand_for_every_aspect(tmp_path: Path) -> None:
    gold = labels(tmp_path / "gold.json", 20)
    scores = [
        Score(
            measure="mine@x|v1", level="dialogue", value=float(place), dialogue_id=entry["conv_id"], system="a_redial"
        )
        for place, entry in enumerate(json.loads(gold.read_text()))
        if "a_redial" in entry["conv_id"]
    ]
    write_records(tmp_path / "scores.jsonl", scores)
    notes: list[str] = []
    found = agree_benchmark(
        "crsarena-eval",
        tmp_path / "scores.jsonl",
        labels=gold,
        resamples=100,
        note=lambda each: notes.append(str(each)),
    )
    assert {cell.aspect for cell in found.official} == set(OFFICIAL[2:])
    assert any("has no predictions for" in note for note in notes)
    assert found.write_run(tmp_path / "run.json") == len(scores)


def test_bad_runs_are_refused_with_what_is_wrong(tmp_path: Path) -> None:
    gold = labels(tmp_path / "gold.json", 10)
    other = predictions(tmp_path / "other.json", labels(tmp_path / "more.json", 10, seed=3))
    text = other.read_text().replace('"conv_id": "', '"conv_id": "x')
    other.write_text(text)
    with pytest.raises(DataError, match="none of its 10 conversations"):
        agree_benchmark("crsarena-eval", other, labels=gold, note=lambda _: None)
    with pytest.raises(DataError, match="no such file"):
        agree_benchmark("crsarena-eval", tmp_path / "none.json", labels=gold, note=lambda _: None)
    with pytest.raises(UnknownNameError, match="crsarena-eval"):
        agree_benchmark("crsarena", other)
    two = [
        Score(measure=name, level="dialogue", value=1.0, dialogue_id=entry["conv_id"])
        for entry in json.loads(gold.read_text())
        for name in ("one", "two")
    ]
    write_records(tmp_path / "two.jsonl", two)
    with pytest.raises(DataError, match="contains several metrics: one, two"):
        agree_benchmark("crsarena-eval", tmp_path / "two.jsonl", labels=gold, note=lambda _: None)


def users(path: Path, *, simulated: bool, agents: str = "ab", size: int = 24, seed: int = 0) -> str:
    """Dialogues in which real users write differently from simulated ones, or not."""
    rng = np.random.default_rng(seed)
    dialogues = []
    for place in range(size):
        system = agents[place % len(agents)]
        turns = int(rng.integers(2, 5)) + 2 * agents.index(system)
        text = "I would like a comedy." if simulated else "comedy pls"
        said = []
        for turn in range(turns):
            said.append(Utterance(speaker="user", text=f"{text} {'x' * int(rng.integers(3))}"))
            said.append(Utterance(speaker="system", text=f"Try film {turn}."))
        dialogues.append(Dialogue(id=f"{system}-{place}", system=system, user=f"u{place}", utterances=tuple(said)))
    write_records(path, dialogues)
    return str(path)


def test_users_that_write_differently_are_distinguished_by_what_differs(tmp_path: Path) -> None:
    real, robots = users(tmp_path / "r.jsonl", simulated=False), users(tmp_path / "s.jsonl", simulated=True, seed=1)
    found = realism([real], [robots], resamples=50)
    assert (found.two_sample.auc.value or 0) > 0.95
    assert found.gaps[0].giveaway.value in (0.0, 1.0)
    assert "can be distinguished from real ones" in found.answer[0]
    assert found.divergence is not None
    assert found.predictions[0].refusal is not None  # two agents are no order
    assert realism([real], [robots], resamples=50) == found


def test_dialogues_in_which_the_user_says_nothing_tell_nothing_of_users(tmp_path: Path) -> None:
    real = users(tmp_path / "r.jsonl", simulated=False)
    robots = list(read_records(users(tmp_path / "s.jsonl", simulated=True, seed=1), Dialogue))
    act = (DialogueAct(intent="Disclose"),)
    both = {}
    for name, messages in (("real", list(read_records(real, Dialogue))), ("simulated", robots)):
        both[name] = [
            each.model_copy(
                update={"utterances": tuple(said.model_copy(update={"acts": act}) for said in each.utterances)}
            )
            for each in messages
        ]
        write_records(tmp_path / f"{name}.jsonl", both[name])
    found = realism([str(tmp_path / "real.jsonl")], [str(tmp_path / "simulated.jsonl")], resamples=50)
    broken = [
        Dialogue(id=f"x{number}", system="a", utterances=(), ended_by=Ending.AGENT_ERROR, source="simulated")
        for number in range(9)
    ]
    cut = [each.model_copy(update={"ended_by": Ending.AGENT_TIMEOUT}) for each in both["simulated"][:2]]
    write_records(tmp_path / "flaky.jsonl", [*broken, *cut, *both["simulated"][2:]])
    flaky = realism([str(tmp_path / "real.jsonl")], [str(tmp_path / "flaky.jsonl")], resamples=50)
    assert flaky.gaps == found.gaps
    assert flaky.divergence == found.divergence
    assert found.divergence is not None
    assert found.divergence.acts == "annotated acts"  # one dialogue without a user made them acts recognised in text
    assert "9 simulated dialogues without any user text are left out." in flaky.warnings
    assert any(text.startswith("2 of 24 simulated dialogues were cut short by a failure") for text in flaky.warnings)
    write_records(tmp_path / "dead.jsonl", broken)
    with pytest.raises(DataError, match="the user has no text in any of its 9 dialogues; did the agent fail"):
        realism([str(tmp_path / "real.jsonl")], [str(tmp_path / "dead.jsonl")], resamples=50)


def test_the_same_users_cannot_be_distinguished(tmp_path: Path) -> None:
    one, other = (users(tmp_path / f"{seed}.jsonl", simulated=True, seed=seed, size=60) for seed in (2, 3))
    found = realism([one], [other], resamples=200)
    assert found.two_sample.auc.interval is not None
    assert found.two_sample.auc.interval.contains(0.5)
    assert "cannot be distinguished" in found.answer[0]


def test_orders_of_enough_agents_are_compared(tmp_path: Path) -> None:
    real = users(tmp_path / "r.jsonl", simulated=False, agents="abcdef", size=60)
    robots = users(tmp_path / "s.jsonl", simulated=True, agents="abcdef", size=60, seed=1)
    found = realism([real], [robots], resamples=50)
    turns = next(each for each in found.predictions if each.measure == "turns@user_utterances|v1")
    assert turns.refusal is None
    assert (turns.spearman.value or 0) > 0.9
    assert turns.real.share is not None


def test_too_few_dialogues_of_both_kinds_are_refused_together(tmp_path: Path) -> None:
    real, robots = (users(tmp_path / f"{kind}.jsonl", simulated=kind == "s", size=4) for kind in "rs")
    with pytest.raises(DataError) as caught:
        realism([real], [robots], resamples=100)
    assert len(caught.value.problems) == 2


def test_the_same_dialogues_on_both_sides_are_refused(tmp_path: Path) -> None:
    real = users(tmp_path / "r.jsonl", simulated=False)
    with pytest.raises(DataError, match="24 dialogues are both among the real and among the simulated"):
        realism([real], [real], resamples=100)


def test_an_empty_run_is_distinguished_from_scores(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(DataError, match="the list is empty; expected conversations"):
        agree_benchmark(
            "crsarena-eval", tmp_path / "run.json", labels=labels(tmp_path / "g.json", 4), note=lambda _: None
        )


def test_a_metric_at_chance_leads_nothing_and_a_threat_says_so(tmp_path: Path) -> None:
    bare = [record.model_copy(update={"ratings": ()}) for record in good_and_bad() if isinstance(record, Dialogue)]
    run = evaluate(written(tmp_path / "d.jsonl", list(bare)), metrics=["distinct(n=2)@ratio"], resamples=100)
    assert run.answer.startswith("No measure here can decide")
    assert any(threat.code is ThreatCode.AT_CHANCE for threat in run.findings.threats)
