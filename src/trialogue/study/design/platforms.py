"""Recruitment platforms: parameters of incoming links, completion codes and return addresses. No Django.

=========  =====================================================================  =========================================
platform   comes with                                                             goes back by
=========  =====================================================================  =========================================
prolific   ``PROLIFIC_PID``, ``STUDY_ID``, ``SESSION_ID``; or a signed token     an address with the code
mturk      ``workerId``, ``assignmentId``, ``hitId``, ``turkSubmitTo``            a form that the browser posts to MTurk
connect    ``participantId``, ``assignmentId``, ``projectId``                     an address of the study file, or the code
sona       the survey code, as ``id``                                             an address of the study file
generic    a parameter that the study file names                                  an address of the study file, or the code
none       nothing, or a signed link (``id``, ``expires``, ``signature``)         the code, if one is wanted
=========  =====================================================================  =========================================

None of these ids is proof of anything, except in a signed link or token.

Verify Prolific's signed links: a JSON Web Token in the URL, which prevents forged ids.

Only RS256 is accepted, with a public key that Prolific publishes; the token is issued for this server's own name, it
expires, and it contains the participant, so other parameters of the URL are not read.
"""

import hashlib
import hmac
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from urllib.parse import quote, urlencode, urlsplit

from trialogue.study.design.file import Platform, StudyFile
from trialogue.study.design.launch import Payment

REPLACED = 4  # of so many people who are needed one is replaced at most, where the file does not say how many


@dataclass(frozen=True)
class Budget:
    """Number of paid participants."""

    people: int
    """Participants required if nobody drops out or is excluded."""
    items_each: int
    """Maximum number of items per participant."""
    replacements: int
    """Maximum number of excluded participants whose judgements are collected again."""
    payment: Payment | None
    """Payment per participant; None if the study file states none."""

    @property
    def most_people(self) -> int:
        """Maximum number of paid participants."""
        return self.people + self.replacements

    def price(self, places: int) -> str:
        """Cost of a number of participants, as text."""
        return str(self.payment.price(places)) if self.payment else "price unknown: the study file states no payment"


def budget_of(file: StudyFile, items: Iterable[tuple[str, str]]) -> Budget:
    """Number of paid participants of a study.

    Args:
        file: the study file.
        items: (dialogue, key) of each item; a participant may be limited to one item per dialogue.
    """
    times = Counter(("d", dialogue) if file.one_per_dialogue and dialogue else ("k", key) for dialogue, key in items)
    each = min(file.items_per_participant, len(times))
    most = max(times.values(), default=0)
    people = sum(max(-(-times.total() * k // each), most * k) for k in file.raters_by_stratum.values()) if times else 0
    ceiling = -(-people // REPLACED) if file.replace_at_most is None else file.replace_at_most
    return Budget(people, each, ceiling if file.replace_excluded else 0, file.payment)


PROLIFIC = "https://app.prolific.com/submissions/complete?cc={code}"
MTURK_HOSTS = (
    "www.mturk.com",
    "workersandbox.mturk.com",
)  # any other would receive the answers of people who follow a link


@dataclass(frozen=True)
class Return:
    """How a participant returns to the platform."""

    code: str
    """The completion code, shown as text as well."""
    url: str = ""
    """Target of the link; "" if there is none."""
    post: str = ""
    """Target of the form (MTurk); "" if there is none."""
    fields: dict[str, str] = field(default_factory=dict)
    """Hidden fields of the form, by name."""


def return_of(platform: Platform, code: str, ids: Mapping[str, str]) -> Return:
    """Return link or form for a participant with a completion code.

    Args:
        platform: platform settings of the study file.
        code: their completion code.
        ids: ids from their link, by name of the parameter.
    """
    quoted = quote(code, safe="")
    if platform.name == "prolific":
        return Return(code, PROLIFIC.format(code=quoted))
    if platform.name == "mturk":
        return _mturk(code, ids)
    if platform.return_url:
        person = next((value for name, value in ids.items() if name in ("id", platform.id_parameter)), "")
        return Return(code, platform.return_url.replace("{code}", quoted).replace("{id}", quote(person, safe="")))
    return Return(code)


def _mturk(code: str, ids: Mapping[str, str]) -> Return:
    target = urlsplit(ids.get("turkSubmitTo", ""))
    if target.scheme != "https" or target.netloc not in MTURK_HOSTS or not ids.get("assignmentId"):
        return Return(code)
    fields = {"assignmentId": ids["assignmentId"], "code": code}
    return Return(code, post=f"https://{target.netloc}/mturk/externalSubmit", fields=fields)


CLAIM = "prolific"
NAMES: dict[str, tuple[str, ...]] = {  # of what the claim holds, by the parameter that it stands for
    "PROLIFIC_PID": ("participant_id", "prolific_pid", "participant"),
    "STUDY_ID": ("study_id", "study"),
    "SESSION_ID": ("submission_id", "session_id", "submission"),
}
LATE_S = 60  # by which clocks may differ
LONGEST_TOKEN = 8_000  # characters of a token


class KeyUnknownError(LookupError):
    """No public key of this id is published; or none could be read just now."""


@dataclass(frozen=True)
class Token:
    """Content of a verified token."""

    ids: dict[str, str]
    """By name of the parameter: PROLIFIC_PID, STUDY_ID, SESSION_ID, as far as it has them."""
    state: Literal["valid", "expired", "forged", "unchecked"] = "valid"
    """``expired``: genuine and out of date. ``forged``: not signed by Prolific, or for another server. ``unchecked``: the
    keys cannot be read just now."""


class Keys(Protocol):
    """Public keys by id."""

    def key(self, kid: str) -> Any:
        """A public key.

        Raises:
            KeyUnknownError: there is none, or none can be read.
        """
        ...

    @property
    def readable(self) -> bool:
        """Whether keys could be read at all."""
        return True


def token_of(text: str, *, keys: Keys, audience: Iterable[str], now: float | None = None) -> Token:
    """Verify and parse a token.

    Args:
        text: the token.
        keys: public keys of the platform.
        audience: names of this server, for one of which the token must be issued.
        now: seconds since 1970; the clock by default.
    """
    import jwt

    forged = Token({}, "forged")
    if len(text) > LONGEST_TOKEN:
        return forged
    try:
        header = jwt.get_unverified_header(text)
        if header.get("alg") != "RS256":  # neither none nor HMAC with the public key as its secret
            return forged
        key = keys.key(str(header.get("kid", "")))
    except KeyUnknownError:
        return forged if keys.readable else Token({}, "unchecked")
    except jwt.InvalidTokenError:
        return forged
    names = [f"{scheme}{host}{end}" for host in audience for scheme in ("", "https://") for end in ("", "/")]
    try:
        claims = jwt.decode(
            text,
            key=key,
            algorithms=["RS256"],
            audience=names,
            leeway=LATE_S,
            options={"require": ["exp", "aud"], "verify_exp": False},
        )
    except jwt.InvalidTokenError:
        return forged
    ids = _ids(claims.get(CLAIM))
    expires = claims["exp"]
    if "PROLIFIC_PID" not in ids or isinstance(expires, bool) or not isinstance(expires, int | float):
        return forged
    over = expires + LATE_S < (time.time() if now is None else now)
    return Token(ids, "expired" if over else "valid")


def _ids(claim: object) -> dict[str, str]:
    given: Mapping[str, object] = (
        {str(name).lower(): value for name, value in claim.items()} if isinstance(claim, dict) else {}
    )
    found = {
        name: next((given[each] for each in known if isinstance(given.get(each), str) and given[each]), None)
        for name, known in NAMES.items()
    }
    return {name: str(value) for name, value in found.items() if value is not None}


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


__all__ = ["Arrival", "Return", "arrival", "return_of", "signed_link", "verify"]
