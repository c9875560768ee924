"""Discriminators of simulated and real users: what the classifier may learn from."""

from typing import Any

import numpy as np
import pytest

from trialogue.findings.resampling import Resampling
from trialogue.subjects.simulated_users import behavior
from trialogue.subjects.simulated_users.realism.discriminator_auc import FOLDS

AGENTS = ("a", "b", "c")


def rows(people: int) -> behavior._Rows:
    """Every person of either kind met each of three agents once; the only feature is the number of the dialogue."""
    labels = np.repeat([0, 1], people * len(AGENTS))
    codes = np.repeat(np.arange(2 * people), len(AGENTS))
    return behavior._Rows(
        rows=np.arange(len(labels), dtype=float)[:, None],
        labels=labels.astype(np.intp),
        clusters=list(codes),
        codes=codes.astype(np.intp),
        agents=np.array(AGENTS * (2 * people)),
        shared=AGENTS,
    )


def test_a_dialogue_is_judged_by_a_fit_that_saw_neither_its_user_nor_its_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    both = rows(15)
    judged: list[int] = []

    class Recorder:
        def fit(self, seen: Any, labels: Any) -> "Recorder":
            self.seen = seen[:, 0].astype(int)
            assert set(labels.tolist()) == {0, 1}
            return self

        def decision_function(self, given: Any) -> Any:
            places = given[:, 0].astype(int)
            judged.extend(places.tolist())
            assert not set(both.codes[places].tolist()) & set(both.codes[self.seen].tolist())
            (agent,) = set(both.agents[places].tolist())
            assert set(both.agents[self.seen].tolist()) == set(AGENTS) - {agent}
            return np.zeros(len(places))

    monkeypatch.setattr(behavior, "new_classifier", Recorder)
    _, folds = behavior._held_out_points(both, Resampling(seed=1), "all")
    assert sorted(judged) == list(range(len(both.labels)))
    assert len(set(folds.tolist())) == FOLDS
