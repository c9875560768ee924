"""What a link says of who comes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from trialogue.study.design.file import Platform
from trialogue.study.design.platforms.signing import verified

LONGEST = 200  # characters of an id
MTURK_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
PARAMETERS: dict[str, tuple[str, str, tuple[str, ...]]] = {  # id, session, what is kept besides
    "prolific": ("PROLIFIC_PID", "SESSION_ID", ("STUDY_ID",)),
    "mturk": ("workerId", "assignmentId", ("hitId", "turkSubmitTo")),
    "connect": ("participantId", "assignmentId", ("projectId",)),
    "sona": ("id", "", ()),
}


@dataclass(frozen=True)
class Arrival:
    """Somebody who comes by a link."""

    id: str = ""
    """Their id on the platform; "" for somebody without one."""
    session: str = ""
    """The platform's name of this visit, where there is one."""
    ids: dict[str, str] = field(default_factory=dict)
    """All ids as given, by name of the parameter."""
    signed: bool = False
    """Whether the link is signed by us."""
    preview: bool = False
    """Whether they only look: nothing is stored."""
    wrong: Literal["", "unsigned", "no_id"] = ""
    """Why they cannot be taken in."""


def arrival(platform: Platform, parameters: Mapping[str, str], *, key: str, study: str) -> Arrival:
    """Who comes by a link.

    Args:
        platform: of the study file.
        parameters: of the link; those that are not the platform's are passed over.
        key: the server's secret key, for signed links.
        study: the study's short name.
    """
    signed = verified(parameters, study=study, key=key)
    if platform.signed and not signed:
        return Arrival(wrong="unsigned")
    if signed:
        return Arrival(id=_short(parameters["id"]), ids={"id": _short(parameters["id"])}, signed=True)
    if platform.name == "none":
        return Arrival()
    if platform.name == "mturk" and parameters.get("assignmentId") == MTURK_PREVIEW:
        return Arrival(preview=True)
    named = PARAMETERS.get(platform.name, (platform.id_parameter, "", ()))
    key_of_id, session, others = named
    if not parameters.get(key_of_id):
        return Arrival(wrong="no_id")
    kept = {name: _short(parameters[name]) for name in (key_of_id, session, *others) if name and parameters.get(name)}
    return Arrival(
        id=_short(parameters[key_of_id]), session=_short(parameters.get(session, "")) if session else "", ids=kept
    )


def _short(text: str) -> str:
    return text.replace("\x00", "")[:LONGEST]
