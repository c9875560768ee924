"""Detect contradictions in a study file before launch, and report all of them at once."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialogue.study.design.flow import PHASES, Phase
from trialogue.study.design.questions import conditions_of
from trialogue.study.design.validity import Attention, Rule

if TYPE_CHECKING:
    from trialogue.study.design.file import StudyFile

RESERVED = ("staff", "static", "health", "metrics")
"""Addresses of the server's own pages, which no study can have."""
OUTCOMES = ("completed", "screened_out", "no_consent", "failed_check")


def contradictions(study: "StudyFile") -> list[tuple[str, str]]:
    """Pairs (field, message) for every contradiction between settings."""
    wrong: list[tuple[str, str]] = []
    if study.study in RESERVED:
        wrong.append(("study", f"/{study.study}/ is a page of the server. Choose another name."))
    needs: dict[Phase, object] = {
        "consent": study.consent,
        "screening": study.screening,
        "before": study.before,
        "instructions": study.instructions,
        "training": study.training,
        "comprehension": study.comprehension,
        "after": study.after,
    }
    wrong += [(phase, f"the phase {phase} is listed in phases, but not defined.")
              for phase in study.phases if phase in needs and not needs[phase]]  # fmt: skip
    order = [phase for phase in PHASES if phase in study.phases]
    if list(study.phases) != order or "tasks" not in order or order[-1] != "exit":
        wrong.append(
            (
                "phases",
                f"phases must come in the order {', '.join(PHASES)}, each at most once; tasks and exit are required.",
            )
        )
    if study.type in ("rating", "chat") and not study.criteria:
        wrong.append(("criteria", f"a study of type {study.type} requires at least one criterion."))
    if study.type == "chat" and not study.agents:
        wrong.append(("agents", "a study of type chat requires agents."))
    if study.type not in ("rating", "chat") and study.criteria:
        wrong.append(("criteria", f"a study of type {study.type} cannot have criteria; use questions instead."))
    for field, asked in (("criteria", study.criteria), ("questions", study.item_questions())):
        twice = _duplicates([question.name for question in asked])
        wrong += [(field, f"the question {name!r} occurs twice.") for name in twice]
    shown = [("criteria", study.criteria), ("questions", study.item_questions())]
    shown += [("screening", study.screening.questions)] if study.screening else []
    shown += [
        (field, page.questions) for field, pages in (("before", study.before), ("after", study.after)) for page in pages
    ]
    wrong += [(field, what) for field, asked in shown for what in conditions_of(asked)]
    wrong += [
        (field, f"{question.name!r} ranks replies, which only the questions of a rating study can do.")
        for field, asked in [*shown, ("chat", study.chat.each_turn)]
        for question in asked
        if question.of_replies and not (field == "questions" and study.type == "rating")
    ]
    pages = [question.name for page in (*study.before, *study.after) for question in page.questions]
    wrong += [("after", f"the question {name!r} occurs twice in the questionnaires.") for name in _duplicates(pages)]
    if study.screening is not None:
        known = {question.name for question in study.screening.questions}
        wrong += [
            ("screening", f"admit names {name!r}, which is not asked.")
            for name in study.screening.admit
            if name not in known
        ]
    if study.comprehension is not None:
        known = {question.name for question in study.comprehension.questions}
        wrong += [
            ("comprehension", f"right names {name!r}, which is not asked.")
            for name in study.comprehension.right
            if name not in known
        ]
    unknown = sorted({*study.platform.codes, *study.platform.actions} - set(OUTCOMES))
    wrong += [("platform", f"there is no outcome {name!r}. Outcomes: {', '.join(OUTCOMES)}.") for name in unknown]
    if study.validity is not None:
        known = {question.name for page in (*study.before, *study.after) for question in page.questions}
        wrong += [
            ("validity", f"traps names {name!r}, which no questionnaire asks.")
            for name in study.validity.traps
            if name not in known
        ]
    if study.chat.at_least > study.chat.turns:
        wrong.append(("chat", "at_least must not exceed turns."))
    return [*wrong, *_rule_problems(study.exclusion, study.attention)]


def _duplicates(names: Sequence[str]) -> list[str]:
    return sorted({name for name in names if list(names).count(name) > 1})


def _rule_problems(rules: tuple[Rule, ...], attention: Attention) -> list[tuple[str, str]]:
    """Pairs (field, message) for rules that can never apply, given the questions."""
    if "too_short" in rules and not attention.min_minutes:
        return [("exclusion", "the rule too_short never applies: set min_minutes in attention.")]
    return []
