"""Launch a draft after its number of paid places is confirmed, and open or close admission."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from trialogue.errors import UsageError
from trialogue.study.design.platforms.budget import Budget
from trialogue.study.models import Audit, Participant, Study
from trialogue.study.services.assigning import budget, holders
from trialogue.study.services.management.counting import counts_by_stratum
from trialogue.study.services.reading import file_of
from trialogue.study.services.rows import lock_study

PAID = ("prolific", "mturk", "connect")  # platforms on which every place costs money, even if the file names no payment
RULE = "rule: failed checks"  # who pauses a study, in the log, if nobody did
OPENED = "state: running"  # what opening a study is called in the log
FAILED = "failed_checks"  # flag of participants who failed more checks than allowed


def confirmation_needed(study: Study) -> Budget | None:
    """What has to be confirmed before a study is launched.

    None if nothing has to be: it is no draft any more, nobody is paid for it, or no excluded participants are replaced, so
    that no more people are paid than the study file says.
    """
    file = file_of(study)
    if study.state != Study.State.DRAFT or not (file.payment or file.platform.name in PAID):
        return None
    planned = budget(study)
    return planned if planned.replacements else None


def launch(study: Study, *, who: str, confirmed_places: int | None = None) -> Study:
    """Let people into a draft for the first time.

    Args:
        study: a draft.
        who: who launches it, for the log.
        confirmed_places: how many people are paid at most, as somebody confirmed; None: nobody did.

    Raises:
        UsageError: that was not confirmed, or another number.
    """
    planned = confirmation_needed(study)
    if planned is not None and confirmed_places != planned.most_people:
        raise UsageError(
            f"{confirmation_text(planned)} Confirm it with --confirm-places {planned.most_people}, "
            "or set replace_at_most."
        )
    with transaction.atomic():
        launched = set_state(study, Study.State.RUNNING, who=who)
        if planned is not None:
            detail = {"places": planned.most_people, "price": planned.price(planned.most_people)}
            launched.audits.create(who=who, what="places confirmed", detail=detail)
    return launched


def confirmation_text(planned: Budget) -> str:
    """What is confirmed: how many people are needed, how many are paid at most, and the cost of both."""
    return (
        f"{planned.people:,} participants are required ({planned.price(planned.people)}). Judgements of excluded "
        f"participants are collected again, for at most {planned.replacements:,}: up to {planned.most_people:,} "
        f"participants are paid ({planned.price(planned.most_people)})."
    )


def set_state(study: Study, state: str, *, who: str, **detail: Any) -> Study:
    """Change the state to ``running``, ``paused`` or ``closed``. Current participants may finish.

    Args:
        study: the study.
        state: its new state.
        who: who changes it, for the log.
        detail: why, for the log.
    """
    with transaction.atomic():
        locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        locked.state = Study.State(state)
        locked.save(update_fields=["state"])
        Audit.objects.create(study=locked, who=who, what=f"state: {state}", detail=detail)
    return locked


def end_soft_launch(study: Study, *, who: str) -> None:
    """Admit everybody from now on, after the first participants of a soft launch were looked at."""
    with transaction.atomic():
        if Study.objects.filter(pk=study.pk, first_people__isnull=False).update(first_people=None):
            Audit.objects.create(study=study, who=who, what="soft launch ended", detail={})
    study.first_people = None


@dataclass(frozen=True)
class Failures:
    """Failed attention checks since the study was opened last."""

    failed: int
    """Completed participants who failed more checks than the study file allows."""
    completed: int
    """Completed participants."""
    most: float | None
    """Share above which the study pauses; None: it never does."""
    least: int
    """Completed participants from which on it does."""

    @property
    def limit(self) -> int | None:
        """``most`` in percent."""
        return None if self.most is None else round(100 * self.most)

    @property
    def are_too_many(self) -> bool:
        """Whether the study has to pause."""
        return self.most is not None and self.completed >= self.least and self.failed > self.most * self.completed


def failures(study: Study) -> Failures:
    """Failed attention checks of a study."""
    opened = study.audits.filter(what=OPENED).order_by("pk").last()
    done = study.participants.filter(state=Participant.State.COMPLETED)
    flags = [
        *done.filter(finished_at__gte=opened.at if opened is not None else study.created_at)
        .values_list("flags", flat=True)
    ]  # fmt: skip
    limits = file_of(study).launch
    return Failures(sum(FAILED in each for each in flags), len(flags), limits.most_failed, limits.least_completed)


def pause_on_failures(study: Study) -> None:
    """Pause a running study whose participants fail more checks than the study file allows; the log says why."""
    if file_of(study).launch.most_failed is None:
        return
    lock_study(study)
    running = Study.objects.filter(pk=study.pk, state=Study.State.RUNNING).exists()
    if running and (now := failures(study)).are_too_many:
        set_state(study, Study.State.PAUSED, who=RULE, failed=now.failed, completed=now.completed)


def pause_reason(study: Study) -> Failures | None:
    """Failures at which a study paused by itself; None if it is not paused, or somebody paused it."""
    if study.state != Study.State.PAUSED:
        return None
    last = study.audits.filter(what__startswith="state: ").order_by("pk").last()
    if last is None or last.who != RULE:
        return None
    limits = file_of(study).launch
    return Failures(last.detail["failed"], last.detail["completed"], limits.most_failed, limits.least_completed)


def status_lines(study: Study) -> Iterator[str]:
    """State of a study, why it is paused, its soft launch and its strata, a line each."""
    yield f"{study.slug}: {study.state}"
    if (why := pause_reason(study)) is not None:
        yield (
            f"Paused because {why.failed} of {why.completed} participants who completed failed their attention checks "
            f"(launch.most_failed is {why.most:g}). Look at their sessions before you open it again."
        )
    if study.first_people is not None:
        yield f"Soft launch: {holders(study).count()} of the first {study.first_people} participants hold places."
    for each in counts_by_stratum(study) if file_of(study).strata else ():
        yield f"{each.key}: {each.counted} of {each.needed} ratings count, {each.running} in progress, {each.open} open"
