"""Detectors of threats from the sample: what is suspicious in it, weighed by what becomes of the verdicts."""

from collections.abc import Iterator

from trialogue.findings.records import Findings
from trialogue.findings.sample.records import Draw, UnitCounts
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.wording import lookalikes
from trialogue.records import JsonValue


def suspicions(findings: Findings) -> Iterator[Threat]:
    """What is suspicious about the units of a system, as a note: a verdict that it can turn has a threat of its own."""
    for each in findings.sample.units:
        for code, facts in _facts(each).items():
            if facts:
                yield Threat(code=code, severity=Severity.NOTES, systems=(each.system,), facts=facts)


def _facts(counts: UnitCounts) -> dict[ThreatCode, dict[str, JsonValue]]:
    what: dict[str, JsonValue] = {"units": counts.units, "are_situations": counts.is_of_situations}
    signs: dict[str, JsonValue] = {sign.value: count for sign, count in counts.suspects.items()}
    copied = max(counts.copies, counts.near_copies)
    return {
        ThreatCode.SUSPECTED_FAILURES: {**what, "suspects": sum(counts.suspects.values()), "signs": signs}
        if signs
        else {},
        ThreatCode.COPIED_REFERENCES: {**what, "echoes": counts.echoes} if counts.echoes else {},
        ThreatCode.COPIED_UNITS: {**what, "copies": copied, "equal": counts.copies} if copied else {},
    }


def turned_verdicts(findings: Findings) -> Iterator[Threat]:
    """Verdicts that do not stand if a doubt about the sample is right."""
    for each in findings.re_estimates:
        if not each.stands:
            difference = each.difference
            yield Threat(
                code=each.code,
                severity=Severity.DEMOTES,
                systems=(each.a, each.b),
                measure=each.measure,
                is_of_pair=True,
                facts={
                    "changed": {**each.units},
                    "difference": None if difference.value is None else round(difference.value, 4),
                    "p": difference.p,
                },
            )


def lookalike_systems(findings: Findings) -> Iterator[Threat]:
    """Systems whose names look the same: they may be one, of which the dialogues under each name are a part."""
    names = {each.system for league in findings.leagues for each in league.standings}
    for own in lookalikes(sorted(names)):
        yield Threat(code=ThreatCode.LOOKALIKE_SYSTEMS, severity=Severity.DEMOTES, systems=tuple(own))


def unequal_chances(findings: Findings) -> Iterator[Threat]:
    """Questions about units that were drawn with unequal chances: means do not weight by these."""
    for column in findings.sample.columns:
        if column.draw is Draw.UNEQUAL:
            yield Threat(code=ThreatCode.UNEQUAL_CHANCES, severity=Severity.DEMOTES, measure=column.measure)


def missing_values(findings: Findings) -> Iterator[Threat]:
    """Verdicts in which one system lacks more values than the other; those that these can turn are conditional."""
    drawn = {column.measure for column in findings.sample.columns if column.draw is Draw.RECORDED}
    for each in findings.missing:
        yield Threat(
            code=ThreatCode.MISSING_VALUES,
            severity=Severity.DEMOTES if each.is_within_reach else Severity.NOTES,
            systems=(each.a, each.b),
            measure=each.measure,
            is_of_pair=True,
            facts={
                "missing": {**each.missing},
                "units": {**each.units},
                "pairs_of": each.pairs_of and each.pairs_of.value,
                **({"drawn": True} if each.measure in drawn else {}),
                "tipping": round(each.tipping, 4),
                "reach": round(each.reach, 4),
                **({"chosen": each.chosen} if each.chosen else {}),
            },
        )
