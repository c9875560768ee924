"""Read a study file, and report all of its mistakes and contradictions at once."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.records.files.yaml_file import Lines, lines_of, problems_of_fields, read_fields
from trialogue.study.design.checks import demandable, unwritten
from trialogue.study.design.file import FILE, HINT, StudyFile
from trialogue.study.design.pages import PHASES, Phase
from trialogue.study.design.questions import conditions_of, text_in
from trialogue.study.design.validity import Attention, Rule

RESERVED = ("staff", "static", "health", "metrics")
"""Addresses of the server's own pages, which no study can have."""
OUTCOMES = ("completed", "screened_out", "no_consent", "failed_check")


def contradictions(study: StudyFile) -> list[tuple[str, str]]:
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
    wrong += _name_problems(study)
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
    return [
        *wrong,
        *_rule_problems(study.exclusion, study.attention),
        *_check_problems(study),
        *_stratum_problems(study),
        *_launch_problems(study),
    ]


def _stratum_problems(study: StudyFile) -> list[tuple[str, str]]:
    """Strata that nobody can be in, or that do not add up to the ratings of an item."""
    if not study.strata:
        return []
    if study.screening is None or "screening" not in study.phases:
        return [("strata", "strata are distinguished by screening questions: add the phase screening.")]
    wrong = []
    if (total := sum(each.raters for each in study.strata)) != study.raters_per_item:
        wrong.append(
            ("strata", f"raters of the strata add up to {total}, but raters_per_item is {study.raters_per_item}.")
        )
    names = [each.name for each in study.strata]
    wrong += [
        ("strata", f"two strata are called {name!r}.") for name in sorted({n for n in names if names.count(n) > 1})
    ]
    options = {question.name: [option.value for option in question.options] for question in study.screening.questions}
    for each in study.strata:
        for name, given in each.when.items():
            if not options.get(name):
                wrong.append(("strata", f"{each.name}: {name!r} is not a screening question with options."))
            elif unknown := sorted(set(given) - set(options[name])):
                known = ", ".join(options[name])
                wrong.append(("strata", f"{each.name}: {name!r} has no option {unknown[0]!r}. Options: {known}."))
            elif not set(given) & set(study.screening.admit.get(name, given)):
                wrong.append(("strata", f"{each.name}: admit lets in nobody who answers {given[0]!r} to {name!r}."))
    return wrong


def _launch_problems(study: StudyFile) -> list[tuple[str, str]]:
    if study.launch.most_failed is not None and not study.attention.checks:
        return [("launch", "most_failed never applies: there are no attention checks (attention.checks).")]
    return []


def _name_problems(study: StudyFile) -> list[tuple[str, str]]:
    """Questions of one name: the analysis knows an answer by it, whichever page asks."""
    asked = [
        ("criteria", study.criteria),
        ("questions", study.item_questions()),
        ("chat", study.chat.each_turn),
        *(("before", page.questions) for page in study.before),
        *(("after", page.questions) for page in study.after),
    ]
    first: dict[str, str] = {}
    wrong = []
    for field, questions in asked:
        for question in questions:
            if question.name in first:
                other = first[question.name]
                there = "" if other == field else f", here and in {other}"
                wrong.append((field, f"the question {question.name!r} occurs twice{there}. Give each its own name."))
            first.setdefault(question.name, field)
    return wrong


def _check_problems(study: StudyFile) -> list[tuple[str, str]]:
    """Attention checks that some participants could not read, or whose text does not say what to choose."""
    questions = demandable(study)
    if not study.attention.checks or not questions:
        return []
    if missing := unwritten(study):
        return [
            (
                "attention",
                f"there is no text of attention checks in {', '.join(map(repr, missing))}. Set text in attention, such as "
                f'text: {{{missing[0]}: "... {{answer}} ..."}}, or checks: 0.',
            )
        ]
    written = [text_in(study.attention.text, language) for language in study.every_language()]
    needed = ["{answer}", *(["{question}"] if len(questions) > 1 else [])]
    return [
        ("attention", f"the text of attention checks must contain {each}, which is replaced.")
        for each in needed
        if any(text and each not in text for text in written)
    ]


def _rule_problems(rules: tuple[Rule, ...], attention: Attention) -> list[tuple[str, str]]:
    """Pairs (field, message) for rules that can never apply, given the questions."""
    if "too_short" in rules and not attention.min_minutes:
        return [("exclusion", "the rule too_short never applies: set min_minutes in attention.")]
    return []


def study_of(data: Mapping[str, Any], *, file: str = "", lines: Lines | None = None) -> StudyFile:
    """The study that fields describe.

    Raises:
        DataError: with every mistake at once.
    """
    lines = lines or Lines()
    try:
        study = StudyFile.model_validate(dict(data))
    except ValidationError as error:
        raise DataError(problems_of_fields(error, data, StudyFile, file=file, lines=lines)) from error
    problems = [Problem(what, file, lines((field,)), field) for field, what in contradictions(study)]
    if problems:
        raise DataError(problems)
    return study


def read_study(folder: Path | str) -> StudyFile:
    """The study in a folder (or file).

    Raises:
        DataError: with every mistake at once, or if there is no study.
    """
    path = Path(folder)
    path = path / FILE if path.is_dir() else path
    return study_of(read_fields(path, hint=HINT), file=str(path), lines=lines_of(path))
