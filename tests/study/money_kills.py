"""Payers in processes of their own, of which one is killed at an arrow: ``python -m tests.study.money_kills FOLDER N SEED``.

The study's database is a file, and the platform a server. In each schedule three payers run at once; then others pay what
is left, as after a crash. Prints what is wrong, and the arrows at which processes were killed, as JSON.
"""

import contextlib
import json
import os
import random
import signal
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialogue.study.models import Study

PEOPLE = 3


def prepare(folder: Path) -> "Study":
    """The study of a folder, with people who have ended."""
    from trialogue.study.opening import open_study

    study = open_study(folder)
    from tests.study.walking import walk
    from trialogue.study.services import entering
    from trialogue.study.services.management.launching import set_state

    study = set_state(study, "running", who="test")
    for number in range(1, PEOPLE + 1):
        came = entering.enter(study, {"PROLIFIC_PID": f"p{number}", "SESSION_ID": f"e-p{number}"}).participant
        assert came is not None
        walk(came)
    return study


def in_child(act: Any) -> int:
    """Run a function in a process of its own; its id."""
    from django.db import connections

    connections.close_all()
    if child := os.fork():
        return child
    from trialogue.errors import TrialogueError

    with contextlib.suppress(TrialogueError):  # a payer that is refused is one that stops
        act()
    os._exit(0)


def pay(study: "Study", *, arrow: int = 0, after: bool = False) -> None:
    """Decide and pay what is due; the process is killed before or after an arrow."""
    from tests.study.money_schedules import Faults, FaultyPayer
    from trialogue.study.recruiting.api import Api

    class Deadly(Faults):
        def here(self, kinds: tuple[str, ...]) -> str:
            self.left -= 1
            return ("killed after" if after else "killed before") if self.left == 0 else ""

        def die(self) -> None:
            os.kill(os.getpid(), signal.SIGKILL)

    faults = Deadly(random.Random(0), arrow, lambda: None)

    class DeadlyApi(Api):
        def _send(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
            fault = faults.here(()) if method != "GET" else ""
            if fault == "killed before":
                faults.die()
            answer = super()._send(method, path, body)
            if fault == "killed after":
                faults.die()
            return answer

    payer = FaultyPayer(study, Path("/nonexistent"), DeadlyApi(), who="test")
    payer.faults = faults
    payer.pay_bonuses(str(payer.bonus_price()))
    payer.decide(str(payer.approval_price(payer.pending_decisions())))


def schedule(study: "Study", rng: random.Random) -> tuple[list[str], str]:
    """One schedule: what is wrong at its end, and where a process was killed."""
    from django.utils import timezone

    from trialogue.errors import TrialogueError
    from trialogue.study.models import Decision, PlatformRequest
    from trialogue.study.recruiting.api import Api
    from trialogue.study.recruiting.bonuses import LISTED_AFTER
    from trialogue.study.recruiting.decisions import Payer
    from trialogue.study.services.management.deciding import standings

    api, people = Api(), list(study.participants.order_by("number"))
    api.change("POST", "/reset/", {"people": PEOPLE, "late": rng.random() < 0.3})
    PlatformRequest.objects.all().delete()
    Decision.objects.all().delete()
    PlatformRequest.objects.create(study=study, kind="draft", key="x", state="confirmed", remote_id="s1", by="test")
    for each in people:
        Decision.objects.create(participant=each, kind="bonus", amount=Decimal(rng.choice((25, 150))) / 100, by="test")
        Decision.objects.create(participant=each, kind="accept", by="test")
    arrow, after = rng.randint(1, 7), rng.random() < 0.5
    children = [
        in_child(lambda: pay(study, arrow=arrow, after=after)),
        *(in_child(lambda: pay(study)) for _ in range(2)),
    ]
    ended = [os.waitpid(each, 0)[1] for each in children]
    for _ in range(3):
        api.change("POST", "/arrive/", {})
        PlatformRequest.objects.all().update(sent_at=timezone.now() - 2 * LISTED_AFTER)
        payer = Payer(study, Path("/nonexistent"), api, who="test")
        for batch in set(payer.pending_payments().unknown.values()):
            with contextlib.suppress(TrialogueError):
                payer.settle(batch, paid=False)
        os.waitpid(in_child(lambda: pay(study)), 0)
    there = api.get("/told/")["submissions"]
    due = {each.pk: int(standing.bonus * 100) for each in people for standing in [standings([each])[each.pk]]}
    wrong = [
        f"{each.number}: due {due[each.pk]}, {found}"
        for each in people
        for found in [there[f"e-p{each.number}"]]
        if sum(found["bonus_payments"]) != due[each.pk] or found["status"] != "APPROVED"
    ]
    killed = os.WIFSIGNALED(ended[0]) and os.WTERMSIG(ended[0]) == signal.SIGKILL
    return wrong, f"{'after' if after else 'before'} {arrow}" if killed else "not reached"


def main(folder: Path, count: int, seed: int) -> None:
    """Run schedules."""
    study = prepare(folder)
    rng, places, wrong = random.Random(seed), Counter[str](), list[list[str]]()
    for _ in range(count):
        problems, place = schedule(study, rng)
        places[place] += 1
        wrong += [problems] if problems else []
    told = {"schedules": count, "wrong": wrong, "killed": dict(sorted(places.items()))}
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
