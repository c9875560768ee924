"""Load a study folder into the database, once; then launch, pause and close the study."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction

from trialogue.errors import UsageError
from trialogue.seeds import rng_for
from trialogue.study.design.assignment import slot_orders
from trialogue.study.design.checks import checks_of
from trialogue.study.design.file import ChangedError, StudyFile
from trialogue.study.design.items import BY_TYPE, AnyItem, to_stored
from trialogue.study.design.platforms import Budget
from trialogue.study.models import Audit, Item, Participant, Slot, Study
from trialogue.study.services.assigning import budget, holders
from trialogue.study.services.deciding import counts_by_stratum
from trialogue.study.services.rows import file_of, lock_study

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


def load(file: StudyFile, items: list[AnyItem], sha256: str) -> Study:
    """The study in the database, created if it is not there.

    Args:
        file: the study file.
        items: its items.
        sha256: hash of both, as ``design.file.sha256_of_study`` computes it.

    Raises:
        ChangedError: a study of this name has participants under another file.
    """
    with transaction.atomic():
        there = Study.objects.select_for_update().filter(slug=file.study).first()
        if there is not None and there.sha256 == sha256:
            return there
        if there is not None and there.participants.exists():
            raise ChangedError(
                f"the file or the items of study {file.study!r} changed after participants joined. Restore the original "
                "files, or create a new study."
            )
        if there is None:
            return _create_study(file, items, sha256)
        Study.objects.filter(pk=there.pk).update(slug=f"replaced-{there.pk}")
        made = _create_study(file, items, sha256)
        there.platform_requests.update(study=made)  # what was requested from a platform is never forgotten
        there.delete()
        return made


def _create_study(file: StudyFile, items: list[AnyItem], sha256: str) -> Study:
    study = Study.objects.create(
        slug=file.study,
        configuration=file.model_dump(mode="json"),
        sha256=sha256,
        seed=file.seed,
        first_people=file.launch.first,
    )
    rng = rng_for(file.seed, file.study, "items")
    ranks = rng.permutation(len(items)).tolist()
    k = file.raters_per_item
    tasks = Item.objects.bulk_create(
        [
            Item(study=study, key=item.key, dialogue=item.dialogue, content=to_stored(item), needed=k, rank=rank)
            for item, rank in zip(items, ranks, strict=True)
        ],
        batch_size=500,
    )
    by_rank = sorted(zip(ranks, tasks, items, strict=True), key=lambda each: each[0])
    strata = [name for name, raters in file.raters_by_stratum.items() for _ in range(raters)]
    orders = slot_orders(
        [item.systems for _, _, item in by_rank],
        [*file.raters_by_stratum.values()],
        rng=rng_for(file.seed, file.study, "orders"),
    )
    Slot.objects.bulk_create(
        [
            Slot(item=task, number=number, order=list(order), stratum=strata[number])
            for (_, task, _), rows in zip(by_rank, orders, strict=True)
            for number, order in enumerate(rows)
        ],
        batch_size=1000,
    )
    _extras(study, file, items, rng_for(file.seed, file.study, "checks"))
    return study


def _extras(study: Study, file: StudyFile, items: list[AnyItem], rng: np.random.Generator) -> None:
    """Training items and checks; no slots: any number of participants may see them."""
    made = BY_TYPE[file.type]
    extras = [
        Item(
            study=study,
            key=f"training-{number}",
            kind=Item.Kind.TRAINING,
            content=to_stored(made.model_validate({"key": f"training-{number}", **training.item})),
            expected=training.right,
        )
        for number, training in enumerate(file.training, start=1)
    ]
    extras += [
        Item(
            study=study,
            key=check.item.key,
            kind=Item.Kind.CHECK,
            dialogue=check.origin,
            content=to_stored(check.item),
            expected=check.expected,
            rank=number,
        )
        for number, check in enumerate(checks_of(file, items, rng=rng), start=1)
    ]
    Item.objects.bulk_create(extras)
