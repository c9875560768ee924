"""Launch a draft after its number of paid places is confirmed, and open or close admission."""

from django.db import transaction

from trialogue.errors import UsageError
from trialogue.study.design.platforms.budget import Budget
from trialogue.study.models import Audit, Study
from trialogue.study.services.assigning import budget
from trialogue.study.services.reading import file_of

PAID = ("prolific", "mturk", "connect")  # platforms on which every place costs money


def confirmation_needed(study: Study) -> Budget | None:
    """Confirmation needed before launching a draft; None if nothing is paid and nobody is replaced."""
    file = file_of(study)
    if study.state != Study.State.DRAFT or not (file.payment or file.platform.name in PAID):
        return None
    found = budget(study)
    return found if found.replacements else None


def launch(study: Study, *, who: str, places: int | None = None) -> Study:
    """Let people into a draft for the first time.

    Args:
        study: a draft.
        who: launches it.
        places: as confirmed: how many people are paid at most.

    Raises:
        UsageError: that was not confirmed, or another number.
    """
    if (wanted := confirmation_needed(study)) is not None and places != wanted.most_people:
        raise UsageError(
            question(wanted) + f" Confirm it with --confirm-places {wanted.most_people}, or set replace_at_most."
        )
    with transaction.atomic():
        launched = set_state(study, Study.State.RUNNING, who=who)
        if wanted is not None:
            detail = {"places": wanted.most_people, "price": wanted.price(wanted.most_people)}
            launched.audits.create(who=who, what="places confirmed", detail=detail)
    return launched


def question(wanted: Budget) -> str:
    """Text of the confirmation."""
    return (
        f"{wanted.people:,} participants are required ({wanted.price(wanted.people)}). Judgements of excluded "
        f"participants are collected again, for at most {wanted.replacements:,}: up to {wanted.most_people:,} participants "
        f"are paid ({wanted.price(wanted.most_people)})."
    )


def set_state(study: Study, state: str, *, who: str) -> Study:
    """Change the state to ``running``, ``paused`` or ``closed``. Current participants may finish."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        locked.state = Study.State(state)
        locked.save(update_fields=["state"])
        Audit.objects.create(study=locked, who=who, what=f"state: {state}", detail={})
    return locked
