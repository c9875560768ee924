"""Sensitivity of the main analysis to the exclusion rules: repeat it once for each distinct set of participants."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from trialogue.inputs.study_data import BY_HAND, Participant, Rules, countable_participants
from trialogue.subjects.people.participants import known_rules
from trialogue.subjects.people.records import ChoiceSensitivity, SensitivityRow

PLANNED = "Planned exclusions (main analysis)"
WITHOUT, ONLY, EVERY = "Planned without: ", "Only: ", "All flagged participants excluded, exploratory"

Found = TypeVar("Found", SensitivityRow, ChoiceSensitivity)


@dataclass(frozen=True)
class Scenario:
    """A set of exclusion rules, and the remaining participants."""

    name: str
    people: frozenset[str]
    main: bool = False


def scenarios(people: Sequence[Participant], rules: Rules | None) -> tuple[Scenario, ...]:
    """Planned exclusions, none (with and without unfinished participants), and each rule removed or alone.

    Exclusions by hand are varied like a rule. Exploratory flags, which the main analysis does not apply, are applied one by
    one and all together. What comes to the same rules is listed once: without one of two rules is the other one alone, and
    without the only one there is none.

    Args:
        people: the table of participants; empty: nothing to vary.
        rules: planned rules; None: every flag is one.

    >>> people = [Participant(participant="P1", state="completed", flags=("fast",))]
    >>> [(one.name, len(one.people)) for one in scenarios(people, {"failed": ""})][2:]
    [('No exclusions', 1), ('Only: fast', 0), ('All flagged participants excluded, exploratory', 0)]
    """
    if not people:
        return ()
    by_hand = (BY_HAND,) if any(person.by_hand for person in people) else ()
    known = (*known_rules(people, rules), *by_hand)
    planned = known if rules is None else (*rules, *by_hand)
    ways = {frozenset(planned): PLANNED}
    for name, applied in (
        *((f"{WITHOUT}{rule}", frozenset(planned) - {rule}) for rule in planned),
        *((f"{ONLY}{rule}", frozenset({rule})) for rule in known),
        (EVERY, frozenset(known)),
    ):
        if applied:
            ways.setdefault(applied, name)
    (_, main), *others = ways.items()
    return (
        Scenario(main, _remaining_people(people, rules, frozenset(planned)), main=True),
        Scenario(
            "No exclusions, unfinished participants included",
            _remaining_people(people, rules, frozenset(), unfinished=True),
        ),
        Scenario("No exclusions", _remaining_people(people, rules, frozenset())),
        *(Scenario(name, _remaining_people(people, rules, applied)) for applied, name in others),
    )


def _remaining_people(
    people: Sequence[Participant], rules: Rules | None, applied: frozenset[str], *, unfinished: bool = False
) -> frozenset[str]:
    return countable_participants(people, rules, only=applied, unfinished=unfinished) or frozenset()


def repeat_analyses(
    people: Sequence[Participant],
    rules: Rules | None,
    raters: Iterable[str | None],
    main: Found,
    again: Callable[[frozenset[str]], Found],
) -> tuple[Found, ...]:
    """Repeat the main analysis under each scenario; empty without a participants table.

    Args:
        people: the table.
        rules: planned rules.
        raters: everybody with answers, before exclusions.
        main: what the main analysis found.
        again: makes the analysis for some of the raters; asked once for each set of them.
    """
    answered = frozenset(rater for rater in raters if rater is not None)
    done: dict[frozenset[str], Found] = {}
    found: list[Found] = []
    for way in scenarios(people, rules):
        left = way.people & answered
        if left not in done:
            done[left] = main if way.main else again(left)
        found.append(done[left].model_copy(update={"name": way.name, "main": way.main}))
    return tuple(found)
