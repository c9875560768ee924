"""What was decided about somebody, in words."""

from django.utils.translation import gettext

from trialogue.study.models import Decision
from trialogue.study.services.management.deciding import Standing


def standing_words(now: Standing) -> list[dict[str, str]]:
    """What was decided, in short."""
    found = []
    if now.payment == "accept":
        found.append({"look": "good", "text": gettext("accepted")})
    elif now.payment == "refuse":
        found.append({"look": "rule", "text": gettext("refused: %(reason)s") % {"reason": now.payment_reason}})
    if now.bonus:
        found.append({"look": "good", "text": gettext("bonus %(amount)s") % {"amount": now.bonus}})
    if now.by_hand:
        found.append({"look": "rule", "text": gettext("excluded by hand: %(reason)s") % {"reason": now.by_hand}})
    return found


def said_of(decision: Decision) -> str:
    """One decision."""
    words = {
        Decision.Kind.ACCEPT: gettext("accepted"),
        Decision.Kind.REFUSE: gettext("refused: %(reason)s"),
        Decision.Kind.BONUS: gettext("bonus %(amount)s"),
        Decision.Kind.EXCLUDE: gettext("excluded by hand: %(reason)s"),
        Decision.Kind.READMIT: gettext("exclusion by hand taken back"),
    }[Decision.Kind(decision.kind)]
    return words % {"reason": decision.reason, "amount": decision.amount}
