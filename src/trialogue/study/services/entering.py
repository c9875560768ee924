"""Admit a participant from a platform link, once each; the same person returns to their place."""

import hashlib
import json
import os
import secrets
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from trialogue.errors import UsageError
from trialogue.study.design.pages import plan_of
from trialogue.study.design.platforms import Arrival, Keys, KeyUnknownError, Token, arrival, token_of
from trialogue.study.models import Identity, Participant, Study
from trialogue.study.services import steps
from trialogue.study.services.assigning import awaits_review, is_full, keep
from trialogue.study.services.rows import file_of, secret_hash

ADDRESS = "https://api.prolific.com/.well-known/study/jwks.json"
VARIABLE = "TRIALOGUE_PROLIFIC_KEYS"  # another address, such as a mirror
FRESH_S = 12 * 3600.0  # after which keys are read again; Prolific asks for daily at least
AGAIN_S = 60.0  # between two readings for keys that are not known, so that made-up tokens cause no flood
STALE_S = 7 * 24 * 3600.0  # for which keys are used where no newer ones can be read
WAIT_S = 5.0
LARGEST = 200_000  # bytes


class PublishedKeys(Keys):
    """Keys at an address.

    Args:
        address: address of the keys; HTTPS, or this machine.

    Raises:
        UsageError: the address is neither.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in ("127.0.0.1", "localhost")):
            raise UsageError(f"{VARIABLE} must be an https address, got {address!r}.")
        self._address, self._lock = address, threading.Lock()
        self._keys: dict[str, Any] = {}
        self._read_at: float | None = None
        self._tried_at: float | None = None

    @property
    def readable(self) -> bool:
        """Whether there are keys that are not too old."""
        return self._read_at is not None and time.monotonic() - self._read_at < STALE_S

    def key(self, kid: str) -> Any:
        """A public key; read anew where those that are there are old, or do not have it.

        Raises:
            KeyUnknownError: there is none, or none can be read.
        """
        with self._lock:
            fresh = self._read_at is not None and time.monotonic() - self._read_at < FRESH_S
            rested = self._tried_at is None or time.monotonic() - self._tried_at >= AGAIN_S
            if rested and not (fresh and kid in self._keys):
                self._read()
            if not self.readable or kid not in self._keys:
                raise KeyUnknownError(kid)
            return self._keys[kid]

    def _read(self) -> None:
        import jwt

        self._tried_at = time.monotonic()
        try:
            with urllib.request.urlopen(self._address, timeout=WAIT_S) as answer:
                rows = json.loads(answer.read(LARGEST))["keys"]
            found = {row["kid"]: jwt.PyJWK(row, algorithm="RS256").key for row in rows if row.get("kty") == "RSA"}
        except (OSError, ValueError, LookupError, TypeError, AttributeError, jwt.PyJWTError):
            return  # what was read before stays; people who cannot be checked are asked to try again
        if found:
            self._keys, self._read_at = found, time.monotonic()


_keys: dict[str, PublishedKeys] = {}


def published_keys() -> PublishedKeys:
    """The keys of Prolific, one object for a process."""
    address = os.environ.get(VARIABLE) or ADDRESS
    return _keys.setdefault(address, PublishedKeys(address))


Why = Literal[
    "entered", "resumed", "preview", "closed", "paused", "full", "taken", "unsigned", "no_id", "expired", "unchecked"
]
TOKENS = "tokens"  # name in Identity.ids under which the tokens stand that somebody came by
SAME_CLICK_S = 10.0  # within which a token that comes again is the same click of the same browser


@dataclass(frozen=True)
class ArrivalOutcome:
    """The outcome of an arrival."""

    why: Why
    """``entered``, ``resumed``; or why not: ``preview`` (look, store nothing), ``closed``, ``paused``, ``full``, ``taken``
    (the id took part already), ``unsigned`` (the link is not signed, or wrongly), ``no_id`` (the platform's parameters are
    missing)."""
    participant: Participant | None = None
    receipt: str = ""
    """Receipt code, shown once on entry; it allows withdrawal later."""


def enter(study: Study, parameters: Mapping[str, str], *, language: str = "") -> ArrivalOutcome:
    """Admit a participant.

    Args:
        study: the study.
        parameters: parameters of the link.
        language: language of the pages, as the browser requests.
    """
    file = file_of(study)
    came = arrival_of(study, parameters)
    if came.preview:
        return ArrivalOutcome("preview")
    if came.wrong:
        return ArrivalOutcome(came.wrong)
    identity = secret_hash("identity", f"{study.pk}:{came.id}") if came.id else None
    there = study.participants.filter(identity_hash=identity).first() if identity else None
    if there is not None:
        return _enter_again(there, came)
    if refused := closed_why(study):
        return ArrivalOutcome(refused)
    try:
        return _create(study, came, identity, language or file.language)
    except IntegrityError:  # two tabs opened the link at the same moment
        there = study.participants.filter(identity_hash=identity).first()
        return _enter_again(there, came) if there is not None else ArrivalOutcome("taken")


def closed_why(study: Study) -> Literal["", "paused", "closed", "full"]:
    """Why nobody new is admitted; "" if they are."""
    if study.state != Study.State.RUNNING:
        return "paused" if study.state == Study.State.PAUSED else "closed"
    if is_full(study):
        return "full"
    return "paused" if awaits_review(study) else ""


def arrival_of(study: Study, parameters: Mapping[str, str]) -> Arrival:
    """Parse an arrival from a link, verifying tokens with the platform's published keys."""
    platform = file_of(study).platform
    token = platform.name == "prolific" and platform.token_parameter in parameters
    return arrival(
        platform,
        parameters,
        key=settings.SECRET_KEY,
        study=study.slug,
        check=_read_token,
        remote_id=study.remote_id if token else "",
    )


def _read_token(text: str) -> Token:
    return token_of(text, keys=published_keys(), audience=settings.PUBLIC_HOSTS)


def _enter_again(there: Participant, came: Arrival) -> ArrivalOutcome:
    """Admit a returning participant: by their session, or by an unused proof of identity."""
    if came.token and not _first_use(there, came.token):
        return ArrivalOutcome("taken")
    return ArrivalOutcome("resumed", there) if _is_same_session(there, came) else ArrivalOutcome("taken")


def _first_use(participant: Participant, token: str) -> bool:
    """Whether a token lets its holder in for the first time, or with the same click; who stole a used one stays out."""
    now = time.time()
    with transaction.atomic():
        identity = Identity.objects.select_for_update().filter(participant=participant).first()
        if identity is None:
            return False
        used: dict[str, float] = identity.ids.get(TOKENS, {})
        if token in used:
            return now - used[token] <= SAME_CLICK_S
        identity.ids = {**identity.ids, TOKENS: {**used, token: now}}
        identity.save(update_fields=["ids"])
    return True


def _is_same_session(participant: Participant, came: Arrival) -> bool:
    """Whether a participant with a platform id is in the session in which the id was first used; a signed link is
    sufficient proof."""
    if came.signed:
        return True
    identity = Identity.objects.filter(participant=participant).first()
    return identity is not None and bool(came.session) and identity.ids.get("session") == came.session


def _create(study: Study, came: Arrival, identity: str | None, language: str) -> ArrivalOutcome:
    file = file_of(study)
    receipt = "-".join(secrets.token_hex(2) for _ in range(4))
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # numbers are given out one after another
        last = study.participants.aggregate(last=Max("number"))["last"] or 0
        participant = Participant.objects.create(
            study=study,
            code="P" + secrets.token_hex(6),
            number=last + 1,
            language=language,
            plan=plan_of(file.phases, before=len(file.before), training=len(file.training), after=len(file.after)),
            platform=file.platform.name,
            identity_hash=identity,
            receipt_hash=secret_hash("receipt", receipt),
            signed=came.signed,
        )
        if came.id:
            used = {TOKENS: {came.token: time.time()}} if came.token else {}
            Identity.objects.create(participant=participant, ids={**came.ids, "session": came.session, **used})
        if "consent" not in file.phases and not file.strata and not steps.reserve(participant):
            transaction.set_rollback(True)
            return ArrivalOutcome("full")
    return ArrivalOutcome("entered", participant, receipt)


def find_by_receipt(study: Study, receipt: str) -> Participant | None:
    """Participant with a receipt code."""
    digest = secret_hash("receipt", receipt.strip().lower())
    return study.participants.filter(receipt_hash=digest).first()


def note_activity(participant: Participant) -> None:
    """Record the participant's activity, and keep their places."""
    Participant.objects.filter(pk=participant.pk).update(seen_at=timezone.now())
    keep(participant)


def short(text: str) -> str:
    """A short digest for logs."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
