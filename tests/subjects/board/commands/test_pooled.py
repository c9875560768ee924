"""Several runs of one version on a board: pooled values, differences, and what one run alone cannot say."""

from pathlib import Path

import pytest

from tests.subjects.board.commands.made import folder, share, simulated
from trialogue.records import ReasonCode
from trialogue.subjects.board.commands.board import Board, board
from trialogue.subjects.board.records import BoardCell


def cell(made: Board, row: str) -> BoardCell:
    return made.findings.columns[0].cell(row)


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two versions at three seeds: .4, .5, .6 and .8, .9, 1."""
    root = tmp_path_factory.mktemp("seeds")
    for seed in range(3):
        folder(root / f"a{seed}", simulated("mine", share(0.4 + 0.1 * seed), seed=seed))
        folder(root / f"b{seed}", simulated("mine", share(0.8 + 0.1 * seed), seed=seed))
    return root


def given(seeds: Path, *names: str) -> list[str]:
    return [f"{name[0]}={seeds / name}" for name in names]


def test_the_value_of_a_version_is_the_mean_of_its_runs_with_the_variance_between_them(seeds: Path) -> None:
    made = board(*given(seeds, "a0", "a1", "a2", "b0", "b1", "b2"))
    pooled = cell(made, "a")
    assert pooled.estimate.value == pytest.approx(0.5)
    assert pooled.runs == 3
    interval = pooled.estimate.interval
    assert interval is not None
    # every seed has needs of its own: sd of (.4, .5, .6) is .1, half width 4.303 x .1 / sqrt(3) = .248
    assert interval.high - interval.low == pytest.approx(2 * 0.2484, abs=0.0005)
    assert pooled.between is not None
    # between runs: .1^2 less the mean of p (1 - p) / 39 over the three shares, which is more: nothing is left
    assert pooled.between == pytest.approx(max(0.0, 0.01 - (0.24 + 0.25 + 0.24) / 3 / 39) ** 0.5, abs=1e-9)


def test_differences_of_pooled_versions_are_paired_by_seed(seeds: Path) -> None:
    made = board(*given(seeds, "a0", "a1", "a2", "b2", "b1", "b0"))  # in any order
    (league,) = made.findings.columns[0].leagues
    (contrast,) = league.contrasts
    assert contrast.difference.value == pytest.approx(-0.4)
    assert contrast.verdict == "b"
    assert made.findings.rows[0].runs == ("b2", "b1", "b0")


def test_versions_with_other_seeds_are_not_ranked_together(seeds: Path) -> None:
    made = board(*given(seeds, "a0", "a1", "b1", "b2"))
    assert made.findings.columns[0].leagues == ()
    assert [reason.code for reason in cell(made, "a").why] == [ReasonCode.BOARD_SAMPLE_DIFFERS]


def test_one_version_with_many_seeds_does_not_beat_one_with_few_by_its_number_of_runs(seeds: Path) -> None:
    made = board(*given(seeds, "a0", "a1", "a2", "b0"))
    assert made.findings.columns[0].leagues == ()
    assert [reason.code for reason in cell(made, "a").why] == [ReasonCode.BOARD_RUN_COUNTS_DIFFER]


def test_a_run_without_the_measure_leaves_its_version_without_a_value(seeds: Path, tmp_path: Path) -> None:
    other = folder(tmp_path / "a9", simulated("mine", share(0.9), seed=9), ["repetition"])
    made = board(*given(seeds, "a0", "a1"), f"a={other}", *given(seeds, "b0", "b1"), on=["need_met"])
    assert cell(made, "a").estimate.value is None
    assert str(cell(made, "a").estimate.why) == "1 of its 3 runs did not measure it"


def test_prompts_on_the_same_needs_are_crossed_with_them(tmp_path: Path) -> None:
    for name, successes in (("x", share(0.5)), ("y", share(0.5, shift=4)), ("z", share(0.5, shift=8))):
        folder(tmp_path / name, simulated("mine", successes, reply=name))
    made = board(*(f"v={tmp_path / name}" for name in "xyz"))
    pooled = made.findings.columns[0].cells[0]
    assert pooled.runs == 3
    assert pooled.estimate.clusters == 40  # needs, not dialogues
    assert pooled.estimate.interval is not None
    # the runs' means are equal, so all error is that of the sample of needs
    width = pooled.estimate.interval.high - pooled.estimate.interval.low
    assert 0.2 < width < 0.35
