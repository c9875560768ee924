"""The paper's numbers beside ours: what can be had again, and what cannot, and why."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.demo_records import demo_responses, demo_situations
from trialogue.cli.app import app
from trialogue.errors import DataError
from trialogue.metrics import get_metrics
from trialogue.records import Preference, write_records
from trialogue.reproduce.behavior_alignment import Reproduction, reproduce
from trialogue.reproduce.behavior_alignment.baselines import (
    SAME_TURN,
    match_probabilities,
    rows,
    share_of_matching_pairs,
)
from trialogue.reproduce.behavior_alignment.figures import construct_pairs
from trialogue.reproduce.behavior_alignment.table1 import rows as table1_rows
from trialogue.subjects.alignment.differentiation import differentiation


@pytest.fixture(scope="module")
def without_data(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("TRIALOGUE_DATA_MIRROR", raising=False)
        patched.setenv("TRIALOGUE_DATA", str(tmp_path_factory.mktemp("nothing")))
        return reproduce(resamples=100)


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without corpora."""
    monkeypatch.delenv("TRIALOGUE_DATA_MIRROR", raising=False)
    monkeypatch.setenv("TRIALOGUE_DATA", str(tmp_path / "nothing"))


def test_without_any_corpus_every_part_says_what_is_missing(without_data: Reproduction) -> None:
    parts = {row.part.partition(":")[0] for row in without_data.rows}
    assert {"Table 1", "Table 2", "Tables 3 and 4", "Table 5", "Figure 2", "Figure 3"} <= parts
    for row in without_data.rows:
        if row.status in ("not here", "impossible"):
            assert row.ours is None
            assert row.why
    assert any("trialogue data get inspired" in str(row.why) for row in without_data.rows)


def test_the_papers_own_numbers_are_beside_ours(without_data: Reproduction) -> None:
    printed = {row.paper for row in without_data.rows if row.paper is not None}
    assert {1.158, 1.0, 2.5, 0.158, 0.053, 0.571, 0.782, 0.932, 0.74, 0.11, 0.88} <= printed


def test_tables_and_figures_are_written(without_data: Reproduction, tmp_path: Path) -> None:
    page = without_data.write(tmp_path / "out")
    text = page.read_text("utf-8")
    assert "## Table 5" in text
    assert "differentiation-1.svg" in text
    assert (tmp_path / "out" / "differentiation-1.svg").read_text("utf-8").startswith("<svg")
    lines = [json.loads(line) for line in (tmp_path / "out" / "reproduction.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == len(without_data.rows) + 9  # metrics of figure 3


def test_constructed_pairs_have_the_strategies_that_they_are_to_have() -> None:
    situations = [one for one in demo_situations() if one.reference is not None]
    (found,) = differentiation(
        construct_pairs(situations, ideal=1.0, worst=0.0), get_metrics(["behavior_alignment"]), resamples=50
    )
    values = [mix.estimate.value for mix in found.mixes]
    assert values[0] == 0
    assert values[-1] == 1
    assert values == pytest.approx(np.linspace(0, 1, 11), abs=0.02)  # a line


@pytest.mark.usefixtures("nothing_here")
def test_own_pairs_are_mixed_by_what_people_preferred(tmp_path: Path) -> None:
    wanted = {"aria", "chip"}
    replies = [one for one in demo_responses() if one.system in wanted]
    votes = [
        Preference(id=one.id, a="aria", b="chip", choice="a", situation_id=one.id)
        if number % 2
        else Preference(id=one.id, a="chip", b="aria", choice="b", situation_id=one.id)
        for number, one in enumerate(demo_situations())
        if one.reference is not None
    ]
    write_records(tmp_path / "pairs.jsonl", [*demo_situations(), *replies, *votes])
    found = reproduce(pairs=[tmp_path / "pairs.jsonl"], quick=True, resamples=100)
    judged = {row.what: row for row in found.rows if row.part.startswith("Figure 2") and row.status == "ours"}
    kappa = next(row.ours for what, row in judged.items() if what.startswith("kappa of behavior_alignment"))
    assert kappa is not None
    assert kappa.interval is not None
    assert kappa.interval.low > 0  # aria does what the human did more often than chip, which gets none of the votes
    assert all(row.on == "Pairs of pairs.jsonl" for row in judged.values())
    printed = next(row for row in found.rows if row.what == "kappa of Behavior Alignment")
    assert "below: the pairs given" in str(printed.why)
    (own, *_) = found.figures.values()
    alignment = next(one for one in own if one.measure.name.startswith("behavior_alignment"))
    assert alignment.tells  # aria does what the human did, chip does not


def test_what_could_be_trained_is_not_called_impossible_and_says_what_it_costs(without_data: Reproduction) -> None:
    rows = [row for row in without_data.rows if row.status == "not attempted"]
    assert {row.what: row.paper for row in rows if row.what.startswith("Original")} == {
        **{f"Original: fold {n}: accuracy": v for n, v in enumerate((0.960, 0.958, 0.958, 0.940, 0.967))},
        "Original: mean accuracy": 0.957,
        "Original: kappa": 0.913,
    }
    assert len(rows) == 14
    assert all("trialogue strategies evaluate" in str(row.why) and "GPU" in str(row.why) for row in rows)
    assert {"model.hard=none", "model.hard=paper"} == {str(row.why).rpartition("--set ")[2] for row in rows}


def test_figure_2_names_the_command_that_fills_it(without_data: Reproduction) -> None:
    (row,) = (row for row in without_data.rows if row.part.startswith("Figure 2"))
    assert str(row.why).endswith("trialogue reproduce behavior-alignment --pairs FILE")


@pytest.mark.mirror
@pytest.mark.filterwarnings("ignore::trialogue.records.files.jsonl.RepairWarning")  # of MovieLens
def test_table_1_says_what_each_definition_is_and_which_comes_nearest(mirror: Path) -> None:
    found = [row for row in table1_rows(seed=0, resamples=100) if row.on.startswith("inspired")]
    nearest = [row for row in found if "nearest to the paper's human row" in str(row.why)]
    assert {row.what.partition("(")[0].partition("@")[0] for row in nearest} == {
        "human: turns_before_recommendation",
        "human: success_rate",
    }
    assert all(row.why and not row.why.startswith("n = ") for row in found)


@pytest.mark.usefixtures("nothing_here")
def test_pairs_without_preferences_are_refused(tmp_path: Path) -> None:
    write_records(tmp_path / "bare.jsonl", [*demo_situations(), *demo_responses()])
    with pytest.raises(DataError, match="none of the 0 preferences"):
        reproduce(pairs=[tmp_path / "bare.jsonl"], quick=True, resamples=100)


@pytest.mark.usefixtures("nothing_here")
def test_the_command_prints_every_number_and_where_the_tables_are(tmp_path: Path) -> None:
    words = [
        "reproduce",
        "behavior-alignment",
        "--set",
        "quick=true",
        "--set",
        "resamples=100",
        "--out",
        str(tmp_path / "out"),
    ]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output
    assert "GPT-3.5: turns" in found.stdout
    assert "1.158" in found.stdout
    assert "reproduction.md" in found.stdout


@pytest.mark.mirror
def test_baselines_on_inspired_are_those_on_the_card(mirror: Path) -> None:
    from trialogue.inputs.inputs import gather

    dialogues = gather([str(mirror / "inspired" / part) for part in ("dev.tsv", "test.tsv")]).dialogues
    found = {row.what: row.ours for row in rows(dialogues, seed=0, resamples=200)}
    by_number = "two human sentences at the same position in their dialogues, first ones left out"
    expected = {
        "a random human sentence of another dialogue": 0.112,
        SAME_TURN: 0.146,  # with greetings; spec .136: by number of the sentence and without the first
        f"{SAME_TURN}, first turn left out": 0.138,
        by_number: 0.136,
        "always the most frequent strategy": 0.166,
    }
    for what, value in expected.items():
        estimate = found[what]
        assert estimate is not None
        assert estimate.value == pytest.approx(value, abs=0.001), what
        assert estimate.n == (3_034 if what == by_number else 2_991 if "left out" in what else 3_083)


def test_a_sentence_at_the_same_turn_of_another_dialogue_is_drawn_in_two_ways() -> None:
    labels, places = np.array([0, 0, 1, 0, 0]), np.array([0, 0, 0, 1, 2])
    owners = np.array([0, 1, 2, 0, 0])
    # at place 0 the first two find one of two alike, the third none; places 1 and 2 have one dialogue only: 0 hits
    assert match_probabilities(labels, places, owners).value == pytest.approx((1 / 2 + 1 / 2) / 5)
    # of 6 ordered pairs at place 0 two are alike
    assert share_of_matching_pairs(labels, places, owners).value == pytest.approx(2 / 6)


def test_sentences_of_the_own_dialogue_are_never_drawn() -> None:
    shares = match_probabilities(np.array([0, 0, 1]), np.zeros(3, dtype=np.int64), np.array([0, 0, 1]))
    assert shares.hits.tolist() == [0, 0, 0]


@pytest.mark.mirror
def test_table_5_of_the_sample_says_that_it_is_one(mirror: Path) -> None:
    from trialogue.reproduce.behavior_alignment.classifiers import table5_rows

    found = list(table5_rows(mirror / "redial_strategies_sample", seed=0))
    accuracies = [row for row in found if "accuracy" in row.what and "by sentence" in row.what]
    assert [row.paper for row in accuracies] == [0.782, 0.932]
    assert {row.status for row in accuracies} == {"sample"}
