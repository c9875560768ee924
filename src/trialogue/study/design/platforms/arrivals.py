"""Parse an arrival from the parameters of a platform's link."""

import hashlib
import hmac
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlencode

from trialogue.study.design.file import Platform
from trialogue.study.design.platforms.tokens import Token

DAY_S = 24 * 3600


def signed_link(base: str, *, study: str, person: str, key: str, days: float = 60, now: float | None = None) -> str:
    """The link by which one person enters a study.

    Args:
        base: the study's address.
        study: short name of the study.
        person: participant code known to the laboratory.
        key: the server's secret key.
        days: number of days for which the link is valid.
        now: seconds since 1970; the clock by default.
    """
    expires = int((time.time() if now is None else now) + days * DAY_S)
    query = urlencode({"id": person, "expires": expires, "signature": _signature(study, person, str(expires), key)})
    return f"{base}{'&' if '?' in base else '?'}{query}"


def verify(parameters: Mapping[str, str], *, study: str, key: str, now: float | None = None) -> bool:
    """Whether a link's parameters are signed by us, for this study, and not out of date."""
    person, expires = parameters.get("id", ""), parameters.get("expires", "")
    if not person or not (expires.isascii() and expires.isdigit() and len(expires) < 16):
        return False
    right = hmac.compare_digest(
        parameters.get("signature", "").encode(), _signature(study, person, expires, key).encode()
    )
    return right and int(expires) >= (time.time() if now is None else now)


def _signature(study: str, person: str, expires: str, key: str) -> str:
    text = "\n".join(["trialogue link", study, person, expires])
    return hmac.new(key.encode(), text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


LONGEST = 200  # characters of an id
MTURK_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
PLACEHOLDER = re.compile(r"[][{}<>%$]")
"""What stands around the names that platforms replace, such as ``{{%PROLIFIC_PID%}}``, ``%SURVEY_CODE%``, ``${workerId}`` or
``[%workerId%]``, and in no platform's ids."""
NOTHING = frozenset({"undefined", "null", "none", "nan", "nil", "survey_code"})
"""What scripts and forms write where they have no id."""
PARAMETERS: dict[str, tuple[str, str, tuple[str, ...]]] = {  # id, session, what is kept besides
    "prolific": ("PROLIFIC_PID", "SESSION_ID", ("STUDY_ID",)),
    "mturk": ("workerId", "assignmentId", ("hitId", "turkSubmitTo")),
    "connect": ("participantId", "assignmentId", ("projectId",)),
    "sona": ("id", "", ()),
}


@dataclass(frozen=True)
class Arrival:
    """A participant who arrives by a link."""

    id: str = ""
    """Platform id; "" without one."""
    session: str = ""
    """The platform's name of this visit, where there is one."""
    ids: dict[str, str] = field(default_factory=dict)
    """All ids as given, by name of the parameter."""
    signed: bool = False
    """Whether the link is signed, by us or by the platform."""
    token: str = ""
    """Digest of the platform's token, which lets in once; "" for a link without."""
    preview: bool = False
    """Whether they only look: nothing is stored."""
    wrong: Literal["", "unsigned", "no_id", "expired", "unchecked"] = ""
    """Why they cannot be taken in. ``no_id``: an id is missing, or the platform did not fill it in. ``expired``: a genuine
    token that is out of date; ``unchecked``: the platform's keys
    cannot be read just now."""


def arrival(
    platform: Platform,
    parameters: Mapping[str, str],
    *,
    key: str,
    study: str,
    check: Callable[[str], Token] | None = None,
    remote_id: str = "",
) -> Arrival:
    """Parse an arrival from a link.

    Args:
        platform: platform settings of the study file.
        parameters: parameters of the link; others than the platform's are ignored.
        key: the server's secret key, for signed links.
        study: the study's short name.
        check: verifies and parses a token of the platform; None: tokens are not trusted.
        remote_id: the study's id at the platform, if it is known; tokens of other studies are refused.
    """
    if platform.name == "prolific" and check is not None and (token := parameters.get(platform.token_parameter)):
        return _arrival_of_token(remote_id or platform.study_id, token, check(token))
    signed, its = verify(parameters, study=study, key=key), PARAMETERS.get(platform.name)
    if platform.signed and not signed:
        return Arrival(wrong="unsigned")
    if signed:
        name = _short(parameters["id"])
        return Arrival(id=name, ids={"id": name} | ({its[0]: name} if its else {}), signed=True)
    if platform.name == "none":
        return Arrival()
    if platform.name == "mturk" and parameters.get("assignmentId") == MTURK_PREVIEW:
        return Arrival(preview=True)
    named = PARAMETERS.get(platform.name, (platform.id_parameter, "", ()))
    key_of_id, session, others = named
    if not parameters.get(key_of_id):
        return Arrival(wrong="no_id")
    kept = {name: _short(parameters[name]) for name in (key_of_id, session, *others) if name and parameters.get(name)}
    if any(is_placeholder(name, value) for name, value in kept.items()):
        return Arrival(wrong="no_id")
    return Arrival(
        id=_short(parameters[key_of_id]), session=_short(parameters.get(session, "")) if session else "", ids=kept
    )


def is_placeholder(name: str, value: str) -> bool:
    """Whether a platform left a parameter unfilled, so that it names nobody: it is the same for everyone who comes.

    >>> is_placeholder("PROLIFIC_PID", "{{%PROLIFIC_PID%}}"), is_placeholder("PROLIFIC_PID", "5f1a")
    (True, False)
    """
    if name == "turkSubmitTo":  # an address
        return False
    word = value.strip().casefold()
    return bool(PLACEHOLDER.search(value)) or word in NOTHING or word == name.casefold()


def _arrival_of_token(study_id: str, text: str, token: Token) -> Arrival:
    """Participant named by a verified token; other parameters of the link are ignored."""
    if token.state == "unchecked":
        return Arrival(wrong="unchecked")
    given = token.ids.get("STUDY_ID")  # a token that names no study is one of any study
    other = not given or bool(study_id and given != study_id)
    if token.state == "forged" or other:
        return Arrival(wrong="unsigned")
    ids = {name: _short(value) for name, value in token.ids.items()}
    return Arrival(
        id=ids["PROLIFIC_PID"],
        session=ids.get("SESSION_ID", ""),
        ids=ids,
        signed=True,
        token=hashlib.sha256(text.encode()).hexdigest()[:32],
        wrong="expired" if token.state == "expired" else "",
    )


def _short(text: str) -> str:
    return text.replace("\x00", "")[:LONGEST]
