"""Payers in processes of their own, of which one is killed at an arrow: ``python -m tests.study.money_kills FOLDER N SEED``.

The study's database is a file, and the platform a server. In each schedule one payer runs until it has come to an arrow,
where it says so and stands still; it is killed there with SIGKILL, before or after two others run. So every kill takes
effect, on any machine. Then others pay what is left, as after a crash. Prints what is wrong, and the arrows, as JSON.
"""

import contextlib
import json
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialogue.study.models import Study

PEOPLE = 3
ARROWS = 4 + 3 * PEOPLE
"""Of a payment: set up, ledger, pay, ledger; of the decision about each person: ledger, request, ledger."""


def prepare(folder: Path) -> "Study":
    """The study of a folder, with people who have ended."""
    from trialogue.study.opening import open_study

    study = open_study(folder)
    from tests.study.walking import walk
    from trialogue.study.services import entering
    from trialogue.study.services.launching import set_state

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


def pay(study: "Study", *, arrow: int = 0, after: bool = False, signal_to: int = -1) -> None:
    """Decide and pay what is due; the process stands still before or after an arrow, and writes to a pipe that it does."""
    from django.db import connection

    from tests.study.money_schedules import Faults, FaultyPayer
    from trialogue.study.recruiting.account import Ledger
    from trialogue.study.recruiting.api import Api

    class StandsStill(Faults):
        def here(self, kinds: tuple[str, ...]) -> str:
            self.left -= 1
            return ("killed after" if after else "killed before") if self.left == 0 else ""

        def die(self) -> None:
            os.write(signal_to, b".")
            signal.pause()

        def around(self, act: Callable[[], Any]) -> Any:
            fault = self.here(())
            if fault == "killed before":
                self.die()
            done = act()
            if fault == "killed after":
                self.die()
            return done

    faults = StandsStill(random.Random(0), arrow, lambda: None)

    class SlowApi(Api):
        def _send(self, method: str, path: str, body: dict[str, Any] | None) -> dict[str, Any]:
            send = super()._send
            found: dict[str, Any] = (
                send(method, path, body) if method == "GET" else faults.around(lambda: send(method, path, body))
            )
            return found

    class SlowLedger(Ledger):
        def begin_decision(self, *given: Any) -> Any:
            return faults.around(lambda: super(SlowLedger, self).begin_decision(*given))

        def settle(self, *given: Any, **more: Any) -> bool:
            commit = super().settle
            if connection.in_atomic_block:  # the commit of a whole payment is an arrow of its own
                return commit(*given, **more)
            return bool(faults.around(lambda: commit(*given, **more)))

    payer = FaultyPayer(study, SlowApi(), who="test")
    payer.faults, payer.ledger = faults, SlowLedger(study, who="test")
    payer.pay_bonuses(str(payer.bonus_price()))
    payer.decide(str(payer.approval_price(payer.pending_decisions())))


def stopped_at(study: "Study", arrow: int, *, after: bool) -> int:
    """A payer that stands still at an arrow; its process.

    Raises:
        EOFError: it ended before.
    """
    here, there = os.pipe()
    child = in_child(lambda: pay(study, arrow=arrow, after=after, signal_to=there))
    os.close(there)
    with os.fdopen(here, "rb") as pipe:
        if not pipe.read(1):
            raise EOFError(f"arrow {arrow} was not reached")
    return child


def kill(child: int) -> None:
    """Kill a process, which cannot prevent it."""
    os.kill(child, signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL


def schedule(study: "Study", rng: random.Random, arrow: int, *, after: bool) -> list[str]:
    """One schedule with a process killed at an arrow: what is wrong at its end."""
    from django.utils import timezone

    from trialogue.errors import TrialogueError
    from trialogue.study.models import Decision, PlatformRequest
    from trialogue.study.recruiting.api import Api
    from trialogue.study.recruiting.decisions import LISTED_AFTER, Payer
    from trialogue.study.services.deciding import standings

    api, people = Api(), list(study.participants.order_by("number"))
    api.change("POST", "/reset/", {"people": PEOPLE, "late": rng.random() < 0.3})
    PlatformRequest.objects.all().delete()
    Decision.objects.all().delete()
    PlatformRequest.objects.create(study=study, kind="draft", key="x", state="confirmed", remote_id="s1", by="test")
    for each in people:
        Decision.objects.create(participant=each, kind="bonus", amount=Decimal(rng.choice((25, 150))) / 100, by="test")
        Decision.objects.create(participant=each, kind="accept", by="test")
    dead = stopped_at(study, arrow, after=after)
    first = rng.random() < 0.5  # whether it is killed before others run, or after
    if first:
        kill(dead)
    for other in [in_child(lambda: pay(study)) for _ in range(2)]:
        os.waitpid(other, 0)
    if not first:
        kill(dead)
    for _ in range(3):
        api.change("POST", "/arrive/", {})
        PlatformRequest.objects.all().update(sent_at=timezone.now() - 2 * LISTED_AFTER)
        payer = Payer(study, api, who="test")
        for batch in set(payer.pending_payments().unknown.values()):
            with contextlib.suppress(TrialogueError):
                payer.settle(batch, paid=False)
        os.waitpid(in_child(lambda: pay(study)), 0)
    there = api.get("/told/")["submissions"]
    due = {each.pk: int(standing.bonus * 100) for each in people for standing in [standings([each])[each.pk]]}
    return [
        f"{each.number}: due {due[each.pk]}, {found}"
        for each in people
        for found in [there[f"e-p{each.number}"]]
        if sum(found["bonus_payments"]) != due[each.pk] or found["status"] != "APPROVED"
    ]


def main(folder: Path, count: int, seed: int) -> None:
    """Run schedules."""
    study = prepare(folder)
    rng, places, wrong = random.Random(seed), Counter[str](), list[list[str]]()
    for number in range(count):
        turn, place = divmod(number, ARROWS)
        arrow, after = place + 1, bool((turn + place) % 2)  # in two turns, before and after each arrow
        problems = schedule(study, rng, arrow, after=after)
        places[f"{'after' if after else 'before'} {arrow:02}"] += 1
        wrong += [problems] if problems else []
    told = {"schedules": count, "wrong": wrong, "killed": dict(sorted(places.items()))}
    sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
