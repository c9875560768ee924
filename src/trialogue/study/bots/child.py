"""Child process of a simulated study: Django with its own database, participants, counts, export."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from trialogue.seeds import rng_for
from trialogue.study.bots.browsing import ClientBrowser
from trialogue.study.bots.crowd import Clock, patched_time, walk_all
from trialogue.study.bots.knowledge import Knowledge
from trialogue.study.bots.outcome import SimulatedStudy
from trialogue.study.bots.people import bot_of
from trialogue.study.bots.plan import Plan
from trialogue.study.bots.simulation import PLAN, RESULT
from trialogue.study.bots.walking import Walk
from trialogue.study.design.file import FILE, StudyFile, read_study, sha256_of_study
from trialogue.study.design.items import AnyItem
from trialogue.study.design.items_file import read_items
from trialogue.study.design.platforms import signed_link

if TYPE_CHECKING:
    from trialogue.study.models import Study

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

    from trialogue.study.services.management import launching, loading

    call_command("migrate", verbosity=0)
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous=OFF")  # this database is thrown away
    study = loading.load(file, items, sha256_of_study(file, raw))
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
