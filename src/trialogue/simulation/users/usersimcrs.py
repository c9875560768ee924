"""Read interaction models of UserSimCRS: YAML files with intents and the agent intents expected after each.

Two forms are supported: the current one (``required_intents``, ``user_intents`` with ``expected_agent_intents``) and the old
one of its CIR6 file (``user_intents`` as lists, ``expected_responses``). A file holds no counts: pass annotated
dialogues with the same intents to ``fit_interaction``, or use ``uniform_interaction``.

YAML 1.1 reads a bare YES or NO as true or false, and the files that ship with UserSimCRS have them bare; here every
scalar is read as literal text.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import read_lines
from trialogue.simulation.actions import ActionSpace, Roles

NEEDED = ("INTENT_START", "INTENT_STOP", "INTENT_DISCLOSE")
FIRST_LEVEL = {"DISCLOSE": "Disclose", "REVEAL": "Reveal", "INQUIRE": "Inquire", "NAVIGATE": "Navigate"}
FIRST_LEVEL |= {"NOTE": "Note", "COMPLETE": "Complete"}


def read_action_space(path: Path | str) -> ActionSpace:
    """Read the action space of an interaction model file.

    Raises:
        DataError: no such file, no YAML, or no interaction model; with all that is missing.
    """
    path = Path(path)
    data = _yaml(path)
    problems: list[Problem] = []
    if "expected_responses" in data:
        acceptable = _old(data, problems)
        roles = _guessed_roles(acceptable)
    elif isinstance(data.get("user_intents"), dict):
        acceptable = _new(data["user_intents"], problems)
        roles = _roles(data.get("required_intents") or {}, problems)
    else:
        hint = "UserSimCRS' files have user_intents with expected_agent_intents, or expected_responses."
        problems.append(Problem("this file does not state what follows a user's intents.", hint=hint))
    if problems:
        raise DataError([Problem(p.what, str(path), field=p.field, hint=p.hint) for p in problems])
    return ActionSpace(
        name=str(data.get("name") or path.stem),
        acceptable=acceptable,
        states=_states(acceptable),
        roles=roles,
        informs=_informs(data, acceptable, roles),
        shows=frozenset(_names(data.get("agent_set_retrieval"))) or _revealing_labels(acceptable),
    )


def _yaml(path: Path) -> dict[str, Any]:
    import yaml

    text = "".join(line if line.endswith("\n") else line + "\n" for _, line in read_lines(path))
    try:
        data = yaml.load(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise DataError(Problem(f"this is not YAML ({error}).", str(path))) from error
    if not isinstance(data, dict):
        what = f"this file contains a {type(data).__name__}, but an interaction model must be a mapping."
        raise DataError(Problem(what, str(path)))
    return data


def _names(value: Any) -> Iterator[str]:
    """Every name in a scalar, or in lists and mappings of any depth."""
    if isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, Mapping):
        yield from value
    elif isinstance(value, list):
        for each in value:
            yield from _names(each)


def _new(intents: Mapping[str, Any], problems: list[Problem]) -> dict[str, frozenset[str]]:
    found = {}
    for intent, details in intents.items():
        expected = details.get("expected_agent_intents") if isinstance(details, Mapping) else details
        if expected is not None and not isinstance(expected, str | list):
            problems.append(Problem("expected_agent_intents is not a list.", field=f"user_intents.{intent}"))
        found[intent] = frozenset(_names(expected))
    return found


def _old(data: Mapping[str, Any], problems: list[Problem]) -> dict[str, frozenset[str]]:
    expected = data["expected_responses"]
    if not isinstance(expected, Mapping):
        problems.append(Problem("expected_responses is not a mapping.", field="expected_responses"))
        return {}
    labels = dict.fromkeys((*_names(data.get("user_intents")), *expected))
    return {label: frozenset(_names(expected.get(label))) for label in labels}


def _roles(required: Any, problems: list[Problem]) -> Roles:
    given = dict(required) if isinstance(required, Mapping) else {}
    missing = [name for name in NEEDED if not given.get(name)]
    if missing:
        hint = "It names the intents that begin, end and disclose."
        problems.append(Problem(f"{', '.join(missing)} is missing.", field="required_intents", hint=hint))
        return Roles()
    return Roles(
        opening=given["INTENT_START"],
        disclose=given["INTENT_DISCLOSE"],
        complete=given["INTENT_STOP"],
        seen=given.get("INTENT_ITEM_CONSUMED"),
        unseen=given.get("INTENT_NO"),
        like=given.get("INTENT_LIKE"),
        dislike=given.get("INTENT_DISLIKE"),
        neutral=given.get("INTENT_NEUTRAL"),
        another=given.get("INTENT_INQUIRE"),
        review=None,
    )


def _guessed_roles(labels: Mapping[str, Any]) -> Roles:
    """Roles by the names of CIR6's labels with their prefixes; those that the file lacks are None."""

    def role_of(label: str, *others: str) -> str | None:
        return next((each for each in (label, *others) if each in labels), None)

    return Roles(
        opening=role_of("DISCLOSE.NON-DISCLOSE", "DISCLOSE") or next(iter(labels), "DISCLOSE"),
        disclose=role_of("DISCLOSE") or next(iter(labels), "DISCLOSE"),
        complete=role_of("COMPLETE"),
        seen=role_of("NOTE.NOTE-YES", "NOTE.YES"),
        unseen=role_of("NOTE"),
        like=role_of("NOTE.NOTE-END", "NOTE.LIKE"),
        dislike=role_of("NOTE.NOTE-DISLIKE", "NOTE.DISLIKE"),
        neutral=None,
        another=role_of("INQUIRE.SIMILAR", "INQUIRE"),
        review=role_of("DISCLOSE.REVIEW"),
    )


def _states(labels: Mapping[str, Any]) -> dict[str, str]:
    heads = {label: label.partition(".")[0] for label in labels}
    return {label: FIRST_LEVEL.get(head, head) for label, head in heads.items()}


def _informs(data: Mapping[str, Any], labels: Mapping[str, Any], roles: Roles) -> frozenset[str]:
    intents = data.get("user_intents")
    marked = {
        label
        for label, details in (intents.items() if isinstance(intents, Mapping) else ())
        if isinstance(details, Mapping) and str(details.get("preference_contingent", "")).upper() == "POSITIVE"
    }
    revealing = {label for label in labels if label.partition(".")[0] == "REVEAL"}
    return frozenset({roles.disclose, *marked, *revealing} - {roles.opening, roles.like or ""})


def _revealing_labels(acceptable: Mapping[str, frozenset[str]]) -> frozenset[str]:
    known = {name for wanted in acceptable.values() for name in wanted}
    return frozenset(name for name in known if name.partition(".")[0] in ("REVEAL", "SHOW", "TRAVERSE"))
