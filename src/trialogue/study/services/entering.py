"""Admit a participant from a platform link, once each; the same person returns to their place."""

import hashlib
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from trialogue.study.design.flow import plan_of
from trialogue.study.design.platforms import Arrival, arrival
from trialogue.study.design.platforms.tokens import Token, token_of
from trialogue.study.models import Identity, Participant, Study
from trialogue.study.services import steps
from trialogue.study.services.assigning import awaits_review, is_full, keep
from trialogue.study.services.platform_keys import published_keys
from trialogue.study.services.reading import file_of
from trialogue.study.services.tokens import secret_hash

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
