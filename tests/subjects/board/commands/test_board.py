"""Boards of many runs: what is ranked together, what is not and why, versions that are pooled, and attacks on them."""

import json
from pathlib import Path

import pytest

import trialogue
from tests.records.runs.made import reseal
from tests.subjects.board.commands.made import NEED_MET, crash, evaluated, folder, share, simulated, talk
from tests.workflows.made import good_and_bad, offline, written
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.findings.threats import ThreatCode, Validity
from trialogue.records import Dialogue, ReasonCode
from trialogue.subjects.board.commands.board import Board, board
from trialogue.subjects.board.records import BoardCell, BoardColumn
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.workflows.demo import demo


def column(made: Board, place: int = 0) -> BoardColumn:
    return made.findings.columns[place]


def cell(made: Board, row: str) -> BoardCell:
    return column(made).cell(row)


def ranks(made: Board) -> dict[str, tuple[int | None, int | None]]:
    return {each.row: (each.rank_low, each.rank_high) for each in column(made).cells}


def codes(made: Board, row: str) -> list[ReasonCode]:
    return [reason.code for reason in cell(made, row).why]


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three versions on the same 40 users: half, half of other users, and nine tenths."""
    root = tmp_path_factory.mktemp("versions")
    for name, successes in (("v1", share(0.5)), ("v2", share(0.5, shift=3)), ("v3", share(0.9))):
        folder(root / name, simulated("mine", successes))
    return root


def test_versions_on_the_same_users_are_ranked_together_as_compare_finds_them(versions: Path) -> None:
    made = board(versions / "v1", versions / "v2", versions / "v3", on=["need_met"])
    assert ranks(made) == {"v3": (1, 1), "v1": (2, 3), "v2": (2, 3)}
    assert [row.name for row in made.findings.rows] == ["v3", "v1", "v2"]
    league = column(made).leagues[0]
    assert len(column(made).leagues) == 1
    pair = next(each for each in league.contrasts if {each.a, each.b} == {"v1", "v3"})
    compared = compare(versions / "v1", versions / "v3", on=[NEED_MET], resamples=10_000)
    other = compared.comparison.judgements[0].difference
    assert pair.difference.value == pytest.approx(-0.4)  # .5 - .9
    assert other.value == pytest.approx(0.4)
    assert pair.difference.interval is not None
    assert other.interval is not None
    assert pair.difference.p == other.p
    assert pair.difference.interval.low == pytest.approx(-other.interval.high)
    assert pair.difference.interval.high == pytest.approx(-other.interval.low)
    assert pair.p_adjusted is not None
    assert other.p is not None
    assert pair.p_adjusted >= other.p  # corrected across three pairs


def test_a_history_compares_every_version_with_the_baseline(versions: Path) -> None:
    made = board(versions / "v1", versions / "v2", versions / "v3", baseline="v2", on=["need_met"])
    (history,) = made.findings.histories
    assert [point.version for point in history.points] == ["v1", "v2", "v3"]  # as given, not by value
    assert [point.is_baseline for point in history.points] == [False, True, False]
    last = history.points[2].contrast
    assert last is not None
    assert (last.a, last.b, last.verdict) == ("v3", "v2", "a")
    assert last.difference.value == pytest.approx(0.4)
    first = history.points[0].contrast
    assert first is not None
    assert first.verdict == "inconclusive"
    assert first.difference.value == pytest.approx(0.0)
    with pytest.raises(UnknownNameError, match="no version 'v9' on the board"):
        board(versions / "v1", versions / "v2", baseline="v9")


def test_the_order_of_folders_and_their_place_change_nothing_but_the_history(versions: Path, tmp_path: Path) -> None:
    made = board(f"a={versions / 'v1'}", f"b={versions / 'v3'}", on=["need_met"])
    (tmp_path / "elsewhere").mkdir()
    for name in ("v1", "v3"):
        (tmp_path / "elsewhere" / name).symlink_to(versions / name)
    again = board(
        f"b={tmp_path / 'elsewhere' / 'v3'}", f"a={tmp_path / 'elsewhere' / 'v1'}", baseline="a", on=["need_met"]
    )
    assert made.findings.columns == again.findings.columns
    assert made.findings.rows == again.findings.rows
    one, other = (
        made.write(tmp_path / "one"),
        board(f"a={versions / 'v1'}", f"b={versions / 'v3'}", on=["need_met"]).write(tmp_path / "two"),
    )
    for path in sorted(one.parent.rglob("*.*")):
        if path.is_file():
            assert path.read_bytes() == (other.parent / path.relative_to(one.parent)).read_bytes(), path


def test_other_needs_are_not_ranked_though_the_ids_of_dialogues_are_equal(versions: Path, tmp_path: Path) -> None:
    other = folder(tmp_path / "other", simulated("mine", share(1.0), seed=1))
    made = board(versions / "v1", versions / "v2", other, on=["need_met"])
    assert ranks(made)["other"] == (None, None)
    assert codes(made, "other") == [ReasonCode.BOARD_SAMPLE_DIFFERS]
    assert "other" not in str(made.findings.answer[0])
    assert any("Not ranked with the others: other" in str(each) for each in made.findings.answer)


def test_a_run_with_five_dialogues_is_not_ranked_with_runs_of_forty(versions: Path, tmp_path: Path) -> None:
    five = folder(tmp_path / "five", simulated("mine", [True] * 5))
    made = board(versions / "v1", versions / "v2", five, on=["need_met"])
    assert ranks(made)["five"] == (None, None)
    assert str(cell(made, "five").why[0]).endswith("(it met 5, the others 40, not all of them the same)")


def test_a_crashing_version_neither_leads_nor_disappears(versions: Path, tmp_path: Path) -> None:
    half = [crash("mine", n) if n % 2 else talk("mine", n, met=True) for n in range(40)]  # all it finishes succeed
    always = [crash("mine", n) for n in range(40)]
    made = board(
        versions / "v1",
        versions / "v3",
        folder(tmp_path / "half", half),
        folder(tmp_path / "always", always),
        on=["need_met"],
    )
    assert cell(made, "half").estimate.value == pytest.approx(0.5)  # failures count as needs that were not met
    assert ranks(made)["v3"] == (1, 1)
    assert ranks(made)["always"] == (None, None)
    assert codes(made, "always") == [ReasonCode.BOARD_BLOCKED]
    assert cell(made, "always").validity is Validity.BLOCKED
    failing = [each for each in made.findings.threats if each.code is ThreatCode.FAILURE_DIFFERENCE]
    assert {each.systems for each in failing} >= {("half", "v1"), ("half", "v3")}


def test_other_simulated_users_are_not_ranked_together(versions: Path, tmp_path: Path) -> None:
    made = board(
        versions / "v1",
        versions / "v2",
        folder(tmp_path / "o", simulated("mine", share(0.9), users="kind")),
        on=["need_met"],
    )
    assert [each.measure.users for each in made.findings.columns] == ["sim", "kind"]  # a column for each kind of users
    assert cell(made, "o").estimate.value is None
    assert column(made, 1).cell("o").rank_low is None


def test_another_measure_of_the_same_metric_is_a_column_of_its_own(versions: Path, tmp_path: Path) -> None:
    other = folder(tmp_path / "o", simulated("mine", share(0.9)), ["need_met(turns=3)"])
    made = board(versions / "v1", versions / "v2", other, on=["need_met"])
    names = [str(each.measure.measured) for each in made.findings.columns]
    assert sorted(names) == ["need_met(turns=10)@named|v1", "need_met(turns=3)@named|v1"]
    assert cell(made, "o").estimate.value is None
    assert str(cell(made, "o").estimate.why) == "it was not measured"


def test_a_copied_folder_counts_once(versions: Path, tmp_path: Path) -> None:
    (tmp_path / "copy").symlink_to(versions / "v1")
    made = board(f"v1={versions / 'v1'}", f"v1={tmp_path / 'copy'}", f"v3={versions / 'v3'}")
    assert cell(made, "v1").runs == 1
    assert [(each.run, each.why.code) for each in made.findings.left_out] == [("v1 #2", ReasonCode.BOARD_SAME_RUN)]


def test_the_same_dialogues_evaluated_twice_count_once(versions: Path, tmp_path: Path) -> None:
    records = simulated("mine", share(0.5))
    again = evaluate(records, metrics=[NEED_MET, "repetition"], resamples=200)  # other findings of the same dialogues
    again.write(tmp_path / "again", explorer=False)
    made = board(f"v1={versions / 'v1'}", f"v1={tmp_path / 'again'}", f"v3={versions / 'v3'}", on=[NEED_MET])
    assert cell(made, "v1").runs == 1
    assert [each.why.code for each in made.findings.left_out] == [ReasonCode.BOARD_SAME_DIALOGUES]


def test_edited_results_are_refused(versions: Path, tmp_path: Path) -> None:
    edited = folder(tmp_path / "edited", simulated("mine", share(0.2)))
    text = (edited / "findings.json").read_text()
    (edited / "findings.json").write_text(text.replace("0.2", "0.9", 1))
    with pytest.raises(DataError, match=r"findings.json: this file of the run was changed.*expected sha256 .*, found"):
        board(versions / "v1", edited)


def test_all_wrong_folders_are_named_at_once(versions: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        board(versions / "v1", tmp_path / "nothing", tmp_path / "neither")
    assert [problem.file for problem in caught.value.problems] == [str(tmp_path / "nothing"), str(tmp_path / "neither")]
    with pytest.raises(UsageError, match="at least one run"):
        board()


def test_folders_of_one_name_need_versions(versions: Path, tmp_path: Path) -> None:
    other = folder(tmp_path / "v1", simulated("mine", share(0.9)))
    with pytest.raises(UsageError, match=r"2 folders are called 'v1'.*Name the version of each: v1="):
        board(versions / "v1", other)


def test_runs_of_different_language_models_are_not_pooled_under_one_version(tmp_path: Path) -> None:
    def answered(model: str, seed: int) -> list[Dialogue]:
        return [
            each.model_copy(
                update={
                    "utterances": tuple(
                        said.model_copy(update={"meta": {"model": model}}) if said.speaker == "system" else said
                        for said in each.utterances
                    )
                }
            )
            for each in simulated("mine", share(0.5), seed=seed)
        ]

    one = folder(tmp_path / "one", answered("model-a", 0))
    other = folder(tmp_path / "other", answered("model-b", 1))
    with pytest.raises(UsageError, match=r"different language models \(one: model-a; other: model-b\)"):
        board(f"v1={one}", f"v1={other}")
    assert len(board(one, other).findings.rows) == 2  # as two versions they are what they are


def test_systems_of_one_run_are_ranked_as_the_run_ranks_them() -> None:
    run = evaluate(good_and_bad(), metrics=["length@words"], resamples=200)
    made = board(run)
    league = next(each for each in run.findings.leagues if each.measure.by == "people")
    assert ranks(made) == {each.system: (each.rank_low, each.rank_high) for each in league.standings}
    contrast = column(made).leagues[0].contrasts[0]
    own = league.contrasts[0]
    difference = own.difference if (own.a, own.b) == (contrast.a, contrast.b) else own.difference.negate()
    assert contrast.difference.interval == difference.interval


@pytest.mark.slow
def test_an_experiment_is_ranked_as_its_report_ranks_it_and_its_threats_stay_with_their_users(tmp_path: Path) -> None:
    made = demo(tmp_path / "demo", n=8, resamples=200, explorer=False)
    shown = board(tmp_path / "demo", resamples=200)
    people, simulated = (
        next(each for each in shown.findings.columns if (each.measure.users is None) == is_people)
        for is_people in (True, False)
    )
    report = {league.measure.name: league for league in made.findings.leagues}
    for each in (people, simulated):
        own = report[each.measure.name]
        ranks_of = {standing.system: (standing.rank_low, standing.rank_high) for standing in own.standings}
        assert {cell.row: (cell.rank_low, cell.rank_high) for cell in each.cells} == ranks_of
        decided = {(one.a, one.b): one.verdict for one in own.contrasts}
        assert {(one.a, one.b): one.verdict for league in each.leagues for one in league.contrasts} == decided
    about_users = [each for each in shown.findings.threats if each.users is not None]
    assert about_users
    assert all(each.measure is not None for each in about_users)
    assert not [each for each in about_users if each.concerns_measure(people.measure.name)]


def test_people_of_other_runs_are_ranked_together_on_condition(tmp_path: Path) -> None:
    first, second = good_and_bad(), good_and_bad(15)
    second = [each.model_copy(update={"user": f"other {each.user}"}) for each in second if isinstance(each, Dialogue)]
    runs = [evaluate(written(tmp_path / f"{n}.jsonl", records), metrics=["length@words"], resamples=200).write(
        tmp_path / name, explorer=False).parent for n, (name, records) in enumerate((("a", first), ("b", second)))
    ]  # fmt: skip
    made = board(*runs)
    (league,) = column(made).leagues
    assert len(league.standings) == 4
    versions = {row.name: row.version for row in made.findings.rows}
    validities = {each.validity for each in league.contrasts if versions[each.a] != versions[each.b]}
    assert validities == {Validity.CONDITIONAL}
    own = next(each for each in league.contrasts if versions[each.a] == versions[each.b] == "a")
    (of_run,) = evaluate(first, metrics=["length@words"], resamples=200).findings.leagues[0].contrasts
    assert abs(own.difference.value or 0) == abs(of_run.difference.value or 0)
    pairs = {frozenset(each.systems) for each in made.findings.threats if each.code is ThreatCode.UNASSIGNED_PEOPLE}
    assert pairs == {frozenset((a, b)) for a in versions for b in versions if versions[a] != versions[b]}


def test_replies_to_the_same_situations_are_ranked_across_runs(tmp_path: Path) -> None:
    records = offline()
    situations = [each for each in records if each.kind == "situation"]
    runs = [
        folder(
            tmp_path / system,
            [*situations, *(each for each in records if getattr(each, "system", "") == system)],
            ["token_f1"],
        )
        for system in ("echo", "mute")
    ]
    made = board(*runs, on=["token_f1"])
    assert ranks(made)["echo"] == (1, 1)
    fewer = folder(
        tmp_path / "fewer",
        [*situations[:8], *(each for each in records[:24] if getattr(each, "system", "") == "echo")],
        ["token_f1"],
    )
    apart = board(runs[1], f"fewer={fewer}", on=["token_f1"])
    assert codes(apart, "echo") == [ReasonCode.BOARD_SAMPLE_DIFFERS]


def test_a_run_that_does_not_know_its_situations_is_listed_with_the_reason(versions: Path, tmp_path: Path) -> None:
    old = folder(tmp_path / "old", simulated("mine", share(0.9)))
    content = json.loads((old / "findings.json").read_text())
    del content["populations"]
    (old / "findings.json").write_text(json.dumps(content))
    made = board(versions / "v1", versions / "v2", reseal(old))
    assert ReasonCode.BOARD_POPULATION_UNKNOWN in codes(made, "old") or cell(made, "old").estimate.value is None
    assert ranks(made)["old"] == (None, None)


def test_a_board_of_one_run_of_one_system_says_that_nothing_is_comparable(versions: Path) -> None:
    made = board(versions / "v1", on=["need_met"])
    assert column(made).leagues == ()
    assert str(made.findings.answer[0]).startswith("No two rows are comparable on Need met")
    assert codes(made, "mine") == [ReasonCode.BOARD_ALONE]


def test_unknown_measures_and_systems_are_named(versions: Path) -> None:
    with pytest.raises(UnknownNameError, match="no measure 'blue' in the runs"):
        board(versions / "v1", on=["blue"])
    with pytest.raises(UnknownNameError, match="no system 'yours' in the runs"):
        board(versions / "v1", systems=["yours"])
    with pytest.raises(UsageError, match="alpha must be above 0 and at most"):
        trialogue.board(versions / "v1", alpha=1.5)
    run = evaluated(simulated("mine", share(0.5)), ["turns"])
    with pytest.raises(UsageError, match="turns cannot rank systems: it has no direction"):
        board(run, on=["turns"])
    with pytest.raises(UsageError, match="choose a measure"):
        board(run)


@pytest.mark.parametrize("name", ["", "  "])
def test_a_version_without_a_name_is_refused(versions: Path, name: str) -> None:
    with pytest.raises(UsageError, match="names no version"):
        board(f"{name}={versions / 'v1'}")


def test_strange_names_reach_the_page_whole_and_harmless(tmp_path: Path) -> None:
    names = ["human:x", "<script>alert(1)</script>", "a" * 300, "שלום", "v1 | v2"]
    runs = [
        f"{name}={folder(tmp_path / str(n), simulated('mine', share(0.5, shift=n)))}" for n, name in enumerate(names)
    ]
    made = board(*runs)
    page = made.write(tmp_path / "board").read_text()
    assert "<script>alert" not in page
    assert {row.version for row in made.findings.rows} == set(names)
    assert f"a{'a' * 299}" in (tmp_path / "board" / "leaderboard.csv").read_text()
