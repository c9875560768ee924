"""Simulate a study with scripted participants, from the first page to the export, in its own process and database."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from trialogue.errors import TrialogueError, UsageError
from trialogue.extras import need
from trialogue.study.bots.outcome import SimulatedStudy
from trialogue.study.bots.people import Kind
from trialogue.study.bots.plan import Plan, effects_of, kinds_of
from trialogue.study.design.file import FILE, read_study
from trialogue.study.design.items_file import read_items

PLAN, RESULT, ERRORS = "plan.json", "result.json", "errors.txt"
MINE = ("TRIALOGUE_STUDY", "DATABASE_URL", "TRIALOGUE_HOSTS", "TRIALOGUE_SECURE")  # of a study that is served for real


def simulate_study(
    folder: Path | str,
    *,
    workers: int,
    effects: Mapping[str, float] | None = None,
    seed: int = 0,
    drop_out: float = 0.1,
    careless: float = 0.1,
    straight: float = 0.0,
    obedient: float = 0.0,
    person: float = 0.0,
    assisted: float = 0.0,
    agent: float = 0.0,
    export: Path | str | None = None,
    progress: Callable[[str], None] = lambda line: None,
) -> SimulatedStudy:
    """Let scripted participants walk every page of a study; the study's own database is neither read nor written.

    They read the HTML, fill in its forms and send them, through all of Django's middleware, with a clock of their own:
    leases of drop-outs expire, and those who were turned away come back. Their preferences are known, so an analysis of the
    export can be compared with them. The same study, workers, effects and seed give the same answers. In live chats the real
    agents of the study file are asked; no page says which one it is, so nobody prefers any.

    Args:
        folder: study folder.
        workers: number of participants.
        effects: utility by system, in logits; None: evenly spaced, in an order that the seed determines.
        seed: random seed.
        drop_out: share of participants who leave at some page.
        careless: share of participants who answer at random and read no checks.
        straight: share who always choose the first point.
        obedient: share who answer at random, but pass attention checks.
        person: share who read, write and type as people do (``manners``).
        assisted: share of people who let a language model write.
        agent: share who are programs that fill in forms with a language model.
        export: new or empty folder for the export; None: no export.
        progress: called with progress lines.

    Raises:
        DataError: a study file or items that cannot be read.
        UsageError: invalid shares or effects, or an export folder that is not empty.
        TrialogueError: the pages could not be walked; with the last lines of what Django said.
    """
    need("django", extra="study", purpose="walk the pages of a study")
    root = Path(folder)
    if not root.is_dir():
        raise UsageError(f"{folder} is not a folder. Give the folder that contains {FILE}.")
    file = read_study(root)
    items = read_items(root / file.items, file)
    shares: dict[Kind, float] = {
        "drop_out": drop_out,
        "careless": careless,
        "straight": straight,
        "obedient": obedient,
        "person": person,
        "assisted": assisted,
        "agent": agent,
    }
    plan = Plan(
        folder=str(root.resolve()),
        export=None if export is None else str(_empty(Path(export)).resolve()),
        seed=seed,
        effects=effects_of(items, effects, seed=seed),
        kinds=kinds_of(workers, shares, seed=seed),
    )
    with TemporaryDirectory(prefix="trialogue-study-") as room:
        return _run(plan, Path(room), progress)


def _empty(folder: Path) -> Path:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists; give a new or empty folder.")
    return folder


def _run(plan: Plan, room: Path, progress: Callable[[str], None]) -> SimulatedStudy:
    """Run a plan in a process of its own, since Django is set up once in each, with one database."""
    (room / PLAN).write_text(plan.model_dump_json(), "utf-8")
    environment = {name: value for name, value in os.environ.items() if name not in MINE}
    environment |= {"DJANGO_SETTINGS_MODULE": "trialogue.study.settings", "TRIALOGUE_STUDY": str(room)}
    command = [sys.executable, "-m", "trialogue.study.bots", str(room)]
    with (
        (room / ERRORS).open("w", encoding="utf-8") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, env=environment, text=True, encoding="utf-8"
        ) as process,
    ):
        try:
            for line in process.stdout or ():
                progress(line.strip())
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        said = (room / ERRORS).read_text("utf-8", "replace").strip().splitlines()[-12:]
        raise TrialogueError("\n".join(["the simulated study stopped:", *said]))
    return SimulatedStudy.model_validate_json((room / RESULT).read_text("utf-8"))
