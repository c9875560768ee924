"""Texts about threats from the sample: what is suspicious in it, and verdicts that it can turn."""

from collections.abc import Mapping

from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.entry import ThreatText
from trialogue.findings.wording import list_names, p_words
from trialogue.records import ClusterKind
from trialogue.records.kinds.suspicions import Suspicion

PAIRS: Mapping[ClusterKind, str] = {
    ClusterKind.PERSON: "people",
    ClusterKind.NEED: "conversations about the needs",
    ClusterKind.TASK: "attempts at the tasks",
    ClusterKind.SITUATION: "situations",
    ClusterKind.DIALOGUE: "dialogues",
}
"""What two systems should have met equally often."""
SIGNS: Mapping[Suspicion, str] = {
    Suspicion.SILENT: "no reply",
    Suspicion.ERROR: "a program's message",
    Suspicion.APOLOGY: "an apology or refusal",
    Suspicion.UNANSWERED: "a last question without a reply",
    Suspicion.REPEATED: "the same reply to different users",
}
"""Each sign of a failure in a sentence."""


def _units(threat: Threat, count: object) -> str:
    things = "replies" if threat.facts.get("are_situations") else "dialogues"
    return f"{count} of {threat.facts['units']} {things}"


def _changed_units(threat: Threat) -> str:
    """The changed units of a pair: "12 dialogues of A and 3 of B"."""
    changed = threat.facts["changed"]
    assert isinstance(changed, dict)
    return list_names([f"{count} of {system}" for system, count in changed.items()])


def _result(threat: Threat) -> str:
    """What the re-estimate says, in brackets."""
    difference, p = threat.facts["difference"], threat.facts["p"]
    if not isinstance(difference, int | float) or not isinstance(p, int | float):
        return "(then the two cannot be compared)"
    return f"({threat.systems[0]} minus {threat.systems[1]} is then {difference:+.2f}, p {p_words(p)})"


def _suspect_text(threat: Threat) -> str:
    if "changed" in threat.facts:
        return (
            "it does not stand if dialogues that look like unrecorded failures count as the worst value: "
            f"{_changed_units(threat)} {_result(threat)}"
        )
    signs = threat.facts["signs"]
    assert isinstance(signs, dict)
    listed = ", ".join(f"{SIGNS[Suspicion(sign)]} {count}" for sign, count in signs.items())
    counted = _units(threat, threat.facts["suspects"])
    return f"{counted} of {list_names(threat.systems)} look like unrecorded failures ({listed})"


def _copy_text(threat: Threat) -> str:
    if "changed" in threat.facts:
        return f"it does not stand if copies count once: {_changed_units(threat)} {_result(threat)}"
    return (
        f"{_units(threat, threat.facts['copies'])} of {list_names(threat.systems)} are copies of others "
        f"({threat.facts['equal']} word for word)"
    )


def _source_text(threat: Threat) -> str:
    return (
        f"it does not stand within (or in one of) the sources that both systems' dialogues come from {_result(threat)}"
    )


def _missing_text(threat: Threat) -> str:
    missing, units = threat.facts["missing"], threat.facts["units"]
    assert isinstance(missing, dict)
    assert isinstance(units, dict)
    kind = threat.facts["pairs_of"]
    what = f"{'drawn ' if threat.facts.get('drawn') else ''}units" if kind is None else PAIRS[ClusterKind(str(kind))]
    counted = list_names([f"{count} of {units[system]} {what} for {system}" for system, count in missing.items()])
    turns = threat.severity is Severity.DEMOTES
    tipping, reach = _number(threat.facts["tipping"]), _number(threat.facts["reach"])
    how = f"as they can (by up to {reach})" if turns else f"(at most {reach} is possible)"
    chosen = threat.facts.get("chosen")
    if chosen:
        why = f"whether a dialogue is rated depends on {chosen}, and so do the ratings ({counted} lack one)"
        return f"{why}: it falls if the missing ones lie {tipping} from the others, {how}"
    return f"values are missing unequally ({counted}): it falls if these lie {tipping} from the others, {how}"


def _number(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) else "an unknown distance"


def _echo_text(threat: Threat) -> str:
    if "changed" in threat.facts:
        return f"it does not stand without the situations in which a reply repeats the reference {_result(threat)}"
    return f"{_units(threat, threat.facts['echoes'])} of {list_names(threat.systems)} repeat the reference"


SAMPLE_TEXTS: Mapping[ThreatCode, ThreatText] = {
    ThreatCode.SUSPECTED_FAILURES: ThreatText(
        "Failures that nobody recorded",
        "The last reply and at least half of all replies are empty, a program's message, an apology or refusal that names "
        "nothing, or equal in at least three dialogues, and in 5% to 50% of the system's; or a dialogue ends with a user's "
        "question, without a reply, if those of other systems rarely do (Fisher's exact test at .01).",
        "Noted; demotes a verdict that does not stand if these dialogues, rated or not, count as the worst value.",
        _suspect_text,
    ),
    ThreatCode.COPIED_UNITS: ThreatText(
        "Dialogues or situations are copies",
        "Dialogues or situations of at least 30 words (10 words if they are one person's) that equal another "
        "one, or nearly equal one of another cluster (up to one word in four changed, or the same first two user "
        "messages and the reply between them); also dialogues that people with at least five codes begin with "
        "the same words, if users of other systems rarely do (Fisher's exact test at .001). Common openings and "
        "failures do not count as copies.",
        "Noted; demotes a verdict that does not stand if equal ones count as one, and nearly equal ones as one cluster.",
        _copy_text,
    ),
    ThreatCode.COPIED_REFERENCES: ThreatText(
        "Replies are the references",
        "Replies that contain a reference: at least three quarters of its five-letter sequences, with any text "
        "around it (for references of fewer than 25 letters: the reference alone). If a tenth of a system's "
        "replies do, also replies with seven tenths of the reference's words.",
        "Noted; demotes a verdict on a measure that uses references if it does not stand without the situations in which "
        "any of the two systems repeats the reference.",
        _echo_text,
    ),
    ThreatCode.MIXED_SOURCES: ThreatText(
        "Sources mixed unequally",
        "Two systems' dialogues come from the same sources (corpora, files, channels) in different shares, or "
        "one source contradicts the others (at .01).",
        "Demotes a verdict that does not hold within the sources, or in the contradicting one; also if most of a "
        "system's dialogues come from sources that the other system lacks.",
        _source_text,
    ),
    ThreatCode.MIXED_SCALES: ThreatText(
        "Ratings on different scales",
        "No scale is declared, and one of these holds: each system's (or source's) ratings span a scale of their "
        "own, such as 0 to 4 and 1 to 5; ratings on a short scale are mixed with those on a long one, or a few "
        "lie beyond it; or the ratings by one rater or source run opposite to the other ratings of the same "
        "dialogues, which agree with each other.",
        "Demotes a verdict that does not hold if each rating is read on its apparent scale, and ratings beyond it are left "
        "out (as the worst, if the better system has more of these: Fisher's exact test at .02): declare the scale.",
        lambda t: (
            f"it does not stand if each rating is read on its apparent (different or reversed) scale {_result(t)}"
        ),
    ),
    ThreatCode.OTHER_TIMES: ThreatText(
        "Systems rated at different times",
        "People's dialogues with two systems began at different times, according to a field with times or "
        "positions (quarters of the dialogues, chi-square at .001).",
        "Demotes a verdict that does not stand within periods of 16 dialogues, or cannot be computed there for most of a "
        "system's. Times of simulations do not matter.",
        lambda t: (
            f"it does not stand within periods of time, over which the systems' dialogues are spread unequally {_result(t)}"
        ),
    ),
    ThreatCode.UNEVEN_ORDER: ThreatText(
        "Systems met in uneven order",
        "According to the times in the files, people who met both systems met one of them first more often "
        "(chi-square at .001).",
        "Demotes a verdict that does not stand within first and later dialogues.",
        lambda t: f"it does not stand within first and later dialogues, as people met them unevenly {_result(t)}",
    ),
    ThreatCode.SHARED_DIALOGUES: ThreatText(
        "The same dialogue in two systems",
        "Dialogues of at least 30 words that equal a dialogue of another system, except for signs, spaces and each system's "
        "own name (with simulated users: a dialogue of another user).",
        "Demotes a verdict that does not hold without these dialogues; or, if they are rated higher under one "
        "name (at .01), without this advantage.",
        lambda t: (
            f"it does not stand without the dialogues that both systems share, or without their higher ratings "
            f"under one name {_result(t)}"
        ),
    ),
    ThreatCode.DOMINANT_RATER: ThreatText(
        "One rater gave most ratings",
        "One of several raters gave at least half of the ratings of a system.",
        "Demotes a verdict that does not stand without that rater.",
        lambda t: f"it does not stand without the rater who gave most of the ratings {_result(t)}",
    ),
    ThreatCode.CONTRADICTORY_RATINGS: ThreatText(
        "Contradictory ratings",
        "A rater answered one question differently for the same unit, or for two units with the same text.",
        "Demotes a verdict that does not hold if, of each rater's contradictory answers, only the least "
        "favourable to the better system counts.",
        lambda t: (
            f"it does not stand if each rater's contradictory ratings count against the better system {_result(t)}"
        ),
    ),
    ThreatCode.SELF_RATED: ThreatText(
        "Raters named like systems",
        "Ratings by raters whose name is that of a system.",
        "Demotes a verdict that does not stand without these ratings.",
        lambda t: f"it does not stand without ratings by raters named like a system {_result(t)}",
    ),
    ThreatCode.LOOKALIKE_PEOPLE: ThreatText(
        "One person under several codes",
        "Codes of people or raters that differ only in case, spaces and signs; or five or more people whose dialogues share "
        "a value of a field, such as an address, of which nearly every value is one person's own.",
        "Demotes a verdict that does not hold if each such group is one person.",
        lambda t: (
            f"it does not stand if people at one address, or whose codes differ only in signs, are one {_result(t)}"
        ),
    ),
    ThreatCode.LOOKALIKE_SYSTEMS: ThreatText(
        "Systems with names that look the same",
        "Names of systems that differ only in case, spaces, hyphens, invisible characters or the shape of letters.",
        "Demotes every verdict on these systems: they are treated as different ones. If they are one system, use one "
        "name in the files.",
        lambda t: (
            f"{list_names([repr(each) for each in t.systems], most=None)} may be one system, and are treated as different "
            "ones"
        ),
    ),
    ThreatCode.UNEQUAL_CHANCES: ThreatText(
        "Rated units drawn with unequal chances",
        "A label plan (`--set chances=...`) drew the units with ratings, and those of a system with chances that differ.",
        "Demotes the verdicts on the question: means do not weight by chances; `trialogue judge --set chances=...` does.",
        lambda _: "the units to be rated were drawn with unequal chances, and the means do not correct for that",
    ),
    ThreatCode.MISSING_VALUES: ThreatText(
        "Values are missing unequally",
        "One system of a pair lacks more ratings, more of the people (or attempts at needs or tasks) that the other met, or "
        "more of the references or targets that a measure needs; or its dialogues seem to be rated depending on "
        "quality, because another column of its dialogues predicts both whether a rating exists and how high it "
        "is (at .005), to the leader's advantage. "
        "The tipping point is how far the missing values must lie from the others to turn the verdict.",
        "Demotes a verdict whose tipping point lies within the scale (without a worst value: within two standard "
        "deviations), unless chance may explain the shares (Fisher's exact test at .02); otherwise, it is noted.",
        _missing_text,
    ),
}
"""Texts by code."""
