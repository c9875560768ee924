"""Build the template context of a study's page, and render it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from trialogue.findings.people.records import (
    Answers,
    ChoiceFindings,
    LabelFindings,
    OptionFindings,
    RatingFindings,
    StudyFindings,
    TestResult,
)
from trialogue.records.kinds.origins import named_raters, one_and_many
from trialogue.report.drawing.theme import DARK, LIGHT, css_variables
from trialogue.report.numbers import MISSING, count, level, p_value, ranks, render_estimate
from trialogue.report.plots.base import Figure
from trialogue.report.render.page import environment, manifest_rows
from trialogue.report.study.figures import criterion_key, study_figures
from trialogue.report.study.sensitivity import (
    choice_sensitivity_grids,
    rating_sensitivity_grid,
)
from trialogue.report.study.tables import (
    Grid,
    agreement_grid,
    choices_grid,
    model_grid,
    model_grids,
    pairs_grid,
    tests_grid,
    value_of,
)
from trialogue.report.text import printable

if TYPE_CHECKING:
    from jinja2 import Template

LONG = 130  # characters; a longer answer is set smaller
SECTIONS = ("flow", "choices", "choice sensitivity", "labels")
MAX_ANSWERS = 12  # different numbers in a table; of more, where they lie
MAX_GRIDS = 4  # tables of pairs in a row; more are folded


@dataclass(frozen=True)
class Criterion:
    """One criterion on the page."""

    title: str
    id: str
    figures: tuple[Figure, ...]
    tests: Grid | None
    pairs: Grid | None
    agreement: Grid | None
    model: Grid | None
    checks: tuple[str, ...]
    position: Figure | None
    sensitivity: Grid | None
    coverage: str
    warnings: tuple[str, ...]


def render_study_html(findings: StudyFindings) -> str:
    """Render the page as one HTML document without external resources or scripts; text is escaped."""
    return render(findings, study_figures(findings))


def render(findings: StudyFindings, drawn: Sequence[Figure]) -> str:
    """Render the page with given figures."""
    return printable(_template().render(**_content(findings, drawn)))


@cache
def _template() -> "Template":
    return environment().get_template("study.html.j2")


def _content(findings: StudyFindings, drawn: Sequence[Figure]) -> dict[str, Any]:
    by_name = {figure.name: figure for figure in drawn}
    sections = {name: [one for one in drawn if one.section == name] for name in SECTIONS}
    return {
        "light": css_variables(LIGHT),
        "dark": css_variables(DARK),
        "findings": findings,
        "chooser": named_raters(findings.choices.raters) if findings.choices else "people",
        "long_answer": bool(findings.answer) and len(findings.answer[0]) > LONG,
        "facts": _facts(findings),
        "figures": sections,
        "criteria": [_criterion(each, place, by_name) for place, each in enumerate(findings.ratings)],
        "rules": _rules(findings),
        "choices": choices_grid(findings.choices) if findings.choices and findings.choices.pairs else None,
        "choice_words": _choice_words(findings.choices) if findings.choices else (),
        "ranking": _ranking(findings.choices) if findings.choices else None,
        "choice_agreement": agreement_grid(findings.choices.agreement)
        if findings.choices and findings.choices.agreement
        else None,
        "choice_sensitivity": choice_sensitivity_grids(findings.choices) if findings.choices else (),
        "most_grids": MAX_GRIDS,
        "codes": _codes(findings.choices) if findings.choices and findings.choices.codes else None,
        "label_words": _label_words(findings.labels) if findings.labels else "",
        "label_agreement": agreement_grid(findings.labels.agreement) if findings.labels else None,
        "classes": _classes(findings.labels) if findings.labels else None,
        "confusions": _confusions(findings.labels) if findings.labels and findings.labels.confusions else None,
        "models": model_grids(findings),
        "answers": [*map(_options, findings.options), *map(_answers, findings.answers)],
        "warnings": _warnings(findings),
        "manifest": _manifest(findings),
        "alpha": level(findings.alpha),
    }


def _facts(findings: StudyFindings) -> list[tuple[str, str]]:
    person, people = one_and_many(findings.raters)
    systems = {one.system for each in findings.ratings for one in each.systems}
    ratings = sum(one.ratings for each in findings.ratings for one in each.systems)
    found = [
        (findings.flow.analysed if findings.flow else 0, f"{person} analysed", f"{people} analysed"),
        (len(systems), "system", "systems"),
        (ratings, "rating", "ratings"),
        (findings.choices.judgements if findings.choices else 0, "judgement", "judgements"),
        (findings.labels.utterances if findings.labels else 0, "utterance labelled", "utterances labelled"),
        (
            sum(one.ratings for one in findings.model_ratings) + sum(one.choices for one in findings.model_choices),
            "answer by a language model",
            "answers by language models",
        ),
    ]
    return [(f"{value:,}", one if value == 1 else many) for value, one, many in found if value]


def _criterion(found: RatingFindings, place: int, drawn: dict[str, Figure]) -> Criterion:
    key = criterion_key(found, place)
    names = [f"distribution-{key}", f"odds-{key}"]
    sensitivity = drawn.get(f"sensitivity-{key}")
    return Criterion(
        title=found.title,
        id=f"criterion-{place + 1}",
        figures=tuple(drawn[name] for name in names if name in drawn) + ((sensitivity,) if sensitivity else ()),
        tests=tests_grid(found) if found.tests else None,
        pairs=pairs_grid(found) if found.pairs else None,
        agreement=agreement_grid(found.agreement) if found.agreement else None,
        model=model_grid(found.model) if found.model is not None else None,
        checks=tuple(_checks(found)),
        position=drawn.get(f"position-{key}"),
        sensitivity=rating_sensitivity_grid(found) if found.sensitivity else None,
        coverage=_coverage(found),
        warnings=found.warnings,
    )


def _checks(found: RatingFindings) -> list[str]:
    """Results of model checks, as sentences."""
    sentences = []
    if found.model is not None:
        test = found.model.proportional
        if test.p is None:
            sentences.append(f"Proportional odds could not be checked: {test.why}.")
        else:
            verdict = "the systems do not shift all points alike" if test.p < 0.05 else "no evidence against them"
            sentences.append(f"Proportional odds: {verdict} (p {p_value(test.p)}, {test.basis}).")
    if found.position is not None:
        sentences.append(_position_sentence(found.position.test, found.position.means))
    elif found.model is not None and "position" in found.model.left_out:
        sentences.append(f"Whether position matters is unknown: {found.model.left_out['position']}.")
    return sentences


def _position_sentence(test: TestResult, means: dict[str, float]) -> str:
    by_position = ", ".join(f"{mean:.2f} at {place}" for place, mean in means.items())
    if test.p is None:
        return f"The effect of position could not be tested: {test.why}. Means: {by_position}."
    verdict = "Position matters" if test.p < 0.05 else "No effect of position was found"
    return f"{verdict} (p {p_value(test.p)}); the model takes it into account. Means by position: {by_position}."


def _coverage(found: RatingFindings) -> str:
    parts = [f"{things:,} with {count(int(size), 'rating')}" for size, things in found.coverage.items()]
    return f"Rated units: {', '.join(parts)}." if parts else ""


def _rules(findings: StudyFindings) -> Grid | None:
    if findings.flow is None or not findings.flow.rules:
        return None
    rows = tuple(
        (rule.rule, rule.meaning or MISSING, "yes" if rule.planned else "no: exploratory", f"{rule.participants:,}")
        for rule in findings.flow.rules
    )
    return Grid("Exclusion rules", ("Rule", "Meaning", "Fixed before launch", "Completed participants hit"), rows, (3,))


def _choice_words(found: ChoiceFindings) -> tuple[str, ...]:
    words = [f"{count(found.judgements, 'judgement')} of {count(len(found.pairs), 'comparison')}."]
    if found.without_reason:
        verb = "was" if found.without_reason == 1 else "were"
        words.append(f"{count(found.without_reason, 'judgement')} without an explanation {verb} left out.")
    if found.first.value is None:
        words.append(f"Whether the side matters is unknown: {found.first.why}.")
    else:
        verdict = f", p {p_value(found.first_p)}" if found.first_p is not None else ""
        words.append(f"The side shown first was chosen in {value_of(found.first)} of decisive judgements{verdict}.")
    return tuple(words)


def _ranking(found: ChoiceFindings) -> Grid | None:
    if found.votes is None or not found.votes.strengths:
        return None
    rows = tuple(
        (
            one.system,
            render_estimate(one.strength, 0),
            ranks(one.rank_low, one.rank_high) or MISSING,
            value_of(one.win_rate),
        )
        for one in found.votes.strengths
    )
    notes = tuple(f"{why}." for why in (found.votes.why, found.votes.left_out) if why is not None)
    return Grid("Ranking", ("System", "Strength", "Ranks", "Share won"), rows, (1, 2, 3), notes=notes)


def _codes(found: ChoiceFindings) -> Grid:
    coders = sorted({coder for one in found.codes for coder in one.counts})
    sides = sorted({side for one in found.codes for side in one.by_side})
    rows = tuple(
        (
            one.code,
            *(f"{one.counts.get(c, 0):,}" for c in coders),
            *(f"{one.by_side.get(side, 0):,}" for side in sides),
            f"{100 * one.share:.0f}%",
            value_of(one.kappa),
        )
        for one in found.codes
    )
    numeric = tuple(range(1, len(coders) + len(sides) + 3))
    notes = tuple(sorted({f"{one.kappa.why}." for one in found.codes if one.kappa.value is None and one.kappa.why}))
    return Grid(
        "Codes of explanations", ("Code", *coders, *sides, "Share", "Cohen's kappa"), rows, numeric, notes=notes
    )


def _label_words(found: LabelFindings) -> str:
    return (
        f"{count(found.annotators, 'annotator')} labelled {count(found.utterances, 'utterance')}; "
        f"{found.disputed:,} were disputed, {found.adjudicated:,} adjudicated, {found.undecided:,} remain undecided."
    )


def _classes(found: LabelFindings) -> Grid:
    rows = tuple((one.label, f"{one.given:,}", f"{one.count:,}", value_of(one.kappa)) for one in found.classes)
    return Grid("Every label", ("Label", "Given", "Final", "Alpha against all others"), rows, (1, 2, 3))


def _confusions(found: LabelFindings) -> Grid:
    rows = tuple((a, b, f"{number_of:,}") for a, b, number_of in found.confusions)
    return Grid("Labels given to one utterance", ("One", "Other", "Pairs of annotators"), rows, (2,))


NAMES = {"ranking": "Mean rank", "best_worst": "Best–worst score", "choices": "Share", "choice": "Share"}


def _options(found: OptionFindings) -> Grid:
    """A ranking, a best–worst choice, boxes, or a choice with its counts and those who did not answer."""
    if found.answer_kind == "choice":
        return _chosen(found)
    boxes = found.answer_kind == "choices"
    extremes = () if boxes else ("First", "Last") if found.answer_kind == "ranking" else ("Best", "Worst")
    head = ("Offered", NAMES[found.answer_kind], "95% interval", *extremes)
    rows = []
    for one in found.options:
        ends, value = one.estimate.interval, one.estimate.value
        times = () if boxes else (f"{one.best:,}", f"{one.worst:,}")
        interval = MISSING
        if ends is not None:
            interval = (
                f"{100 * ends.low:.0f} to {100 * ends.high:.0f}%" if boxes else f"{ends.low:.2f} to {ends.high:.2f}"
            )
        shown = MISSING if value is None else f"{100 * value:.0f}%" if boxes else f"{value:.2f}"
        rows.append((one.option, shown, interval, *times))
    title = f"{_option_title(found)} ({found.answers:,} answers of {found.raters:,})"
    return Grid(title, head, tuple(rows), tuple(range(1, len(head))))


def _option_title(found: OptionFindings) -> str:
    """The question's title, with the system that it was about, and how far raters agree."""
    about = f"{found.system}: " if found.system else ""
    agreed = f" (agreement, Krippendorff's alpha: {render_estimate(found.agreement, 2)})" if found.agreement else ""
    return f"{about}{found.title}{agreed}"


def _chosen(found: OptionFindings) -> Grid:
    rows = []
    for one in found.options:
        ends, value = one.estimate.interval, one.estimate.value
        interval = MISSING if ends is None else f"{100 * ends.low:.0f} to {100 * ends.high:.0f}%"
        rows.append((one.option, f"{one.count:,}", MISSING if value is None else f"{100 * value:.0f}%", interval))
    if found.missing is not None:
        rows.append(("no answer", f"{found.missing:,}", "", ""))
    counted = "Times" if found.system else "Participants"
    return Grid(_option_title(found), ("Answer", counted, "Share of answers", "95% interval"), tuple(rows), (1, 2, 3))


def _answers(found: Answers) -> Grid:
    total = sum(found.counts.values())
    if found.spread and len(found.counts) > MAX_ANSWERS:
        head = ("Answers", "Lowest", "Lower quartile", "Median", "Upper quartile", "Highest")
        return Grid(
            found.title, head, ((f"{total:,}", *(f"{value:,.10g}" for value in found.spread)),), tuple(range(1, 6))
        )
    rows = tuple(
        (
            f"{point} {found.labels.get(point, '')}".strip(),
            f"{times:,}",
            f"{100 * times / total:.0f}%" if total else MISSING,
        )
        for point, times in found.counts.items()
    )
    return Grid(found.title, ("Answer", "Times", "Share"), rows, (1, 2))


def _warnings(findings: StudyFindings) -> list[str]:
    found = list(findings.warnings)
    for each in findings.ratings:
        found += [f"{each.title}: {warning}" if len(findings.ratings) > 1 else warning for warning in each.warnings]
    for part in (findings.choices, findings.labels):
        found += part.warnings if part is not None else ()
    return list(dict.fromkeys(found))


def _manifest(findings: StudyFindings) -> list[tuple[str, str]]:
    rows = manifest_rows(findings.manifest)
    return [("sha256 of the study file", findings.study_hash), *rows] if findings.study_hash else rows
