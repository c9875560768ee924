"""Launch a draft after its number of paid places is confirmed, and open or close admission."""

from django.db import transaction

from trialogue.errors import UsageError
from trialogue.study.design.platforms.budget import Budget
from trialogue.study.models import Audit, Study
from trialogue.study.services.assigning import budget
from trialogue.study.services.reading import file_of

PAID = ("prolific", "mturk", "connect")  # platforms on which every place costs money, even if the file names no payment


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


def set_state(study: Study, state: str, *, who: str) -> Study:
    """Change the state to ``running``, ``paused`` or ``closed``. Current participants may finish."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        locked.state = Study.State(state)
        locked.save(update_fields=["state"])
        Audit.objects.create(study=locked, who=who, what=f"state: {state}", detail={})
    return locked
