"""Describe participants for staff pages: origin, evidence and decisions."""

from collections import Counter
from collections.abc import Iterable
from typing import Any, TypeAlias

from django.urls import reverse
from django.utils.translation import gettext

from trialogue.study.models import Decision, Participant
from trialogue.study.services.management.deciding import Standing, standings
from trialogue.study.staff.dashboard.flow import stage_names
from trialogue.study.staff.evidence import findings, sessions

Row: TypeAlias = dict[str, Any]


def link_names() -> dict[str, str]:
    """Kinds of links that participants used, by whether they can be forged."""
    return {
        "signed": gettext("signed link"),
        "id": gettext("unsigned link with an ID"),
        "open": gettext("link without an ID"),
        "": "–",
    }


def link_of(participant: Participant) -> str:
    """``signed``, ``id`` or ``open``; "" where nothing is left that would tell."""
    if participant.signed:
        return "signed"
    if participant.identity_hash:
        return "id"
    return "" if participant.state == Participant.State.WITHDREW else "open"


def links(participants: Iterable[Participant]) -> list[dict[str, Any]]:
    """Number of arrivals by kind of link, for used kinds only."""
    counts = Counter(map(link_of, participants))
    names = link_names()
    return [{"link": link, "name": names[link], "count": counts[link]} for link in names if link and counts[link]]


def rows_of(participants: Iterable[Participant]) -> list[Row]:
    """A row for each participant."""
    everybody = list(participants)
    known, names, links = sessions(everybody), stage_names(), link_names()
    decided = standings(everybody)
    return [
        {
            "code": each.code,
            "state": names.get(each.reason or each.state, each.reason or each.state),
            "arrived": each.arrived_at,
            "link": links[link_of(each)],
            "tasks": getattr(each, "tasks", 0),
            "minutes": round(((each.finished_at or each.seen_at) - each.arrived_at).total_seconds() / 60),
            "evidence": findings(known[each.pk]),
            "completed": each.state == Participant.State.COMPLETED,
            "url": reverse("study:staff-session", args=[each.study.slug, each.code]),
            "standing": describe_decisions(decided.get(each.pk, Standing())),
            "decided": decided.get(each.pk, Standing()),
        }
        for each in everybody
    ]


def describe_decisions(now: Standing) -> list[dict[str, str]]:
    """Short description of decisions."""
    found = []
    if now.payment == "accept":
        found.append({"look": "good", "text": gettext("accepted")})
    elif now.payment == "refuse":
        found.append({"look": "rule", "text": gettext("refused: %(reason)s") % {"reason": now.payment_reason}})
    if now.bonus:
        found.append({"look": "good", "text": gettext("bonus %(amount)s") % {"amount": now.bonus}})
    if now.by_hand:
        found.append({"look": "rule", "text": gettext("excluded manually: %(reason)s") % {"reason": now.by_hand}})
    return found


def describe_decision(decision: Decision) -> str:
    """One decision."""
    words = {
        Decision.Kind.ACCEPT: gettext("accepted"),
        Decision.Kind.REFUSE: gettext("refused: %(reason)s"),
        Decision.Kind.BONUS: gettext("bonus %(amount)s"),
        Decision.Kind.EXCLUDE: gettext("excluded manually: %(reason)s"),
        Decision.Kind.READMIT: gettext("manual exclusion reversed"),
    }[Decision.Kind(decision.kind)]
    return words % {"reason": decision.reason, "amount": decision.amount}
