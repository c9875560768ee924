"""The engineer's sections: measures of a log by version, where the new one is worse, who is to blame, worst dialogues."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from trialogue.findings import Findings
from trialogue.findings.log_records import (
    Blame,
    BlameCount,
    BlameRule,
    LogFindings,
    LogMeasure,
    Slice,
    SliceKind,
    WorstDialogue,
)
from trialogue.findings.wording import list_names
from trialogue.records import Estimate, MeasureName, ReasonCode
from trialogue.render.document import Column, Medium, Part, Section, Sentences, Table, from_estimate, in_files
from trialogue.render.numbers import MISSING, column_decimals, count, number, plain_p, render_estimate, signed_text
from trialogue.render.table import Cell
from trialogue.subjects.evaluation.pages.league import Systems

SCREENS, PAGE = frozenset({Medium.PAGE, Medium.TERMINAL}), frozenset({Medium.PAGE})
PARTS = ("input", "output")
"""Variants whose sum is shown; files have them."""
LEAST_HARM = 0.001  # below which a probability is written as a bound
RULES: Mapping[BlameRule, str] = {
    BlameRule.USER_FAILED: "the user left or failed",
    BlameRule.HARNESS_STOPPED: "what ran the dialogue stopped",
    BlameRule.RATE_LIMITED: "a rate limit refused the request",
    BlameRule.USER_BROKE: "the user's messages are no user's",
    BlameRule.LIMIT_REACHED: "a limit of turns or steps ended it",
    BlameRule.KEY_REFUSED: "a tool refused our key",
    BlameRule.CALL_REFUSED: "it called a tool wrongly",
    BlameRule.TOOL_FAILED: "a tool failed, and the reply did not recover",
    BlameRule.TOOL_NAMED: "the recorded error names a tool",
    BlameRule.MODEL_FAILED: "an error of the system is recorded",
    BlameRule.MODEL_SILENT: "there is no last reply",
    BlameRule.MODEL_REPORTED: "the last reply is a program's message",
    BlameRule.MODEL_REPEATED: "it said or called one thing again and again",
    BlameRule.MODEL_CUT: "the last reply was cut off",
    BlameRule.USER_LEFT: "the user left a question open",
    BlameRule.NOT_RECORDED: "nothing says whose failure it was",
}
"""Rules in words."""
KINDS = {SliceKind.TOOL: "tool", SliceKind.TURNS: "user messages", SliceKind.LANGUAGE: "language"}


def first_of_log(found: Findings, systems: Systems) -> list[Part]:
    """What the first screen of a page shows of a log that records more than texts: its measures; [] of any other."""
    log = found.log
    return [_measures(log, found, systems)] if log is not None and log.leads else []


def harm_lines(found: Findings, systems: Systems) -> list[str]:
    """The probability that the new version is worse, or why there is none; [] without two versions of a log."""
    return [] if found.log is None else list(_harm(found.log, found, systems))


def log_sections(found: Findings, systems: Systems) -> Iterator[Section]:
    """The sections of a log of people's dialogues; none where there is no such log."""
    log = found.log
    if log is None:
        return
    versions = [facts.system for facts in found.systems]
    where = SCREENS if log.leads else PAGE
    parts: list[Part] = [_measures(log, found, systems), Sentences(harm_lines(found, systems)), _file(log)]
    yield Section("What the log records", parts, "log", where=SCREENS - PAGE if log.leads else PAGE)
    yield Section("", [] if log.leads else parts[1:2], where=SCREENS - PAGE)
    if log.slices:
        shown = SCREENS if any(each.is_worse for each in log.slices) else where
        title = f"Where is {log.new or 'a version'} worse?"
        yield Section(title, list(_slices(log, systems)), "slices", where=shown)
    yield Section("Who is to blame for failed dialogues", [_blames(log, versions)], "blame", where=where)
    title = f"The {len(log.worst)} worst dialogues"
    yield Section(title, [_worst(log, found, systems)], "worst", where=where)


def _harm(log: LogFindings, found: Findings, systems: Systems) -> Iterator[str]:
    versions = f"Probability that {log.new} is worse than {log.old}"
    if log.harm is not None:
        shown = min(max(log.harm, LEAST_HARM), 1 - LEAST_HARM)
        bound = "below " if log.harm < shown else "above " if log.harm > shown else ""
        chance = f"{bound}{shown:.{0 if 0.01 <= shown <= 0.99 else 1}%}"
        condition = ", under the conditions of the verdict above" if log.is_harm_conditional else ""
        yield f"{versions} on {systems.titles.get(found.primary or '', '')}: {chance}{condition}."
    elif log.no_harm is not None and log.new is not None:
        yield f"{versions}: undefined, because {log.no_harm}."


def _measures(log: LogFindings, found: Findings, systems: Systems) -> Table[LogMeasure]:
    difference: list[Column[LogMeasure]] = []
    if log.new is not None:
        difference = [Column(f"{log.new} minus {log.old}", lambda row: row.difference, signed_text, where=PAGE)]
    return Table(
        "What the log records, by version",
        [
            row
            for row in log.measures
            if MeasureName(row.measure or "").variant not in PARTS and not _is_of_nothing(row)
        ],
        [
            Column("Measure", lambda row: _title(row, systems)),
            *(Column(facts.system, _value(facts.system)) for facts in found.systems),
            *difference,
        ],
        note="Values that a system records about itself describe it; they decide no verdict.",
    )


def _is_of_nothing(row: LogMeasure) -> bool:
    """Whether no version called a tool that counts: files say so."""
    reasons = [None if each.value is not None or each.why is None else each.why.code for each in row.values.values()]
    return set(reasons) == {ReasonCode.NO_TOOL_CALLS}


def _title(row: LogMeasure, systems: Systems) -> str:
    title = systems.titles.get(row.measure or "", row.title)
    return f"{title} ({row.unit})" if row.measure is None and row.unit != "share" else title


def _value(system: str) -> Callable[[LogMeasure], Cell | None]:
    """A version's value, and how many of its dialogues or replies record it where some do not."""

    def take(row: LogMeasure) -> Cell | None:
        estimate = row.values.get(system)
        if estimate is None:
            return None
        if estimate.value is None:
            return Cell(MISSING, note=f"Undefined: {estimate.why}.")
        text = render_estimate(estimate, column_decimals(row.values.values()))
        every, known = row.units.get(system, 0), estimate.n
        what = "replies" if row.measure is None else "dialogues that could count"
        missing = f"Recorded for {known:,} of {every:,} {what}." if known < every else ""
        open_end = f"No interval: {estimate.why}." if estimate.interval is None and estimate.why is not None else ""
        return Cell(text, note=" ".join(part for part in (missing, open_end) if part))

    return take


def _file(log: LogFindings) -> Table[tuple[LogMeasure, str]]:
    """Every value in ``log.csv``."""
    rows = [(row, system) for row in log.measures for system in row.values]

    def estimate(row: tuple[LogMeasure, str]) -> Estimate:
        return row[0].values[row[1]]

    def name(row: tuple[LogMeasure, str]) -> str:
        return row[0].title if row[0].measure is None else row[0].measure

    return Table(
        "What the log records",
        rows,
        [
            *in_files(measure=name, system=lambda row: row[1]),
            *from_estimate(estimate, value="value", low="low", high="high", n="n", clusters="clusters", why="why"),
        ],
        file="log",
        where=frozenset(),
    )


def _slices(log: LogFindings, systems: Systems) -> Iterator[Part]:
    tested = [each for each in log.slices if each.p_adjusted is not None]
    worse = [slice_name(each) + ("" if each.against else f" ({each.system})") for each in log.slices if each.is_worse]
    on = systems.titles.get(log.sliced or "", "")
    who = (
        f"{log.new} is significantly worse" if log.new else "a version is significantly worse than all others together"
    )
    said = f"On {on}, {who} in {len(worse)} of {count(len(tested), 'slice')}"
    said += f": {list_names(worse)}." if worse else "."
    yield Sentences([said])

    def value(side: Callable[[Slice], str]) -> Callable[[Slice], str]:
        def take(row: Slice) -> str:
            mean, units = row.values.get(side(row)), f"{row.units.get(side(row), 0):,}"
            return f"{MISSING} ({units})" if mean is None else f"{number(mean, 2)} ({units})"

        return take

    def system(row: Slice) -> str:
        return row.system

    def against(row: Slice) -> str:
        return row.against

    def difference(row: Slice) -> Cell:
        note = f"Undefined: {row.difference.why}." if row.difference.value is None else ""
        return Cell(MISSING if note else signed_text(row.difference), note=note)

    yield Table(
        "Slices",
        log.slices,
        [
            Column("Slice", slice_name, longest=30),
            Column("Version", (lambda row: None) if log.new else system, longest=16),
            Column(log.old or "All others", value(against)),
            Column(log.new or "It", value(system)),
            Column("Difference", difference),
            Column("p", lambda row: row.p_adjusted, plain_p),
            *in_files(
                by=lambda row: row.by.value,
                field=lambda row: row.field,
                slice=lambda row: row.value,
                pooled=lambda row: row.pooled,
                system=system,
                against=against,
                units_old=lambda row: row.units.get(row.against, 0),
                units_new=lambda row: row.units.get(row.system, 0),
                old=lambda row: row.values.get(row.against),
                new=lambda row: row.values.get(row.system),
                p_adjusted=lambda row: row.p_adjusted,
            ),
            *from_estimate(lambda row: row.difference, value="difference", low="low", high="high", p="p", why="why"),
        ],
        note=f"Rated dialogues in parentheses; p is corrected over {count(len(tested), 'slice')} (Bonferroni).",
        most=4,
        noun="slice",
        file="slices",
        strong=lambda row: row.is_worse,
    )


def slice_name(row: Slice) -> str:
    """A slice in words.

    >>> from trialogue.records import Reason
    >>> nothing = Estimate(value=None, why=Reason.other("too few"))
    >>> slice_name(Slice(by=SliceKind.FIELD, field="topic", value="", pooled=7, system="b", against="a", units={}, values={},
    ...     difference=nothing))
    'topic: 7 rare values'
    """
    what = row.field if row.by is SliceKind.FIELD else KINDS[row.by]
    return f"{what}: {count(row.pooled, 'rare value') if row.pooled else row.value}"


def _blames(log: LogFindings, versions: Sequence[str]) -> Table[BlameCount]:
    def dialogues_of(name: str) -> Callable[[BlameCount], int]:
        return lambda row: row.dialogues.get(name, 0)

    return Table(
        "Failed dialogues by who is to blame",
        log.blames,
        [
            Column("To blame", lambda row: row.blame.party.value, key="party"),
            Column("Because", lambda row: RULES[row.blame.rule]),
            *in_files(rule=lambda row: row.blame.rule.value),
            *(
                Column(name, dialogues_of(name), key=f"dialogues_{place}")
                for place, name in enumerate(versions, start=1)
            ),
        ],
        heading="Failed dialogues:",
        file="blame",
    )


def _worst(log: LogFindings, found: Findings, systems: Systems) -> Table[WorstDialogue]:
    return Table(
        "The worst dialogues",
        log.worst,
        [
            Column("Dialogue", lambda row: _dialogue(row, systems), longest=24),
            Column("Version", lambda row: row.system, longest=16),
            Column(systems.titles.get(found.primary or "", "Value"), lambda row: row.value),
            Column("Failed by", lambda row: blame_text(row.blame) if row.blame else None),
            Column("Failed calls", lambda row: row.failed_calls or None),
            Column("Longest wait (s)", lambda row: row.latency_s),
            *in_files(
                dialogue=lambda row: row.dialogue,
                system=lambda row: row.system,
                value=lambda row: row.value,
                party=lambda row: row.blame.party.value if row.blame else None,
                rule=lambda row: row.blame.rule.value if row.blame else None,
                failed_calls=lambda row: row.failed_calls,
                latency_s=lambda row: row.latency_s,
            ),
        ],
        heading="Worst dialogues:",
        most=3,
        noun="dialogue",
        file="worst",
    )


def blame_text(blame: Blame) -> str:
    """Who is to blame, and the tool."""
    return f"{blame.party.value} ({blame.tool})" if blame.tool else blame.party.value


def _dialogue(row: WorstDialogue, systems: Systems) -> Cell:
    return Cell(row.dialogue, href=systems.links.dialogue(row.system, row.dialogue), what=f"Dialogue {row.dialogue}")
