"""Entry point of a simulated study's process, ``python -m trialogue.study.bots ROOM``, started by ``simulation``."""

import heapq
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from unittest.mock import patch
from urllib.parse import urlencode

import numpy as np

from trialogue.seeds import rng_for
from trialogue.study.bots.page import Knowledge
from trialogue.study.bots.people import bot_of
from trialogue.study.bots.simulation import PLAN, RESULT, Plan, SimulatedStudy
from trialogue.study.bots.walking import ClientBrowser, Walk
from trialogue.study.design.file import FILE, StudyFile, sha256_of_study
from trialogue.study.design.folder import read_items
from trialogue.study.design.items import AnyItem
from trialogue.study.design.platforms import signed_link
from trialogue.study.design.reading import read_study

if TYPE_CHECKING:
    from trialogue.study.models import Study

GAP_S = 60.0  # between two arrivals, on average
TRIES = 6  # times that somebody who is turned away comes back


@dataclass
class Clock:
    """The time in a simulated study."""

    start: datetime = field(default_factory=lambda: datetime(2026, 1, 5, 9, tzinfo=UTC))
    seconds: float = 0.0

    def now(self) -> datetime:
        """The environment that Django is given."""
        return self.start + timedelta(seconds=self.seconds)


@contextmanager
def patched_time(clock: Clock) -> Iterator[None]:
    """Let Django and the rate limits of this process take the time from the clock: hours pass in seconds."""
    seconds = SimpleNamespace(time=lambda: clock.now().timestamp())
    with patch("django.utils.timezone.now", clock.now), patch("trialogue.study.web.throttle.time", seconds):
        yield


def walk_all(
    walks: Sequence[Walk],
    *,
    clock: Clock,
    lease: float,
    rng: np.random.Generator,
    done: Callable[[int], None] = lambda number: None,
) -> None:
    """Let all participants walk, page by page in order of time, until all are done, gone or turned away for good.

    Args:
        walks: one for each participant; they arrive in this order.
        clock: clock that is set to the time of each page.
        lease: seconds after which a participant who was turned away tries again: slots of drop-outs are free by then.
        rng: random generator for the arrivals.
        done: called after each participant with the number of those who have finished.
    """
    arrivals = np.cumsum(rng.exponential(GAP_S, size=len(walks))).tolist()
    coming = [(at, number, 0) for number, at in enumerate(arrivals)]
    heapq.heapify(coming)
    through = 0
    while coming:
        clock.seconds, number, tries = heapq.heappop(coming)
        walk = walks[number]
        if walk.step():
            heapq.heappush(coming, (clock.seconds + walk.pause(), number, tries))
        elif walk.state == "turned_away" and tries < TRIES:
            walk.restart()
            heapq.heappush(coming, (clock.seconds + lease, number, tries + 1))
        else:
            through += 1
            done(through)


WHO = "simulation"
WAIT_S_PER_LEASE_MINUTE = 61.0  # who is turned away returns a little after the leases of others ended


def run(plan_folder: Path) -> None:
    """Carry out the plan in a folder, which is not the study's; the result is written beside it."""
    import django

    django.setup()
    plan = Plan.model_validate_json((plan_folder / PLAN).read_text("utf-8"))
    folder = Path(plan.folder)
    file = read_study(folder / FILE)
    items = read_items(folder / file.items, file)
    clock = Clock()
    with patched_time(clock):
        study = _open_study(file, items, (folder / file.items).read_bytes())
        walks = walks_of(file, items, plan)
        walk_all(
            walks,
            clock=clock,
            lease=file.lease_minutes * WAIT_S_PER_LEASE_MINUTE,
            rng=rng_for(plan.seed, "arrivals"),
            done=lambda number: print(f"{number} of {len(walks)} participants finished", flush=True),  # noqa: T201
        )
        outcome = _outcome(study, file, plan, walks)
    (plan_folder / RESULT).write_text(outcome.model_dump_json(), "utf-8")


def _open_study(file: StudyFile, items: list[AnyItem], raw: bytes) -> "Study":
    """The study in an empty database, with admission open."""
    from django.core.management import call_command
    from django.db import connection

    from trialogue.study.services import launching

    call_command("migrate", verbosity=0)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous=OFF")  # this database is thrown away
    study = launching.load(file, items, sha256_of_study(file, raw))
    launching.end_soft_launch(study, who=WHO)  # nobody looks at scripts before the others come
    return launching.set_state(study, "running", who=WHO)


def walks_of(file: StudyFile, items: list[AnyItem], plan: Plan) -> list[Walk]:
    """The participants of a plan before they enter, each with an address of their own."""
    knows = Knowledge(items, file)
    pages = len(file.phases) + file.items_per_participant + len(file.before) + len(file.after)
    return [
        Walk(
            bot_of(number, kind, effects=plan.effects, knows=knows, seed=plan.seed, pages=pages),
            ClientBrowser(address=f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"),
            entrance_of(file, number),
        )
        for number, kind in enumerate(plan.kinds, start=1)
    ]


def entrance_of(file: StudyFile, number: int) -> str:
    """The link by which a participant comes, as the study's platform would make it."""
    from django.conf import settings

    path, person = f"/{file.study}/", f"simulated{number}"
    if file.platform.signed:
        return signed_link(path, study=file.study, person=person, key=settings.SECRET_KEY)
    named = {
        "prolific": {"PROLIFIC_PID": person, "STUDY_ID": "simulated", "SESSION_ID": person},
        "mturk": {"workerId": person, "assignmentId": person, "hitId": "simulated"},
        "connect": {"participantId": person, "assignmentId": person, "projectId": "simulated"},
        "sona": {"id": person},
        "generic": {file.platform.id_parameter: person},
    }.get(file.platform.name)
    return f"{path}?{urlencode(named)}" if named else path


def _outcome(study: "Study", file: StudyFile, plan: Plan, walks: list[Walk]) -> SimulatedStudy:
    from trialogue.study.bots.tally import tally

    if plan.export is not None:
        from trialogue.study.export import export_study

        export_study(study, Path(plan.export), who=WHO, simulated=True)
    return SimulatedStudy(
        study=file.study,
        workers=len(walks),
        seed=plan.seed,
        effects=plan.effects,
        kinds=dict(Counter(plan.kinds)),
        raters_per_item=file.raters_per_item,
        **tally(study, walks),
        export=plan.export,
    )


if __name__ == "__main__":
    run(Path(sys.argv[1]))
