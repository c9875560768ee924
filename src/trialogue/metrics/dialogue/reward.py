"""Reward of a dialogue: points for what it made possible, minus a cost per turn."""

from collections.abc import Sequence
from itertools import groupby

from trialogue.errors import UnknownNameError, UsageError
from trialogue.metrics.base import RatioMetric, Undefined
from trialogue.metrics.dialogue.exchanges import user_acts
from trialogue.metrics.dialogue.turns import KDD2020
from trialogue.metrics.names import Parameter
from trialogue.records import Card, Dialogue, FailurePolicy, Variant
from trialogue.records.kinds.replays import replayed_system

FULL, FUNCTION_POINTS = 20, 4  # KDD 2020, sec. 6.2: "Full points (20)", and 4 for each of five functions
NAVIGATE = "Repeat"

FUNCTIONS: dict[str, frozenset[str]] = {
    "disclosure": frozenset({"Disclose", "Non-disclose", "Disclose-review", "Disclose-repeat"}),
    "refinement": frozenset({"Revise", "Refine", "Expand"}),
    "inquiry": frozenset({"Inquire", "List", "Compare", "Subset", "Similar"}),
    "navigation": frozenset({NAVIGATE}),
    "initiative": frozenset({"Interrupt", "Interrogate"}),
}
"""The functions of a conversation, with the user acts that show that it is there."""

CHECKED = {"and-chill": "refinement", "kelly": "refinement+navigation", "jmrs1": "navigation"}
"""Values checked against the published row, by system: a fit, because the paper does not state them (see the card)."""

LITERAL_FULL = {"and-chill": 16, "kelly": 20, "jmrs1": 20}
"""Full points of the three systems where the text is taken at its word: And chill has no navigation."""

REWARD = Card(
    name="reward",
    title="Reward",
    summary="20 points, minus 4 for each missing function and 1 for each user turn; never below 0.",
    unit="points",
    low=0,
    high=FULL,
    better="higher",
    level="dialogue",
    failed=FailurePolicy.WORST,
    needs=("user_acts",),
    variants={
        "kdd2020": Variant(
            summary="4 points are deducted from a dialogue for each checked function that does not occur in it. Where "
            "navigation is checked, a run of Repeat is one turn.",
            source="Fitted to KDD 2020, Table 5, whose 'real users' row it reproduces exactly (8.88, 7.56, 6.04); "
            "the paper does not state which functions were checked, nor that this was done per dialogue.",
        ),
        "literal": Variant(
            summary="Full points are the same for all dialogues of a system: 20, minus 4 for each function it lacks. "
            "A run of Repeat is one turn.",
            source="KDD 2020, sec. 6.2, taken literally; it gives 6.96, 7.56, 6.36, which match neither Table 5 nor "
            "its "
            "ranking.",
        ),
    },
    default="kdd2020",
    parameters={
        "checks": "functions to check, joined by +: disclosure, refinement, inquiry, navigation, initiative "
        "(@kdd2020; default refinement+navigation, or for the paper's three systems those that fit its table)",
        "full": "full score of the system (@literal; default 20, or 16 for And chill, which has no navigation)",
    },
    caveats=(
        "A short dialogue counts as good: one in which the user says one thing and leaves scores at least 11 of 20 "
        "points.",
        ("Its ranking of the paper's three systems holds in about four of five resamples of its 75 dialogues."),
        "DialogueKit has a third reward of this name, with different values.",
    ),
    citation=KDD2020,
    family="simulation",
)


class Reward(RatioMetric):
    """Mean reward; undefined for a dialogue without user acts."""

    card = REWARD

    def __init__(self, *, variant: str = REWARD.default, checks: str | None = None, full: float | None = None) -> None:
        given: dict[str, Parameter | None] = {"checks": checks, "full": full}
        self.declare(variant, **{name: value for name, value in given.items() if value is not None})
        _check(variant, checks, full)
        self._checks, self._full = checks, full

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """(reward, 1)."""
        acts = user_acts(unit)
        if isinstance(acts, Undefined):
            return acts
        points = self._points(acts, replayed_system(unit.system or ""))
        return (max(0.0, points), 1.0)

    def _points(self, acts: Sequence[str | None], system: str) -> float:
        if self.variant == "literal":
            full = LITERAL_FULL.get(system, FULL) if self._full is None else self._full
            return full - _turns(acts, runs=True)
        checks = (self._checks or CHECKED.get(system, "refinement+navigation")).split("+")
        lacking = sum(FUNCTIONS[name].isdisjoint(acts) for name in checks)
        return FULL - FUNCTION_POINTS * lacking - _turns(acts, runs="navigation" in checks)


def _turns(acts: Sequence[str | None], *, runs: bool) -> int:
    """User utterances; if ``runs``, a run of Repeat counts once."""
    if not runs:
        return len(acts)
    return sum(1 if act == NAVIGATE else len(list(group)) for act, group in groupby(acts))


def _check(variant: str, checks: str | None, full: float | None) -> None:
    strange = [name for name in (checks.split("+") if checks else ()) if name not in FUNCTIONS]
    if strange:
        raise UnknownNameError("function of a conversation", strange[0], FUNCTIONS)
    if checks is not None and variant != "kdd2020":
        raise UsageError("'checks' requires @kdd2020; the literal reward takes 'full'.")
    if full is not None and (variant != "literal" or isinstance(full, bool) or not 0 < full <= FULL):
        raise UsageError(
            f"'full' requires @literal and must be above 0 and at most {FULL}, got {full!r} for @{variant}."
        )
