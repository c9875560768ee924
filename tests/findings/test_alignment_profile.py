"""The distance of two mixes of strategies where there is not enough of one; the rest is tested where profiles are made."""

import numpy as np

from trialogue.findings.alignment_profile import corrected_distance
from trialogue.records import Reason, ReasonCode


def test_a_distance_to_an_empty_mix_has_no_value_and_one_that_stands_in_one_cluster_no_interval() -> None:
    for sums in ([[2.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 2.0]]):
        empty = corrected_distance(np.array(sums), 3)
        assert (empty.value, empty.interval, empty.why) == (None, None, Reason.of(ReasonCode.MIX_EMPTY))
    assert corrected_distance(np.zeros((0, 4)), 0).why == Reason.of(ReasonCode.MIX_EMPTY)
    alone = corrected_distance(np.array([[2.0, 0.0, 0.0, 2.0], [1.0, 0.0, 0.0, 0.0]]), 3)
    assert (alone.value, alone.interval, alone.why) == (1.0, None, Reason.of(ReasonCode.MIX_EMPTY_WITHOUT_A_CLUSTER))
