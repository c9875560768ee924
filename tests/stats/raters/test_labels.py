"""Labels to codes."""

import numpy as np
import pytest

from trialogue import stats
from trialogue.errors import UsageError
from trialogue.stats.raters.labels import MISSING, encode


def test_numbers_are_sorted_as_numbers_and_words_as_words() -> None:
    assert encode([10, 9, 10])[0] == (9, 10)
    assert encode(["b", "a"])[0] == ("a", "b")


def test_missing_labels_have_the_code_for_missing() -> None:
    names, codes = encode(["x", None, "y", float("nan")])
    assert names == ("x", "y")
    assert codes.tolist() == [0, MISSING, 1, MISSING]


def test_tables_keep_their_shape() -> None:
    assert encode([["a", "b"], [None, "a"]])[1].tolist() == [[0, 1], [MISSING, 0]]
    assert encode(np.array([[1.0, np.nan]]))[1].tolist() == [[0, MISSING]]
    assert encode([])[1].shape == (0,)


def test_given_levels_decide_the_codes() -> None:
    assert encode(["low", "high"], levels=["low", "middle", "high"])[1].tolist() == [0, 2]


def test_a_label_outside_the_levels_is_refused() -> None:
    with pytest.raises(UsageError, match=r"not among the levels \['a'\]: \['b'\]"):
        encode(["a", "b"], levels=["a"])


def test_rows_of_different_lengths_are_refused() -> None:
    with pytest.raises(UsageError, match="mark missing ratings as None"):
        encode([["a", "b"], ["a"]])


@pytest.mark.parametrize("labels", [[1, "1"], [0, "a"], ["a", b"b"], [True, "True", None]])
def test_labels_of_several_types_are_refused(labels: list[object]) -> None:
    with pytest.raises(UsageError, match=r"labels must be of one type, got .* and .*Convert them first"):
        encode(labels)


@pytest.mark.parametrize("labels", [[1, True, 0.5, np.int64(3)], ["a", np.str_("b")], [None, 1], []])
def test_labels_of_one_type_are_taken(labels: list[object]) -> None:
    encode(labels)


def test_coefficients_refuse_numbers_beside_texts() -> None:
    with pytest.raises(UsageError, match=r"numbers \(0\) and texts \('0'\)"):
        stats.cohen_kappa([1, 0, 1, 0], ["1", "0", "1", "0"])
    table = [[1, "1"], [0, "0"]]
    for coefficient in (stats.fleiss_kappa, stats.gwet_ac1, stats.percent_agreement):
        with pytest.raises(UsageError, match="labels must be of one type"):
            coefficient(table)
    with pytest.raises(UsageError, match="labels must be of one type"):
        stats.krippendorff_alpha(table, level="nominal")
