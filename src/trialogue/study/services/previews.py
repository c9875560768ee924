"""Report previews of a running study, made by a separate process and deleted when a participant withdraws.

A preview is stored in the study folder's ``preview``, under the names in ``analysing``. Without ``wanted`` nothing in it is
shown, and a process that is still writing there deletes it.
"""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from django.conf import settings

from trialogue.study.analysing import EXPORTED, FAILED, REPORT, WANTED
from trialogue.study.models import Audit, Study
from trialogue.study.services.deciding import counts_by_item

LOOK = "look"
FOLDER = "preview"


@dataclass(frozen=True)
class Progress:
    """Progress of a study towards its planned end."""

    items: int
    done: int
    """Answers that count."""
    needed: int

    @property
    def is_complete(self) -> bool:
        """Whether every item has its answers."""
        return self.done >= self.needed


def progress(study: Study) -> Progress:
    """The stopping rule in numbers: a study ends when each of its items has the planned number of answers."""
    items = counts_by_item(study)
    return Progress(len(items), sum(each.counted for each in items), sum(each.needed for each in items))


def room() -> Path | None:
    """Folder of previews; None for a server without a study folder."""
    folder: Path | None = settings.FOLDER
    return folder / FOLDER if folder else None


def state(study: Study) -> Literal["none", "making", "failed", "made"]:
    """Whether there is a preview."""
    own = room_of(study)
    if own is None or not (own / WANTED).exists():
        return "none"
    if (own / FAILED).exists():
        return "failed"
    return "made" if page(study) is not None else "making"


def room_of(study: Study) -> Path | None:
    """Folder of a study's preview."""
    found = room()
    return found / study.slug if found else None


def page(study: Study) -> Path | None:
    """The report, if it is made and wanted."""
    own = room_of(study)
    path = own / REPORT / "report.html" if own else None
    return (
        path if path and own and path.is_file() and (own / WANTED).exists() and not (own / EXPORTED).exists() else None
    )


def forget(study: Study) -> None:
    """Delete the preview, which contains data of deleted participants."""
    own = room_of(study)
    if own is not None and own.exists():
        (own / WANTED).unlink(missing_ok=True)
        shutil.rmtree(own, ignore_errors=True)


def log_look(study: Study, who: str) -> None:
    """Log an interim look at results, with the study's progress."""
    now = progress(study)
    Audit.objects.create(study=study, who=who, what=LOOK, detail={"done": now.done, "needed": now.needed})


def early_looks(study: Study) -> list[dict[str, object]]:
    """Looks at results before the planned end: when, and how many answers there were."""
    return [
        {"at": each.at.isoformat(), "done": each.detail["done"], "needed": each.detail["needed"]}
        for each in study.audits.filter(what=LOOK).order_by("pk")
        if each.detail["done"] < each.detail["needed"]
    ]
