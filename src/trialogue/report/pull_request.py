"""Render a version comparison for code review: GitHub annotations, JUnit XML, and a Markdown comment."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator

from trialogue.findings.comparison.records import Comparison, Light, MeasureComparison
from trialogue.findings.threat import Severity, Validity
from trialogue.findings.threats.summary import threat_lines
from trialogue.findings.wording import render_estimate
from trialogue.report.numbers import p_value
from trialogue.report.text import one_line, printable

RED: tuple[Light, ...] = ("worse", "mixed", "no verdict")
"""Lights that fail: a version that cannot be judged has not been shown to be as good."""
GREEN: tuple[Light, ...] = ("better", "not worse", "equivalent")
SYMBOLS = {"error": "🔴", "warning": "🟡", "notice": "🟢"}
MAX_LOSSES = 5


def level_of(light: Light, validity: Validity = Validity.FIRM) -> str:
    """Severity of a verdict: ``error``, ``warning`` or ``notice``; a conditional one is never a notice.

    >>> level_of("worse"), level_of("inconclusive"), level_of("better"), level_of("better", Validity.CONDITIONAL)
    ('error', 'warning', 'notice', 'warning')
    """
    if light in RED:
        return "error"
    return "notice" if light in GREEN and validity is Validity.FIRM else "warning"


def github_annotations(comparison: Comparison) -> str:
    """Workflow commands, one per line: the verdict, other worse measures, and blocking threats.

    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    lines = [_command(level_of(comparison.light, comparison.validity), _title(comparison), " ".join(comparison.answer))]
    for each in comparison.judgements:
        if not each.decides and each.light in RED:
            lines.append(_command("warning", f"{each.title}: {each.light}", _size(each)))
    lines += [_command("warning", "Threat to validity", text) for text in _blocking(comparison)]
    return "\n".join(lines)


def _command(level: str, title: str, text: str) -> str:
    escaped = _escape(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={escaped}::{_escape(text)}"


def _escape(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def junit_xml(comparison: Comparison) -> str:
    """One test case for the verdict and one per measure; deciding ones fail if red.

    What does not decide never fails; what could not be tested is skipped.
    """
    cases = [_case("verdict", _title(comparison), comparison.light, " ".join(comparison.answer), decides=True)]
    for each in comparison.judgements:
        group = "deciding measures" if each.decides else "other measures"
        cases.append(_case(group, each.measure, each.light, _size(each), decides=each.decides))
    name = printable(one_line(f"{comparison.before} to {comparison.after}"))
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.find("failure") is not None for case in cases)),
        "skipped": str(sum(case.find("skipped") is not None for case in cases)),
    }
    suite = ET.Element("testsuite", {"name": f"trialogue compare: {name}", **counts})
    suite.extend(cases)
    root = ET.Element("testsuites", counts)
    root.append(suite)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True)


def _case(group: str, name: str, light: Light, text: str, *, decides: bool) -> ET.Element:
    case = ET.Element("testcase", {"classname": group, "name": printable(one_line(name))})
    message = printable(one_line(f"{light}: {text}"))
    if light in RED and decides:
        ET.SubElement(case, "failure", {"type": light, "message": message})
    elif light in RED and light == "no verdict":
        ET.SubElement(case, "skipped", {"message": message})
    else:
        ET.SubElement(case, "system-out").text = message
    return case


def comparison_markdown(comparison: Comparison) -> str:
    """Pull-request comment: verdict, threats, table of measures, largest losses."""
    level = level_of(comparison.light, comparison.validity)
    lines = [f"### {SYMBOLS[level]} {_cell(_title(comparison))}", "", _cell(" ".join(comparison.answer)), ""]
    lines += [f"- {_cell(text)}" for text in _blocking(comparison)]
    head = f"| Measure | {_cell(comparison.after)} minus {_cell(comparison.before)} | p | Verdict |"
    lines += ["", head, "|---|---:|---:|---|"]
    for each in comparison.judgements:
        name = f"**{_cell(each.title)}**" if each.decides else _cell(each.title)
        p = "" if each.p_adjusted is None else p_value(each.p_adjusted)
        condition = ", conditional" if each.validity is Validity.CONDITIONAL else ""
        lines.append(f"| {name} | {_cell(_size(each))} | {p} | {each.light}{condition} |")
    corrected = "p-values, but not intervals, are corrected (Bonferroni), those that decide apart from the others."
    lines += ["", f"Bold: measures that decide. {corrected}"]
    lines += list(_losses(comparison))
    if comparison.notes:
        notes = [f"- {_cell(note)}" for note in comparison.notes]
        lines += ["", "<details><summary>Notes</summary>", "", *notes, "", "</details>"]
    return "\n".join(lines)


def _losses(comparison: Comparison) -> Iterator[str]:
    if comparison.moved:
        yield from ("", "<details><summary>Largest losses</summary>", "")
        for each in comparison.moved[:MAX_LOSSES]:
            yield f"- {_cell(each.unit)}: {each.before:g} to {each.after:g} on {_cell(each.measure)}"
        yield from ("", "</details>")


def _title(comparison: Comparison) -> str:
    condition = ", conditionally" if comparison.validity is Validity.CONDITIONAL else ""
    return f"{comparison.after}, compared with {comparison.before}: {comparison.light}{condition}"


def _size(judgement: MeasureComparison) -> str:
    """The difference with its interval, or why there is none."""
    if judgement.difference.value is None:
        return f"undefined: {judgement.difference.why}" if judgement.difference.why is not None else "undefined"
    return render_estimate(judgement.difference)


def _blocking(comparison: Comparison) -> list[str]:
    grave = [threat for threat in comparison.threats if threat.severity is not Severity.NOTES]
    return [line.text for line in threat_lines(grave, {})]


def _cell(text: str) -> str:
    """Text that neither ends a cell of a table nor becomes HTML."""
    plain = one_line(printable(text))
    return plain.replace("&", "&amp;").replace("<", "&lt;").replace("|", r"\|")
