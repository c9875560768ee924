"""Validate the field ``decide`` of an experiment and resolve it to a decision protocol."""

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from trialogue.errors import TrialogueError, UnknownNameError
from trialogue.findings.protocol import DecisionProtocol
from trialogue.metrics import get_metric
from trialogue.records import MeasureKind, MeasureName
from trialogue.records.files.validation import Mistake, Place
from trialogue.simulation.batch.simulation_file import SimulationFile

DECIDE = "decide"
RATED = "Write questions that people were asked as human:QUESTION, such as human:satisfaction."


def decide_mistakes(data: Mapping[str, Any]) -> Iterator[Mistake]:
    """Semantic mistakes of a protocol: unmeasured measures, and contradictions with the file.

    It looks at the fields as they stand, so that a mistake in one hides none in another.
    """
    given = data.get(DECIDE)
    if not isinstance(given, Mapping):
        return
    for place, name in _measures(given):
        yield from _wrong_measure(name, place, data)
    yield from _wrong_users(given, data)
    both = given.get("alpha"), data.get("alpha")
    if None not in both and both[0] != both[1]:
        what = f"the level is {both[0]} here and {both[1]} in the field alpha. Give it once."
        yield Mistake((DECIDE, "alpha"), what)


def _measures(given: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """The primary measure and those of the family, with their places."""
    if isinstance(given.get("measure"), str):
        yield (DECIDE, "measure"), given["measure"]
    family = given.get("measures")
    if isinstance(family, str):
        yield (DECIDE, "measures"), family
    elif isinstance(family, list):
        yield from (((DECIDE, "measures", at), name) for at, name in enumerate(family) if isinstance(name, str))


def _wrong_measure(given: str, place: Place, data: Mapping[str, Any]) -> Iterator[Mistake]:
    """A metric that there is not, that ranks nothing, or that the experiment does not measure."""
    name = MeasureName(given)
    if name.kind is MeasureKind.VOTES:
        yield Mistake(place, "the primary measure cannot be the votes: name a question or a metric.", RATED)
    if name.is_judgement:
        return
    try:
        metric = get_metric(given)
    except TrialogueError as error:
        yield Mistake(place, str(error), RATED)
        return
    if metric.card.better == "neither":
        yield Mistake(place, f"{metric.measure} has no direction, so it cannot decide.", "Name another measure.")
    metrics = [data["metrics"]] if isinstance(data.get("metrics"), str) else data.get("metrics")
    if isinstance(metrics, list) and metrics and not data.get("align") and metric.measure not in _full_names(metrics):
        yield Mistake(place, f"{given} would not be measured: the field metrics does not name it.", "Add it there.")


def _full_names(metrics: list[Any]) -> set[str]:
    """The full names of metrics; names that are no metric are reported elsewhere."""
    names = set()
    for given in metrics:
        try:
            names.add(str(get_metric(given).measure) if isinstance(given, str) else "")
        except TrialogueError:
            continue
    return names


def _wrong_users(given: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Mistake]:
    """Simulated users that there are not, or a metric of conversations that there will not be."""
    simulated = data.get("simulate")
    known = simulated.get("users") if isinstance(simulated, Mapping) else None
    names = [known] if isinstance(known, str) else [str(name) for name in known or ()]
    users = given.get("users")
    if isinstance(users, str) and users not in names:
        yield Mistake((DECIDE, "users"), str(UnknownNameError("kind of simulated users", users, names)))
    of_people = data.get("dialogues") or data.get("align")
    measure = given.get("measure")
    if users is None and not of_people and isinstance(measure, str) and not MeasureName(measure).is_judgement:
        what = (
            "all dialogues of this experiment are simulated, and the protocol does not state which kind of "
            "users decides."
        )
        yield Mistake((DECIDE, "measure"), what, f"Add users: {names[0]}." if names else "")


def resolve_protocol(
    protocol: DecisionProtocol, given: Mapping[str, Any], *, alpha: float, study: SimulationFile | None
) -> DecisionProtocol:
    """Complete protocol: full metric names, and settings of the rest of the experiment file.

    With simulated users, the systems and the number of dialogues of each are those of the simulation, unless the protocol
    says otherwise.

    Args:
        protocol: as its field says.
        given: the field.
        alpha: the experiment's level, which holds unless the field has its own.
        study: the simulation.
    """
    changes: dict[str, object] = {
        "measure": _full(protocol.measure),
        "measures": tuple(_full(name) for name in protocol.measures),
    }
    if given.get("alpha") is None:
        changes["alpha"] = alpha
    if study is not None and protocol.users is not None:
        changes["n"] = protocol.n if protocol.n is not None else study.n
        changes["systems"] = protocol.systems or tuple(study.agents)
    return protocol.model_copy(update=changes)


def _full(name: MeasureName) -> MeasureName:
    return name if name.is_judgement else MeasureName(get_metric(name).measure)


def protocol_of(data: Mapping[str, Any], *, alpha: float, study: SimulationFile | None) -> DecisionProtocol | None:
    """Protocol of an experiment's fields; None if there is none, or it has mistakes."""
    given = data.get(DECIDE)
    if not isinstance(given, Mapping):
        return None
    try:
        return resolve_protocol(DecisionProtocol.model_validate(given), given, alpha=alpha, study=study)
    except ValidationError:
        return None
