"""Load a study folder into the database: study, items, slots and checks. Done once; a launched study never changes."""

import numpy as np
from django.db import transaction

from trialogue.seeds import rng_for
from trialogue.study.design.assignment import slot_orders
from trialogue.study.design.checks import checks_of
from trialogue.study.design.file import ChangedError, StudyFile
from trialogue.study.design.items import BY_TYPE, AnyItem, to_stored
from trialogue.study.models import Item, Slot, Study


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
