"""What a study says: who took part, how systems are rated and chosen, whether people agree, and what they answered."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from trialogue.findings.threat import VALIDITY_BY_SEVERITY, Validity
from trialogue.findings.threats.summary import threat_lines
from trialogue.records import Estimate
from trialogue.records.base import SCHEMA
from trialogue.records.files.opening import open_replacing, write_text
from trialogue.records.kinds.origins import named_raters, one_and_many
from trialogue.records.runs import open_run, writes_run
from trialogue.render.document import Column, Document, Part, Section, Sentences, Table
from trialogue.render.media.files import write_rendered
from trialogue.render.numbers import count, level, number, p_value, render_estimate, with_decimals
from trialogue.render.plots.base import Figure
from trialogue.subjects.people.pages.figures import criterion_key, study_figures
from trialogue.subjects.people.pages.sensitivity import (
    choice_sensitivity_tables,
    rating_sensitivity_table,
    sensitivity_file,
)
from trialogue.subjects.people.pages.tables import (
    TWO,
    agreement_table,
    choices_table,
    classes_table,
    codes_table,
    confusions_table,
    file_tables,
    model_sections,
    model_tables,
    pairs_table,
    ranking_table,
    rules_table,
    standings_table,
)
from trialogue.subjects.people.records import (
    Answers,
    ChoiceFindings,
    LabelFindings,
    OptionFindings,
    OptionRow,
    ParticipantFlow,
    RatingFindings,
    StudyFindings,
)

NAMES = {"ranking": "Mean rank", "best_worst": "Best–worst score", "choices": "Share", "choice": "Share"}
EXTREMES = {"ranking": ("First", "Last"), "best_worst": ("Best", "Worst")}
MAX_ANSWERS = 12  # different numbers in a table; of more, where they lie
QUARTILES = ("Lowest", "Lower quartile", "Median", "Upper quartile", "Highest")


def options_section(found: OptionFindings) -> Section:
    """A ranking, a best–worst choice, boxes, or a choice with its counts and those who did not answer."""
    about = f"{found.system}: " if found.system else ""
    agreed = f" (agreement, Krippendorff's alpha: {render_estimate(found.agreement, 2)})" if found.agreement else ""
    title = f"{about}{found.title}{agreed}"
    if found.answer_kind != "choice":
        title += f" ({found.answers:,} answers of {found.raters:,})"
    return Section(title, [_options(found, title)])


def _options(found: OptionFindings, label: str) -> Table[OptionRow | int]:
    """Offered options; those who did not answer a choice are a row of their own, without a share."""
    is_share = found.answer_kind in ("choices", "choice")
    best, worst = EXTREMES.get(found.answer_kind, ("", ""))
    counted = "" if found.answer_kind != "choice" else "Times" if found.system else "Participants"
    missing = [found.missing] if found.missing is not None and found.answer_kind == "choice" else []
    value = "{:.0%}".format if is_share else with_decimals(2)
    return Table(
        label,
        [*found.options, *missing],
        [
            Column("Answer" if counted else "Offered", lambda row: "no answer" if isinstance(row, int) else row.option),
            Column(counted, lambda row: row if isinstance(row, int) else row.count),
            Column(
                "Share of answers" if counted else NAMES[found.answer_kind],
                lambda row: "" if isinstance(row, int) else row.estimate.value,
                lambda shown: shown if isinstance(shown, str) else value(shown),
            ),
            Column(
                "95% interval", lambda row: "" if isinstance(row, int) else _interval(row.estimate, is_share=is_share)
            ),
            Column(best, lambda row: None if isinstance(row, int) else row.best),
            Column(worst, lambda row: None if isinstance(row, int) else row.worst),
        ],
    )


def _interval(estimate: Estimate, *, is_share: bool) -> str | None:
    ends = estimate.interval
    if ends is None:
        return None
    low, high = (
        ends.write(end, _percent if is_share else number, 0 if is_share else 2) for end in (ends.low, ends.high)
    )
    return f"{low} to {high}%" if is_share else f"{low} to {high}"


def _percent(share: float, decimals: int) -> str:
    return number(100 * share, decimals)


def answers_section(found: Answers) -> Section:
    """How often each point or number was given; of many different numbers, where they lie."""
    total = sum(found.counts.values())
    if found.spread and len(found.counts) > MAX_ANSWERS:
        return Section(found.title, [_spread(found, total)])
    table = Table(
        found.title,
        list(found.counts.items()),
        [
            Column("Answer", lambda row: f"{row[0]} {found.labels.get(row[0], '')}".strip()),
            Column("Times", lambda row: row[1]),
            Column("Share", lambda row: row[1] / total if total else None, "{:.0%}".format),
        ],
    )
    return Section(found.title, [table])


def _spread(found: Answers, total: int) -> Table[Sequence[float]]:
    return Table(
        found.title,
        [found.spread],
        [
            Column("Answers", lambda _: total),
            *(Column(name, _place(at), "{:,.10g}".format) for at, name in enumerate(QUARTILES)),
        ],
    )


def _place(at: int) -> Callable[[Sequence[float]], float]:
    return lambda spread: spread[at]


MAX_TABLES = 4  # tables of pairs in a row; more are folded
METHODS = "methods.txt"


def study_document(found: StudyFindings) -> Document:
    """The document of a study."""
    drawn = {figure.name: figure for figure in study_figures(found)}
    models = model_sections(found)
    models_lead = Sentences(["Ratings by language models, not people. They enter no other number in this report."])
    has_models = bool(found.model_ratings or found.model_choices)
    questions = [*map(options_section, found.options), *map(answers_section, found.answers)]
    return Document(
        name="report",
        brand="study report",
        title=found.title,
        answer=found.answer,
        facts=_facts(found),
        sections=[
            Section("Who took part", list(_people(found.flow, drawn)), "people"),
            *(_criterion(found, place, drawn) for place in range(len(found.ratings))),
            *([_choices(found.choices, drawn)] if found.choices else []),
            Section("Labels", list(_labels(found.labels, drawn)), "labels"),
            Section("Language models and people", [models_lead, *models] if has_models else [], "models"),
            Section("Other questions", questions, "questions"),
            Section("Files", [*file_tables(found), *sensitivity_file(found)], where=frozenset()),
        ],
        warnings=_warnings(found),
        methods=[" ".join(found.methods)] if found.methods else [],
        findings="findings.json",
        beside=[METHODS],
        provenance=[("sha256 of the study file", found.study_hash)] if found.study_hash else [],
        record=found,
        manifest=found.manifest,
    )


def _facts(findings: StudyFindings) -> list[tuple[int, str, str]]:
    person, people = one_and_many(findings.raters)
    systems = [one for each in findings.ratings for one in each.systems]
    models = sum(one.ratings for one in findings.model_ratings) + sum(one.choices for one in findings.model_choices)
    return [
        (findings.flow.analysed if findings.flow else 0, f"{person} analysed", f"{people} analysed"),
        (len({one.system for one in systems}), "system", "systems"),
        (sum(one.ratings for one in systems), "rating", "ratings"),
        (findings.choices.judgements if findings.choices else 0, "judgement", "judgements"),
        (findings.labels.utterances if findings.labels else 0, "utterance labelled", "utterances labelled"),
        (models, "answer by a language model", "answers by language models"),
    ]


def _people(flow: ParticipantFlow | None, drawn: dict[str, Figure]) -> Iterator[Part]:
    if flow is None:
        return
    if flow.minutes and flow.minutes.value is not None:
        page = flow.page_seconds.value if flow.page_seconds else None
        beside = "" if page is None else f"; the median time on a page was {page:.0f} seconds"
        yield Sentences([f"The median participant who completed took {flow.minutes.value:.1f} minutes{beside}."])
    yield drawn["flow"]
    yield Section("Exclusion rules", [rules_table(flow.rules)])


def _criterion(findings: StudyFindings, place: int, drawn: dict[str, Figure]) -> Section:
    """One criterion of ratings."""
    found = findings.ratings[place]
    key = criterion_key(found, place)
    models = [] if found.model is None else model_tables(found.model, of=found.title)
    return Section(
        found.title,
        [
            Sentences([text for text in [_coverage(found)] if text]),
            *(drawn.get(f"{name}-{key}") for name in ("distribution", "differences", "sensitivity")),
            Section("Which systems differ?", [standings_table(found), pairs_table(found, level(findings.alpha))]),
            Section("Do raters agree?", [agreement_table(found.agreement, measure=found.measure, of=found.title)]),
            Section(
                "Does the position matter?",
                [Sentences(list(_position_sentences(found)), "said"), drawn.get(f"position-{key}")],
            ),
            Section("Ordinal mixed model", list(models), fold=True),
            Section("Would other exclusions change it?", [rating_sensitivity_table(found)]),
        ],
        f"criterion-{place + 1}",
    )


def _coverage(found: RatingFindings) -> str:
    parts = [f"{things:,} with {count(int(size), 'rating')}" for size, things in found.coverage.items()]
    return f"Rated units: {', '.join(parts)}." if parts else ""


def _position_sentences(found: RatingFindings) -> Iterator[str]:
    if found.position is None:
        return
    by_position = ", ".join(f"{mean:.2f} at {place}" for place, mean in found.position.means.items())
    known = [each.p for each in found.position.shifts.values() if each.p is not None]
    if known:
        lowest = min(1.0, len(known) * min(known))  # Bonferroni over the positions
        verdict = "Position matters" if lowest < 0.05 else "No effect of position was found"
        yield f"{verdict} (p {p_value(lowest)}, over all positions). Means by position: {by_position}."
    else:
        yield f"The effect of position could not be tested. Means: {by_position}."


def _choices(found: ChoiceFindings, drawn: dict[str, Figure]) -> Section:
    """Pairwise judgements: of systems, or of who wrote a dialogue."""
    is_realism = found.task == "realism"
    tables: list[Table[Any]] = choice_sensitivity_tables(found)
    several: list[Part] = [Section(each.label, [each]) for each in tables] if len(tables) > 1 else list(tables)
    if len(tables) > MAX_TABLES:
        several = [Section(f"All {len(tables)} {'simulators' if is_realism else 'pairs'}", several, fold=True)]
    what = "Shares of judgements that each simulator wins, loses and ties, and its" if is_realism else "The"
    under = (
        f"{what} win share{'' if is_realism else ' of each pair'} under each set of exclusions. Intervals, tests and "
        "correction are those of the main analysis."
    )
    changed: list[Part] = [drawn.get("sensitivity-choices"), Sentences([under]), *several]
    return Section(
        "Which dialogue was a person's?" if is_realism else f"What {named_raters(found.raters)} preferred",
        [
            Sentences([" ".join(_choice_sentences(found))]),
            drawn.get("choices"),
            drawn.get("win-shares"),
            choices_table(found),
            Section("Ranking", [ranking_table(found)]),
            Section("Do judges agree?", [agreement_table(found.agreement, measure=found.task, of="Choices")]),
            Section("Why: codes of explanations", [codes_table(found)]),
            Section(
                "Would other exclusions change it?",
                changed if tables else [],
            ),
        ],
        "choices",
    )


def _choice_sentences(found: ChoiceFindings) -> Iterator[str]:
    yield f"{count(found.judgements, 'judgement')} of {count(len(found.pairs), 'comparison')}."
    if found.without_reason:
        verb = "was" if found.without_reason == 1 else "were"
        yield f"{count(found.without_reason, 'judgement')} without an explanation {verb} left out."
    if found.first.value is None:
        yield f"Whether the side matters is unknown: {found.first.why}."
    else:
        verdict = f", p {p_value(found.first_p)}" if found.first_p is not None else ""
        yield f"The side shown first was chosen in {TWO(found.first)} of decisive judgements{verdict}."


def _labels(found: LabelFindings | None, drawn: dict[str, Figure]) -> Iterator[Part]:
    if found is None:
        return
    yield Sentences(
        [
            f"{count(found.annotators, 'annotator')} labelled {count(found.utterances, 'utterance')}; "
            f"{found.disputed:,} were disputed, {found.adjudicated:,} adjudicated, {found.undecided:,} remain undecided."
        ]
    )
    yield agreement_table(found.agreement, measure="labels", of="Labels")
    yield drawn.get("labels")
    yield Section("Every label", [classes_table(found)], fold=True)
    yield Section("Which labels are confused", [confusions_table(found)])


def _warnings(findings: StudyFindings) -> list[str]:
    titles = {
        each.league.measure.name: each.league.measure.title for each in findings.ratings if each.league is not None
    }
    weak = [each for each in findings.threats if VALIDITY_BY_SEVERITY[each.severity] is not Validity.FIRM]
    found = [*(line.text for line in threat_lines(weak, titles)), *findings.warnings]
    for each in findings.ratings:
        found += [f"{each.title}: {warning}" if len(findings.ratings) > 1 else warning for warning in each.warnings]
    for part in (findings.choices, findings.labels):
        found += part.warnings if part is not None else ()
    return list(dict.fromkeys(found))


FINDINGS = "findings.json"


@writes_run()
def write_study_report(findings: StudyFindings, folder: Path) -> Path:
    """Write ``report.html``, ``findings.json``, tables as CSV, ``methods.txt`` and ``figures/``; returns the page's path.

    Of an earlier report in the same folder nothing stays; files of others do. The same findings give the same bytes.
    """
    document = study_document(findings)
    content = {"kind": findings.kind, "v": SCHEMA, **findings.model_dump(exclude_defaults=True)}
    line = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"
    with open_replacing(folder / FINDINGS) as stream:
        stream.write(line.encode("utf-8", "surrogatepass"))
    write_text(folder / METHODS, " ".join(findings.methods) + "\n")
    return write_rendered(document, folder)


def read_study_findings(folder: Path) -> StudyFindings:
    """Read the findings of a study, for rendering.

    Raises:
        DataError: there are none, or the report is not what was sealed.
    """
    return open_run(folder).record(FINDINGS, StudyFindings, again="trialogue study report")
