"""Random schedules of payers, faults, backups and people who settle, against the platform in memory.

A schedule is a seed. A fault happens at an arrow: before a request is sent, after it was carried out, or at any commit
between; the process dies there, the answer is lost or late or says something unclear, or another payer runs meanwhile.
"""

import contextlib
import random
from collections.abc import Callable, Iterable
from datetime import timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.core import serializers
from django.utils import timezone

from tests.study.prolific_api import Prolific, RefusedError
from trialogue.errors import TrialogueError
from trialogue.study.models import Decision, Participant, PlatformRequest, Study
from trialogue.study.recruiting.api import Api, PlatformError
from trialogue.study.recruiting.decisions import Payer
from trialogue.study.services.deciding import standings

REQUEST_FAULTS = ("lost", "carried out, answer lost", "late", "late", "late", "unclear", "unclear, carried out",
                  "killed before", "killed after", "other payer before", "other payer after", "refused")  # fmt: skip
COMMIT_FAULTS = ("killed before", "killed after", "other payer after")
UNCLEAR = (408, 409, 425, 429, 500, 502, 503, 504)


class Killed(BaseException):
    """The process ends here: nothing after it happens."""


class Faults:
    """One fault at the n-th arrow from now; none after it happened."""

    def __init__(self, rng: random.Random, at: int, other: Callable[[], None]) -> None:
        self.rng, self.left, self.other = rng, at, other

    def here(self, kinds: tuple[str, ...]) -> str:
        """What happens at this arrow; "" for nothing."""
        self.left -= 1
        return self.rng.choice(kinds) if self.left == 0 else ""

    def die(self) -> None:
        """The process ends here.

        Raises:
            Killed: in place of it.
        """
        raise Killed


class FaultyApi(Api):
    """Requests to the platform in memory, with faults."""

    def __init__(self, platform: Prolific, faults: Faults | None = None) -> None:
        super().__init__(tries=1)
        self.platform, self.faults = platform, faults

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
        fault = self.faults.here(REQUEST_FAULTS) if self.faults and method != "GET" else ""
        if fault == "killed before" and self.faults:
            self.faults.die()
        if fault == "refused":
            raise PlatformError("refused", 403)
        if fault == "lost":
            raise PlatformError("no answer", 0)
        if fault == "unclear" and self.faults:
            raise PlatformError("unclear", self.faults.rng.choice(UNCLEAR))
        if fault == "other payer before" and self.faults:
            self.faults.other()
        if fault == "late":
            self.platform.late = self.platform.late or []
        parts = urlsplit(path)
        try:
            answer = self.platform.answer(method, parts.path, parse_qs(parts.query), body or {})
        except RefusedError as error:
            raise PlatformError(str(error), 400) from error
        if fault == "other payer after" and self.faults:
            self.faults.other()
        if fault == "killed after" and self.faults:
            self.faults.die()
        if fault in ("carried out, answer lost", "late") and self.faults:
            raise PlatformError("no answer", self.faults.rng.choice((0, 0, 0, 0, *UNCLEAR)))
        if fault == "unclear, carried out" and self.faults:
            raise PlatformError("unclear", self.faults.rng.choice(UNCLEAR))
        return answer


class FaultyPayer(Payer):
    """A payer that may die between two of its commits."""

    faults: Faults | None = None

    def _at_commit(self, commit: Callable[[], Any]) -> Any:
        fault = self.faults.here(COMMIT_FAULTS) if self.faults else ""
        if fault == "killed before" and self.faults:
            self.faults.die()
        made = commit()
        if fault == "killed after" and self.faults:
            self.faults.die()
        if fault == "other payer after" and self.faults:
            self.faults.other()
        return made

    def _reserve(self, *given: Any) -> list[PlatformRequest]:
        made: list[PlatformRequest] = self._at_commit(lambda: super(FaultyPayer, self)._reserve(*given))
        return made

    def _settle_all(self, *given: Any, **more: Any) -> None:
        self._at_commit(lambda: super(FaultyPayer, self)._settle_all(*given, **more))


class Schedule:
    """One random history, and whether everybody was paid once.

    Args:
        study: with participants that have ended; the platform's id of each is "p" and their number.
        seed: of the history.
    """

    def __init__(self, study: Study, seed: int) -> None:
        self.study, self.rng, self.platform = study, random.Random(seed), Prolific()
        self.people = list(study.participants.order_by("number"))
        PlatformRequest.objects.filter(study=study).delete()
        Decision.objects.filter(participant__study=study).delete()
        PlatformRequest.objects.create(study=study, kind="draft", key="x", state="confirmed", remote_id="s1", by="test")
        self.platform.studies["s1"] = {"id": "s1", "status": "ACTIVE", "reward": 200, "total_available_places": 4}
        for each in self.people:
            self.platform.submit(f"p{each.number}", "AWAITING REVIEW")

    def run(self, *, events: int = 7) -> list[str]:
        """The history and its end; what is wrong at the end."""
        acts = (self._grant, self._pay, self._decide, self._hour, self._restore)
        weights = (3, 5, 2, 1, 1)
        self._grant()
        for _ in range(events):
            self.rng.choices(acts, weights)[0]()
        for _ in range(3):
            self._hour()
            self._settle()
            self._pay(fault=False)
            self._decide(fault=False)
        return [problem for each in self.people for problem in self._problems(each)]

    def _problems(self, each: Participant) -> list[str]:
        there = self.platform.submissions[f"e-p{each.number}"]
        granted = standings([each]).get(each.pk)
        due = int(granted.bonus * 100) if granted else 0
        found = (
            [] if sum(there["bonus_payments"]) == due else [f"{each.number}: due {due}, paid {there['bonus_payments']}"]
        )
        wanted = {"accept": "APPROVED", "refuse": "REJECTED"}.get(granted.payment if granted else "", "AWAITING REVIEW")
        noted = each.platform_requests.filter(kind="bonus", state__in=("accepted", "confirmed"))
        if sum(noted.values_list("amount_cents", flat=True)) != sum(there["bonus_payments"]):
            found.append(f"{each.number}: the ledger does not have what was paid")
        for kind in each.platform_requests.filter(kind__in=("approve", "reject"), state="confirmed"):
            if {"approve": "APPROVED", "reject": "REJECTED"}[kind.kind] != there["status"]:
                found.append(f"{each.number}: {kind.kind} is confirmed, and the submission {there['status']}")
        return found + ([] if there["status"] == wanted else [f"{each.number}: {wanted}, but {there['status']}"])

    def _payer(self, faults: Faults | None) -> FaultyPayer:
        made = FaultyPayer(self.study, FaultyApi(self.platform, faults), who="test")
        made.faults = faults
        return made

    def _faults(self, act: Callable[[], None], arrows: int) -> Faults:
        return Faults(self.rng, self.rng.randint(1, arrows), act)

    def _grant(self) -> None:
        each = self.rng.choice(self.people)
        cents = self.rng.choice((25, 100, 150, 150))
        Decision.objects.create(participant=each, kind="bonus", amount=Decimal(cents) / 100, by="test")

    def _pay(self, *, fault: bool = True) -> None:
        payer = self._payer(self._faults(lambda: self._pay(fault=False), 4) if fault else None)
        try:
            owed = payer.pending_payments()
            payer.pay_bonuses(str(payer.bonus_price(owed)))
        except (TrialogueError, Killed):
            pass

    def _decide(self, *, fault: bool = True) -> None:
        undecided = [each for each in self.people if not each.decisions.filter(kind__in=("accept", "refuse"))]
        if fault and undecided:
            kind = self.rng.choice(("accept", "accept", "refuse"))
            Decision.objects.create(participant=self.rng.choice(undecided), kind=kind, reason="careless", by="test")
        payer = self._payer(self._faults(lambda: self._decide(fault=False), 2) if fault else None)
        with contextlib.suppress(TrialogueError, Killed):
            payer.decide(str(payer.approval_price(payer.pending_decisions())))

    def _hour(self) -> None:
        self.platform.arrive()
        now = timezone.now()
        PlatformRequest.objects.filter(study=self.study).update(sent_at=now - timedelta(hours=1, seconds=1))

    def _settle(self) -> None:
        payer = self._payer(None)
        unsettled = PlatformRequest.objects.filter(kind="bonus", state__in=("sent", "unknown"))
        for batch in set(unsettled.values_list("batch", flat=True)):
            with contextlib.suppress(TrialogueError):  # Prolific does not list it; where it does, it says so
                payer.settle(batch, paid=False)

    def _restore(self) -> None:
        """The database of some time before; Prolific has made all payments that were asked for."""
        rows = list(PlatformRequest.objects.filter(study=self.study))
        self._pay()
        self._hour()
        text = serializers.serialize("json", rows)
        PlatformRequest.objects.filter(study=self.study).delete()
        for each in serializers.deserialize("json", text):
            each.save()


def failures(study: Study, seeds: Iterable[int]) -> dict[int, list[str]]:
    """Schedules at the end of which somebody was paid too much, too little, or otherwise than decided."""
    return {seed: problems for seed in seeds if (problems := Schedule(study, seed).run())}
