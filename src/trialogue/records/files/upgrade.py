"""Upgrade lines of earlier file-format versions before validation.

Each version has one table: the kind of a record, and the change of its fields. A line passes through the tables of all
versions after its own, so a step only has to know the version before. The tests keep a golden line of each version.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from trialogue.records.base import SCHEMA
from trialogue.records.files.upgrade_endings import ending_from_1

Fields = dict[str, Any]
Step = Callable[[Fields], None]
"""Changes the fields of one record in place, from one version to the next."""


def _findings(findings: Fields) -> None:
    """Columns of simulated users only said in their names whose dialogues they are of; verdicts had other words."""
    for league in findings.get("leagues", ()):
        for contrast in (*_parts(league, "contrasts"), *_parts(league, "above_floor")):
            if contrast.get("verdict") == UNDECIDED_OF_1:
                contrast["verdict"] = "inconclusive"
        measure = league.get("measure", {})
        _read_signature(measure)
        if measure.get("by") == "simulation":
            name, title = str(measure.get("name")), str(measure.get("title"))
            users = measure.setdefault("users", _users_in(name, title))
            if users is not None:
                measure.setdefault("measured", name.removeprefix(f"{users}: "))
                measure.setdefault("plain_title", title.removesuffix(f" ({users})"))


def _users_in(name: str, title: str) -> str | None:
    """The users that a column is named after; None: none.

    Their name may hold a colon, too, so the title decides where the name of the column leaves it open.

    >>> _users_in("cir6-pkg: turns|v1", "Turns (cir6-pkg)"), _users_in("rude: very: turns|v1", "Turns (rude: very)")
    ('cir6-pkg', 'rude: very')
    """
    candidates = [name[: end.start()] for end in re.finditer(": ", name)]
    last = candidates[-1] if candidates else None
    return next((users for users in candidates if title.endswith(f" ({users})")), last)


UNDECIDED_OF_1 = "cannot tell"
"""Version 1's name of an inconclusive comparison."""

BASELINES_OF_1 = frozenset({"floor:random-human", "floor:same-turn", "floor:majority", "floor:context"})
"""Version 1's names of alignment baselines; any other name is a system."""


def _type_scores(score: Fields) -> None:
    """Names declared baselines, and the signature said whose labels were read and whether a calibration was."""
    for name, role in (("system", "role"), ("versus", "versus_role")):
        if score.get(name) in BASELINES_OF_1:
            score[role] = "baseline"
    _read_signature(score)


def _read_signature(fields: Fields) -> None:
    signature = str(fields.get("signature") or "")
    if labels := LABELS_OF_1.search(signature):
        fields.setdefault("labels_from", labels.group(1).split("+"))
    if CALIBRATED_OF_1.search(signature):
        fields.setdefault("is_calibrated", True)


LABELS_OF_1 = re.compile(r"\|labels:(.*?)\|seed:")
CALIBRATED_OF_1 = re.compile(r"\|interval:(without )?calibration\b")
"""Signature texts of version 1."""


PEOPLE_OF_1 = ("expert", "second", "crowd")
"""Origins that version 1 used for people; any other name without a probability may have been anybody's."""

LINKERS_OF_1 = "linker("
MENTIONS_OF_1 = {"annotated": "annotated", "quoted": "quoted", "declared": "declared", "simulated user": "simulated"}
"""Version 1's origins of mentions, besides a linker's signature."""


def _origins(said: Any) -> None:
    """Labellers of an utterance and of its mentions: version 1 encoded them by a missing probability and by names."""
    if not isinstance(said, dict):
        return
    for label in _parts(said, "strategies"):
        if label.get("probability") is not None:
            label.setdefault("by", "model")
        elif label.get("origin") in PEOPLE_OF_1:
            label.setdefault("by", "person")
    for mention in _parts(said, "mentions"):
        origin = mention.get("origin", "annotated")
        if isinstance(origin, str):
            mention.setdefault(
                "by", "linked" if origin.startswith(LINKERS_OF_1) else MENTIONS_OF_1.get(origin, "annotated")
            )


def _parts(fields: Fields, name: str) -> list[Fields]:
    """The objects of a list; [] for anything else, which validation tells of."""
    found = fields.get(name)
    return [part for part in found if isinstance(part, dict)] if isinstance(found, list) else []


def _dialogue(fields: Fields) -> None:
    ending_from_1(fields)
    for said in _parts(fields, "utterances"):
        _origins(said)


def _situation(fields: Fields) -> None:
    for said in _parts(fields, "context"):
        _origins(said)
    _origins(fields.get("reference"))


def _response(fields: Fields) -> None:
    _origins(fields.get("utterance"))


FROM_1: Mapping[str, Step] = {
    "findings": _findings,
    "score": _type_scores,
    "dialogue": _dialogue,
    "situation": _situation,
    "response": _response,
}
"""Version 1 (0.1.0 before its release) to version 2: roles, endings, origins of labels and reasons became types."""

FROM_2: Mapping[str, Step] = {}
"""Version 2 to version 3: scores of units may come as blocks (kind ``scores``), which older readers do not know. Records of
version 2 stay as they are."""


def _shares(findings: Fields) -> None:
    """That values are counts of units over units, or answers no or yes, only stood in the words of their unit."""
    for league in findings.get("leagues", ()):
        measure = league.get("measure", {})
        card = measure.get("card") or {}
        unit = str((card or measure).get("unit", ""))
        if not unit.startswith("share of "):
            continue
        if measure.get("by") == "people":
            measure.setdefault("scale", {"low": 0, "high": 1})
        elif (card.get("low"), card.get("high")) == (0, 1) and card.get("name") != ESTIMATED_OF_3:
            card.setdefault("is_share", True)


ESTIMATED_OF_3 = "implicit_alignment"
"""A share of replies by its unit, which a model estimated and nobody counted."""

FROM_3: Mapping[str, Step] = {"findings": _shares}
"""Version 3 to version 4: answers carry their scale, and cards say whether values are counted shares."""


def _beliefs_of_dialogue(dialogue: Fields) -> None:
    for said in _parts(dialogue, "utterances"):
        _name_matching(said)


def _beliefs_of_situation(situation: Fields) -> None:
    for said in _parts(situation, "context"):
        _name_matching(said)
    _name_matching(situation.get("reference"))


def _beliefs_of_response(response: Fields) -> None:
    _name_matching(response.get("utterance"))


def _name_matching(said: Any) -> None:
    """The calibration that came with a belief was called ``same``, as another one on cards of models is."""
    belief = said.get("strategy_distribution") if isinstance(said, dict) else None
    if not isinstance(belief, dict):
        return
    for old, new in (("same", "matching"), ("same_error", "matching_error")):
        if old in belief and new not in belief:
            belief[new] = belief.pop(old)


FROM_4: Mapping[str, Step] = {
    "dialogue": _beliefs_of_dialogue,
    "situation": _beliefs_of_situation,
    "response": _beliefs_of_response,
}
"""Version 4 to version 5: the calibration of a ``StrategyDistribution`` has the name it has on cards of models."""

STEPS: Mapping[int, Mapping[str, Step]] = {1: FROM_1, 2: FROM_2, 3: FROM_3, 4: FROM_4}


def upgrade(kind: str, fields: Fields, version: int) -> None:
    """Upgrade the fields of one record to the current version, in place.

    Args:
        kind: the record's kind, such as ``"dialogue"``.
        fields: what its line holds, without ``kind`` and ``v``.
        version: the version that the line says.
    """
    for past in range(version, SCHEMA):
        step = STEPS.get(past, {}).get(kind)
        if step is not None:
            step(fields)
    if kind == "findings":  # holds whole dialogues, and people's answers about them
        for example in _parts(fields, "examples"):
            if isinstance(dialogue := example.get("dialogue"), dict):
                upgrade("dialogue", dialogue, version)
            for answer in _parts(example, "answers"):
                upgrade("score", answer, version)
