"""Choose the measures that decide a comparison: the requested ones that both runs have and that have a direction."""

from collections.abc import Iterable, Sequence

from trialogue.errors import UnknownNameError, UsageError
from trialogue.findings.differences.system_sample import SystemSample
from trialogue.metrics import get_card, metric_names
from trialogue.records import MeasureName


def resolve_measures(on: Sequence[str], sides: Sequence[SystemSample], shared: Sequence[str]) -> list[str]:
    """Full names of the deciding measures: the requested ones that both runs have and that have a direction."""
    directed = [name for name in shared if sides[0].measures[name].better != "neither"]
    found = []
    for one in on:
        matching = names_matching(one, shared)
        if not matching:
            hint = _side_with_measure(one, sides) + _command_measuring(one)
            raise UnknownNameError("measure", one, shared, where="that both runs hold", hint=hint)
        deciding = [name for name in matching if name in directed]
        if not deciding:
            raise _direction_error(matching, directed)
        found += deciding
    return found


def _direction_error(named: Sequence[str], directed: Sequence[str]) -> UsageError:
    has = "has" if len(named) == 1 else "have"
    do = f"Those with one: {', '.join(directed)}." if directed else "No measure that is in both runs has one."
    return UsageError(
        f"{', '.join(named)} {has} no direction (neither higher nor lower is better) and cannot decide. "
        f"{do} Without --on, the change of every measure is reported."
    )


def names_matching(one: str, names: Iterable[str]) -> list[str]:
    """Measures that match a full name or a prefix."""
    return [name for name in names if MeasureName(name).is_called(one)]


def _side_with_measure(one: str, sides: Sequence[SystemSample]) -> str:
    """Run that has a measure, if only one has it."""
    holding = [side.name for side in sides if names_matching(one, side.measures)]
    return f"Only {holding[0]} holds it. " if len(holding) == 1 else ""


def _command_measuring(one: str) -> str:
    """The command that measures it, where it is one of our metrics."""
    bare = MeasureName(one).metric
    if bare not in metric_names():
        return ""
    aligned = "trialogue align, or " if get_card(bare).family == "alignment" else ""
    return f"It is measured by {aligned}trialogue evaluate --metric '{MeasureName(one).short}'."


def is_metric(name: str) -> bool:
    """Whether a name is a metric that can be computed here."""
    measure = MeasureName(name)
    return not measure.is_judgement and measure.metric in metric_names()
