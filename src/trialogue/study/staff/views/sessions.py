"""Page of one session: turns, evidence and decisions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext, ngettext

from trialogue.records import JsonValue
from trialogue.study.design.checks import flags_of, time_away
from trialogue.study.design.pages import (
    ConversationShown,
    LabelShown,
    Line,
    PairShown,
    Part,
    RatingShown,
    number_of,
    phase_of,
)
from trialogue.study.design.questions import Question
from trialogue.study.models import Chat, Check, Decision, Event, Participant, PlatformRequest, Study, Submission
from trialogue.study.pages.contents import answer_text
from trialogue.study.pages.fragments import Message, messages_of_page
from trialogue.study.services import asking
from trialogue.study.services.deciding import decide, standing_of
from trialogue.study.services.leaving import outcome_of
from trialogue.study.services.rows import file_of
from trialogue.study.services.validity import evidence_of
from trialogue.study.staff.base import MANAGE, StaffForm, login_of, may, questions_of
from trialogue.study.staff.dashboard import stage_names
from trialogue.study.staff.evidence import (
    describe_decision,
    describe_decisions,
    findings,
    link_names,
    link_of,
    sessions,
)
from trialogue.study.staff.forms import DecisionForm, refusal

AWAY_S = 2.0  # seconds elsewhere that are worth a line


@dataclass(frozen=True)
class Row:
    """One answer."""

    question: str
    answer: str


@dataclass
class Card:
    """A displayed reply, dialogue or conversation with its system's name and answers."""

    title: str
    text: str = ""
    talk: list[Message] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)


@dataclass
class Turn:
    """One page that was sent."""

    title: str
    at: datetime
    seconds: float | None
    item: str = ""
    """Key of the item."""
    talk: list[Message] = field(default_factory=list)
    """The conversation that it is about."""
    cards: list[Card] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    """Answers to questions asked once."""
    checks: list[tuple[bool, str]] = field(default_factory=list)
    """(passed, in words)."""
    noticed: list[str] = field(default_factory=list)
    """Browser events as text."""


def turns(participant: Participant, language: str) -> list[Turn]:
    """Submitted pages, in order."""
    sent = Submission.objects.filter(participant=participant).select_related("assignment__item").order_by("pk")
    checks: dict[str, list[Check]] = {}
    for check in Check.objects.filter(participant=participant).order_by("pk"):
        checks.setdefault(check.step, []).append(check)
    events: dict[str, list[tuple[str, int]]] = {}
    for step, kind, at in Event.objects.filter(participant=participant).values_list("step", "kind", "milliseconds"):
        events.setdefault(step, []).append((kind, at))
    chats: dict[str, list[Chat]] = {}
    for chat in Chat.objects.filter(participant=participant).prefetch_related("turns").order_by("pk"):
        chats.setdefault(chat.step, []).append(chat)
    asked = {question.name: question for question in questions_of(participant.study)}
    found = []
    for each in sent:
        turn = Turn(step_name(each.step), each.received_at, each.seconds)
        _fill(turn, participant, each, chats.pop(each.step, []), language)
        turn.checks = [(check.passed, _check_text(check, asked, language)) for check in checks.get(each.step, ())]
        turn.noticed = _event_texts(events.get(each.step, ()))
        found.append(turn)
    for step, begun in chats.items():  # conversations that nothing was answered about yet
        turn = Turn(step_name(step), begun[0].started_at, None)
        turn.cards = [_conversation(chat) for chat in begun]
        found.append(turn)
    return found


def step_name(key: str) -> str:
    """A step in words."""
    names = {
        "consent": gettext("Consent"),
        "screening": gettext("Questions before"),
        "before": gettext("Questionnaire before"),
        "instructions": gettext("Instructions"),
        "training": gettext("Practice"),
        "feedback": gettext("Our answers"),
        "comprehension": gettext("Questions about the instructions"),
        "task": gettext("Task"),
        "check": gettext("Attention check"),
        "after": gettext("Questionnaire after"),
    }
    name = names.get(phase_of(key), key)
    numbered = ":" in key and phase_of(key) != "check"  # the number of a check is its own, not its place among others
    return f"{name} {number_of(key)}" if numbered else name


def _fill(turn: Turn, participant: Participant, sent: Submission, chats: Sequence[Chat], language: str) -> None:
    """Content and answers of a page."""
    shows = asking.item_at(participant, sent.step, sent.assignment)
    left: dict[str, JsonValue] = dict(sent.answers)
    parts = {part.prefix: part for part in asking.parts_of(participant, sent.step, shows)}
    if shows is not None and sent.assignment is not None:
        turn.item = sent.assignment.item.key
    if shows is not None:
        _show(turn, shows, chats)
    for place, card in enumerate(turn.cards, 1):
        if part := parts.pop(f"r{place}-", None):
            card.rows = list(_rows(part, left, language))
    turn.rows = [row for part in parts.values() for row in _rows(part, left, language)]
    turn.rows += [Row(name, written_plainly(value)) for name, value in sorted(left.items())]


def _show(turn: Turn, shows: asking.ShownItem, chats: Sequence[Chat]) -> None:
    shown = shows.record.show(shows.order)
    if shown is None:
        turn.cards = [_conversation(chat) for chat in chats]
    elif isinstance(shown, LabelShown):
        turn.talk = messages_of_page(shown.lines[: shown.asked_about + 1], asked_about=shown.asked_about)
    elif isinstance(shown, RatingShown):
        turn.talk = messages_of_page(shown.context)
        turn.cards = [Card(name, text=text) for name, text in zip(shows.order, shown.replies, strict=True)]
    elif isinstance(shown, ConversationShown):
        turn.cards = [Card(shows.order[0], talk=messages_of_page(shown.lines))]
    elif isinstance(shown, PairShown):
        turn.talk = messages_of_page(shown.context)
        sides: Sequence[str | tuple[Line, ...]] = shown.sides
        turn.cards = [
            Card(name, text=side) if isinstance(side, str) else Card(name, talk=messages_of_page(side))
            for name, side in zip(shows.order, sides, strict=True)
        ]


def _conversation(chat: Chat) -> Card:
    lines = [Line(turn.speaker, turn.text) for turn in chat.turns.all()]
    return Card(chat.system, talk=messages_of_page(lines))


def _rows(part: Part, left: dict[str, JsonValue], language: str) -> Iterable[Row]:
    for question in part.questions:
        name = part.prefix + question.name
        if name in left:
            yield Row(question.name.replace("_", " "), answer_text(question, left.pop(name), language))


def written_plainly(value: JsonValue) -> str:
    """An answer without a current question, such as the consent or a removed question."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _check_text(check: Check, asked: Mapping[str, Question], language: str) -> str:
    if check.passed:
        return gettext("check passed")
    evidence: Mapping[str, Any] = check.evidence
    if "expected" not in evidence:
        return gettext("check failed")
    words = []
    for name, value in evidence["expected"].items():  # of every reply, or of "r2-..."
        question = asked.get(name) or asked.get(name.partition("-")[2])
        words.append(f"{name} {answer_text(question, value, language) if question else written_plainly(value)}")
    expected = ", ".join(words)
    return gettext("check failed: expected %(expected)s") % {"expected": expected}


def _event_texts(events: Sequence[tuple[str, int]]) -> list[str]:
    found = []
    if count := sum(kind == "paste" for kind, _ in events):
        found.append(ngettext("pasted once", "pasted %(count)s times", count) % {"count": count})
    away, _ = time_away(events)
    if away / 1000 >= AWAY_S:
        found.append(gettext("%(seconds)s s in other windows") % {"seconds": round(away / 1000)})
    return found


class Session(StaffForm):
    """A session, turn by turn; a decision that was sent, kept."""

    form_class = DecisionForm
    template_name = "study/staff/session.html"
    participant: Participant

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """The page."""
        self.participant = get_object_or_404(self.study.participants, code=kwargs["code"])
        return super().get(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A decision.

        Raises:
            PermissionDenied: of somebody who may only look.
        """
        self.participant = get_object_or_404(self.study.participants, code=kwargs["code"])
        if not may(request, MANAGE):
            raise PermissionDenied
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: DecisionForm) -> HttpResponse:
        """Store a valid decision."""
        given = form.cleaned_data
        kind = Decision.Kind(given["decision"])
        wrong = decide(
            self.participant,
            kind,
            who=login_of(self.request),
            reason=given["reason"],
            amount=given["amount"],
            known=given["known"],
        )
        if wrong:
            form.add_error(None, refusal(wrong))
            return self.form_invalid(form)
        return redirect(f"{self.request.path}#decisions")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Data of the session."""
        request, study, participant = self.request, self.study, self.participant
        decisions = list(participant.decisions.all())
        now = standing_of(decisions)
        names = stage_names()
        end = participant.finished_at or participant.seen_at
        return super().get_context_data(
            heading=participant.code,
            state_name=names.get(participant.reason or participant.state, participant.reason or participant.state),
            arrived=participant.arrived_at,
            minutes=round((end - participant.arrived_at).total_seconds() / 60),
            link=link_names()[link_of(participant)],
            evidence=findings(sessions([participant])[participant.pk]),
            rules=_rules(study, participant),
            badges=[*describe_decisions(now), *_at_platform(participant)],
            excluded=bool(now.by_hand),
            known=len(decisions),
            refusable=outcome_of(participant) == "failed_check",
            turns=turns(participant, self.language),
            decisions=[{"at": each.at, "by": each.by, "what": describe_decision(each)} for each in decisions],
            may_manage=may(request, MANAGE) and participant.state != Participant.State.WITHDREW,
            erase_url=f"{reverse('study:staff-erase', args=[study.slug])}?code={participant.code}",
            people_url=reverse("study:staff-people", args=[study.slug]),
            next_url=_next_session(study, participant),
            **kwargs,
        )


def _at_platform(participant: Participant) -> list[dict[str, str]]:
    """Decisions already sent to the platform, according to the ledger."""
    kinds = PlatformRequest.Kind
    words = {
        kinds.APPROVE: {"look": "good", "text": gettext("sent to Prolific: approved")},
        kinds.REJECT: {"look": "rule", "text": gettext("sent to Prolific: rejected")},
    }
    sent = participant.platform_requests.filter(kind__in=words, state=PlatformRequest.State.CONFIRMED)
    return [words[kinds(kind)] for kind in sent.values_list("kind", flat=True)]


def _rules(study: Study, participant: Participant) -> list[dict[str, Any]]:
    """The rules of the study file, and whether each excludes this participant."""
    file = file_of(study)
    completed = participant.state == Participant.State.COMPLETED
    hit = participant.flags if completed else flags_of(evidence_of(participant), file)
    return [{"name": rule.replace("_", " "), "hit": rule in hit} for rule in file.exclusion]


def _next_session(study: Study, participant: Participant) -> str:
    """The session after this one; "" after the last."""
    after = study.participants.filter(number__gt=participant.number).order_by("number").first()
    return reverse("study:staff-session", args=[study.slug, after.code]) if after else ""
