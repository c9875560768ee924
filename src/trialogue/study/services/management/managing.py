"""What staff decide: whether people may enter; each decision is in the log."""

from django.db import transaction

from trialogue.study.models import Audit, Study


def set_state(study: Study, state: str, *, who: str) -> Study:
    """Let people in (``running``), or not (``paused``, ``closed``). Who is at work goes on."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        locked.state = Study.State(state)
        locked.save(update_fields=["state"])
        Audit.objects.create(study=locked, who=who, what=f"state: {state}", detail={})
    return locked
