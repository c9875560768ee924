"""Published numbers on real data come out."""

import csv
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trialogue.stats import Vote, bradley_terry, elo, elo_order_dependence, krippendorff_alpha, win_rates

pytestmark = pytest.mark.mirror

# CRSArena-Dial (WSDM 2025): Elo as published; Bradley-Terry, rank range and win rate as others got from the same votes.
TABLE = {
    "chatgpt_opendialkg": (1102, 1246, (1, 3), 0.764, 36),
    "chatgpt_redial": (1102, 1178, (1, 3), 0.739, 46),
    "barcor_redial": (1077, 1139, (1, 3), 0.695, 41),
    "barcor_opendialkg": (988, 1006, (4, 6), 0.447, 47),
    "kbrd_redial": (994, 954, (4, 7), 0.537, 40),
    "unicrs_redial": (950, 895, (5, 9), 0.382, 38),
    "crbcrs_redial": (930, 888, (5, 9), 0.306, 54),
    "unicrs_opendialkg": (937, 874, (5, 9), 0.348, 33),
    "kbrd_opendialkg": (920, 819, (7, 9), 0.286, 35),
}


@pytest.fixture(scope="module")
def votes(mirror: Path) -> list[Vote]:
    """All 185 votes in the order of the files: the open study, then the crowdsourced one."""
    rows: list[Any] = []
    for name in ("votes_open.csv", "votes_closed.csv"):
        with (mirror / "crsarena_dial" / name).open(encoding="utf-8", newline="") as stream:
            rows.extend(csv.DictReader(stream))
    found = []
    for row in rows:
        choice: Any = {row["crs1"]: "a", row["crs2"]: "b", "tie": "tie"}[row["vote"]]
        found.append(Vote(row["crs1"], row["crs2"], choice, row["user_id"]))
    return found


def test_elo_comes_out_to_the_unit_in_the_order_of_the_files(votes: list[Vote]) -> None:
    assert len(votes) == 185
    assert {one.name: round(one.rating) for one in elo(votes)} == {name: row[0] for name, row in TABLE.items()}


def test_elo_comes_out_in_no_other_natural_order_nor_without_the_doubled_vote(votes: list[Vote]) -> None:
    published = {name: row[0] for name, row in TABLE.items()}
    closed_first = votes[81:] + votes[:81]
    seen: set[tuple[str | None, str, str]] = set()
    once = [v for v in votes if (key := (v.rater, v.a, v.b)) not in seen and not seen.add(key)]  # type: ignore[func-returns-value]
    assert len(once) == 184
    for other in (closed_first, once):
        assert {one.name: round(one.rating) for one in elo(other)} != published


def test_elo_depends_on_the_order_as_reported(votes: list[Vote]) -> None:
    spread = elo_order_dependence(votes, rng=np.random.default_rng(0))
    assert all(4.5 <= one.sd <= 8.5 for one in spread)  # "sd 5-8 points"
    assert max(max(one.rank - one.rank_low, one.rank_high - one.rank) for one in spread) == 2  # "by up to 2"


def test_bradley_terry_comes_out_to_the_unit_with_ties_as_half_wins(votes: list[Vote]) -> None:
    found = bradley_terry(votes, ties="half", rng=np.random.default_rng(0))
    ratings = {one.name: round(one.rating.value or 0) for one in found.strengths}
    assert ratings == {name: row[1] for name, row in TABLE.items()}
    assert {one.name: (one.rank.low, one.rank.high) for one in found.strengths} == {n: r[2] for n, r in TABLE.items()}
    assert found.raters == 184


def test_davidsons_strengths_have_the_same_order_on_a_wider_scale(votes: list[Vote]) -> None:
    half, davidson = bradley_terry(votes, ties="half"), bradley_terry(votes)
    assert [one.name for one in davidson.strengths] == [one.name for one in half.strengths]
    assert davidson.tie_parameter == pytest.approx(2.065, abs=0.001)
    spans = [(m.strengths[0].rating.value or 0) - (m.strengths[-1].rating.value or 0) for m in (half, davidson)]
    assert [round(span) for span in spans] == [427, 866]


def test_win_rates_come_out_with_ties_as_half_wins(votes: list[Vote]) -> None:
    for one in win_rates(votes):
        assert (round((one.rate.value or 0) - 1e-9, 3), one.rate.n) == TABLE[one.name][3:]


def test_alpha_of_the_inspired2_study_comes_out(mirror: Path) -> None:
    from openpyxl import load_workbook

    ratings = []
    for path in sorted((mirror / "inspired2_study").glob("*.xlsx")):
        rows = list(load_workbook(path)["Sheet1"].iter_rows(values_only=True))
        for first in (0, 4):  # two systems side by side: text and three ratings each
            block = [row[first : first + 4] for row in rows if row[first] is not None]
            for row, after in pairwise(block):
                if str(row[0]).startswith("REC~") and str(after[0]).startswith(("GROUND-TRUTH~", "RECOMMENDER~")):
                    ratings.append([float(str(mark)) for mark in row[1:]])
    found = krippendorff_alpha(ratings, level="ordinal", rng=np.random.default_rng(0))
    assert found.n == 1_860
    assert found.value == pytest.approx(0.275, abs=0.0005)
    assert found.interval is not None
    assert found.interval.contains(0.275)
