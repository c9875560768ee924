"""A comparison as CI systems read it: GitHub annotations and JUnit XML."""

import xml.etree.ElementTree as ET

from trialogue.findings.threat import Severity
from trialogue.findings.threats.summary import threat_lines
from trialogue.render.numbers import own_decimals
from trialogue.render.text import one_line, printable
from trialogue.subjects.comparison.pages.document import RED, comparison_title, level_of
from trialogue.subjects.comparison.records import Comparison, Light, MeasureComparison


def github_annotations(comparison: Comparison) -> str:
    """Workflow commands, one per line: the verdict, other worse measures, and threats that block or demote.

    https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
    """
    level = level_of(comparison.light, comparison.validity)
    lines = [_command(level, comparison_title(comparison), " ".join(comparison.answer))]
    for each in comparison.judgements:
        if not each.decides and each.light in RED:
            lines.append(_command("warning", f"{each.title}: {each.light}", _size(each)))
    grave = [threat for threat in comparison.threats if threat.severity is not Severity.NOTES]
    titles = {each.measure: each.title for each in comparison.judgements}
    lines += [_command("warning", "Threat to validity", line.text) for line in threat_lines(grave, titles)]
    return "\n".join(lines)


def _command(level: str, title: str, text: str) -> str:
    escaped = _escape(title).replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={escaped}::{_escape(text)}"


def _escape(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def junit_xml(comparison: Comparison) -> str:
    """One test case for the verdict and one per measure; deciding ones fail if red.

    What does not decide never fails; what could not be tested is skipped. Cases are called as in the report; the full name
    of a measure is a property.
    """
    cases = [
        _case("verdict", comparison_title(comparison), comparison.light, " ".join(comparison.answer), decides=True)
    ]
    for each in comparison.judgements:
        group = "deciding measures" if each.decides else "other measures"
        cases.append(_case(group, each.title, each.light, _size(each), decides=each.decides, measure=each.measure))
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


def _case(group: str, name: str, light: Light, text: str, *, decides: bool, measure: str | None = None) -> ET.Element:
    case = ET.Element("testcase", {"classname": group, "name": printable(one_line(name))})
    if measure is not None:
        ET.SubElement(ET.SubElement(case, "properties"), "property", {"name": "measure", "value": printable(measure)})
    message = printable(one_line(f"{light}: {text}"))
    if light in RED and decides:
        ET.SubElement(case, "failure", {"type": light, "message": message})
    elif light in RED and light == "no verdict":
        ET.SubElement(case, "skipped", {"message": message})
    else:
        ET.SubElement(case, "system-out").text = message
    return case


def _size(judgement: MeasureComparison) -> str:
    """The difference with its interval, or why there is none."""
    return own_decimals(judgement.difference)
