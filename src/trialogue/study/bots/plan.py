"""Plan of a simulated study, validated before anything starts."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from trialogue.errors import UsageError
from trialogue.records import Record
from trialogue.seeds import rng_for
from trialogue.study.bots.people import KINDS, Kind
from trialogue.study.design.items import AnyItem, ChatItem

EFFECT_SPACING = 0.7  # logits between neighbors of the default effects


class Plan(Record):
    """A simulation, as it is passed to the process that runs it."""

    folder: str
    """Study folder, with the study file and the items."""
    export: str | None = None
    """Path of the export; None: no export."""
    seed: int = 0
    effects: dict[str, float] = Field(default_factory=dict)
    """Utility by system, in logits."""
    kinds: tuple[Kind, ...] = ()
    """Kind of each participant, in order of arrival."""


def kinds_of(workers: int, shares: Mapping[Kind, float], *, seed: int) -> tuple[Kind, ...]:
    """Behavior of each participant: the shares as exactly as possible, in random order.

    Args:
        workers: number of participants.
        shares: share of each kind; the rest is attentive.
        seed: seed of the order.

    Raises:
        UsageError: no workers, a share outside 0 to 1, or shares that add up to more than 1.

    >>> sorted(kinds_of(4, {"drop_out": 0.25}, seed=0))
    ['attentive', 'attentive', 'attentive', 'drop_out']
    """
    if workers < 1:
        raise UsageError(f"expected at least one worker, got {workers}.")
    wrong = [f"{kind}={share}" for kind, share in shares.items() if not 0 <= share <= 1]
    if wrong or sum(shares.values()) > 1 + 1e-9:
        values = ", ".join(wrong) or f"together {sum(shares.values()):g}"
        raise UsageError(f"shares of participants and their sum must lie between 0 and 1, got {values}.")
    kinds: list[Kind] = [kind for kind in KINDS for _ in range(round(workers * shares.get(kind, 0.0)))][:workers]
    kinds += ["attentive"] * (workers - len(kinds))
    order = rng_for(seed, "kinds").permutation(workers)
    return tuple(kinds[place] for place in order)


def effects_of(items: Sequence[AnyItem], given: Mapping[str, float] | None, *, seed: int) -> dict[str, float]:
    """The effect of each system: as given (0 for those not named), or evenly spaced in an order that the seed determines.

    Systems of live chats have none: what they will say is in no file, so a script that reads pages as people do cannot know
    which system it talks to.

    Raises:
        UsageError: an effect for a system that no item has, or for a system of a live chat.
    """
    if items and all(isinstance(item, ChatItem) for item in items):
        if given:
            what = "in live chats, scripted participants cannot prefer a system: no page names the system."
            raise UsageError(f"{what} Omit --effect; the simulation then only checks that every page works.")
        return {}
    systems = sorted({system for item in items for system in item.systems})
    if given is None:
        order = rng_for(seed, "effects").permutation(len(systems)).tolist()
        middle = (len(systems) - 1) / 2
        return {
            system: round(EFFECT_SPACING * (place - middle), 6) for system, place in zip(systems, order, strict=True)
        }
    unknown = sorted(set(given) - set(systems))
    if unknown:
        known = ", ".join(systems) or "none"
        raise UsageError(f"the items have no system {unknown[0]!r}. Systems: {known}.")
    return {system: float(given.get(system, 0.0)) for system in systems}
