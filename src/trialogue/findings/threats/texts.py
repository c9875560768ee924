"""Texts about threats: name, detection, effect and sentence of each. No other module words them."""

from collections.abc import Mapping

from trialogue.findings.protocol import Deviation
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.entry import ThreatText
from trialogue.findings.threats.judging_texts import JUDGING_TEXTS
from trialogue.findings.threats.passport_texts import PASSPORT_TEXTS
from trialogue.findings.threats.protocol_texts import deviations_text
from trialogue.findings.threats.sample_texts import SAMPLE_TEXTS
from trialogue.findings.wording import list_names, no_judgement
from trialogue.records import JsonValue
from trialogue.records.kinds.suspicions import Gate

Facts = Mapping[str, JsonValue]

GATE_WORDS: Mapping[Gate, str] = {
    Gate.TARGET_LEAKED: "target named first",
    Gate.ASSISTANT_ROLE: "assistant's role",
    Gate.PREMATURE_STOP: "left satisfied with nothing",
    Gate.ENDLESS_THANKS: "endless thanks",
    Gate.LOOP: "loops",
    Gate.TRUNCATED: "empty or cut messages",
    Gate.NEED_CONTRADICTED: "need contradicted",
}
"""Name of each user fault in a sentence."""


def sentence(threat: Threat, text: str = "") -> str:
    """Sentence on a threat. A system's name keeps its spelling: ``gpt`` and ``Gpt`` may be two systems.

    Args:
        threat: the threat.
        text: its clause together with that of others; "": its own.
    """
    text = text or clause(threat)
    keeps_spelling = TEXTS[threat.code].opens_with_names and threat.systems
    return f"{text}." if keeps_spelling else f"{text[0].upper()}{text[1:]}."


def clause(threat: Threat) -> str:
    """Clause on a threat, to follow "but"."""
    return TEXTS[threat.code].sentence(threat)


def catalogue_rows() -> list[tuple[str, str, str, str]]:
    """(code, title, detection, effect) of every threat, for the documentation."""
    return [(code.value, text.title, text.detected, text.effect) for code, text in TEXTS.items()]


def _names(threat: Threat) -> str:
    return list_names(threat.systems) if threat.systems else "all systems"


def _share(value: JsonValue) -> str:
    return f"{float(value):.0%}" if isinstance(value, int | float) else "an unknown share"


def _count_of(facts: Facts, part: str, whole: str) -> str:
    return f"{facts[part]} of {facts[whole]}"


def _models_text(facts: Facts) -> str:
    """Language models that were asked for acts, and what they gave none for; "" if none was."""
    labellers = facts.get("labellers")
    if not isinstance(labellers, list) or not labellers:
        return ""
    none = facts["unrecognised"]
    gave_none = f", which gave no act for {_plural(none, 'message', 'messages')}" if none else ""
    return f" (by a language model: {list_names([str(each) for each in labellers])}{gave_none})"


def _gates(facts: Facts) -> str:
    """User faults with their numbers of dialogues."""
    gates = facts["gates"]
    return (
        ", ".join(f"{GATE_WORDS[Gate(name)]} {count}" for name, count in gates.items())
        if isinstance(gates, dict)
        else ""
    )


def _quote_failures(words: JsonValue) -> str:
    """Recorded words on unexplained failures; words of old files may not mean a failure."""
    if not isinstance(words, list):
        return ""
    return f" (recorded: {', '.join(repr(word) for word in words)}; if that is not a failure, declare it in ended_by)"


def _join_names(names: JsonValue) -> str:
    return list_names([str(name) for name in names] if isinstance(names, list) else [str(names)], most=None)


def _deviations(facts: JsonValue) -> str:
    assert isinstance(facts, list)
    return deviations_text(tuple(Deviation.model_validate(each) for each in facts), most=1)  # the answer has the others


def _plural(count: JsonValue, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


TEXTS: Mapping[ThreatCode, ThreatText] = {
    ThreatCode.NEVER_FINISHED: ThreatText(
        "No finished dialogue",
        "No dialogue of a system ended without a failure, or it replied to no situation.",
        "Blocks: the system has no rank and no verdict.",
        lambda t: (
            f"none of {_names(t)}'s {_plural(t.facts['dialogues'], 'dialogue', 'dialogues')} finished without a failure"
            if "dialogues" in t.facts
            else f"none of {_plural(t.facts['situations'], 'situation', 'situations')} has a reply from {_names(t)}"
        ),
    ),
    ThreatCode.FAILURES: ThreatText(
        "Failures of the agent",
        "Share of a system's dialogues that the agent itself ended with an error, a timeout or an invalid reply.",
        (
            "At 5% or more, it demotes every verdict in which the system is ahead on a measure that leaves failed "
            "dialogues out; below, it is noted. Measures with a worst value count a failed dialogue as that "
            "value."
        ),
        lambda t: f"{_count_of(t.facts, 'failed', 'dialogues')} dialogues of {_names(t)} failed because of the agent",
    ),
    ThreatCode.FAILURE_DIFFERENCE: ThreatText(
        "One system fails more often",
        "Fisher's exact test of the two systems' failures caused by the agent, at the run's significance level.",
        "Demotes the verdict that the system that fails more is better.",
        lambda t: (
            f"{t.systems[0]} fails more often than {t.systems[1]} ({_share(t.facts['rate'])} against "
            f"{_share(t.facts['other_rate'])} of dialogues)"
        ),
        opens_with_names=True,
    ),
    ThreatCode.MISSING_DIALOGUES: ThreatText(
        "Dialogues are missing",
        (
            "Share of a system's dialogues that failed for reasons other than the agent (simulated user, "
            "judge, harness, unknown); of situations, where it was asked for individual replies."
        ),
        "Above 5% it blocks the system's rank and its verdicts on dialogues; below, it is noted.",
        lambda t: (
            f"{_count_of(t.facts, 'missing', 'dialogues')} dialogues of {_names(t)} are missing: they failed, but "
            f"not because of the agent{_quote_failures(t.facts.get('words'))}"
            if "dialogues" in t.facts
            else f"{_count_of(t.facts, 'missing', 'situations')} replies of {_names(t)} are missing: they failed, but not "
            "because of the agent"
        ),
    ),
    ThreatCode.ABSTENTION: ThreatText(
        "A system did not answer every situation",
        "Share of the situations answered by any system to which a system gave no reply, or an empty one.",
        "Below 95% answered it demotes every verdict in which the system is ahead; otherwise it is noted.",
        lambda t: (
            f"{_names(t)} answered only {_count_of(t.facts, 'answered', 'asked')} situations, and abstentions are not random"
        ),
        opens_with_names=True,
    ),
    **SAMPLE_TEXTS,
    ThreatCode.DIFFERENT_SITUATIONS: ThreatText(
        "Different situations",
        "Two systems did not answer the same situations.",
        (
            "Noted: their difference is computed on the situations that both answered, each system's value "
            "on all that it answered."
        ),
        lambda t: (
            f"{list_names(t.systems, most=None)} are compared on the {t.facts['shared']} situations that both answered"
        ),
        opens_with_names=True,
        joins_pairs=True,
    ),
    ThreatCode.UNASSIGNED_PEOPLE: ThreatText(
        "People not assigned at random",
        "Two systems had dialogues with people, and none of these people met both.",
        "Demotes the verdict on the two: the people, or the time, may explain the difference.",
        lambda t: (
            f"{list_names(t.systems, most=None)} were met by different people, who were not assigned to them at random "
            "as far as the data record"
        ),
        opens_with_names=True,
        joins_pairs=True,
    ),
    ThreatCode.USERS_DIFFER: ThreatText(
        "Different users",
        (
            "Two systems met different kinds of simulated users, simulated users without a need in common, users played by "
            "different language models, or one system met people and the other simulated users."
        ),
        "Blocks the verdict on the two.",
        lambda t: (
            f"the users differ: {t.systems[0]} met {_join_names(t.facts['users'])}, "
            f"{t.systems[1]} met {_join_names(t.facts['others'])}"
            if t.facts
            else f"the users differ: those of {list_names(t.systems, most=None)} have no need in common"
        ),
        joins_pairs=True,
    ),
    ThreatCode.FEW_CLUSTERS: ThreatText(
        "Few independent clusters",
        "Fewer than 10 people or dialogues behind a system's value on a measure.",
        "Demotes the system's verdicts on the measure.",
        lambda t: (
            f"{_names(t)} {'has' if len(t.systems) == 1 else 'have'} only "
            f"{_plural(t.facts['clusters'], 'independent cluster', 'independent clusters')} (people or dialogues)"
        ),
        opens_with_names=True,
    ),
    ThreatCode.FEW_RATERS: ThreatText(
        "Few raters",
        "Fewer than 6 people rated both systems, each of them several dialogues or situations.",
        "Demotes the verdict on the two: it holds for these raters.",
        lambda t: (
            f"{list_names(t.systems, most=None)} were rated by the same {t.facts['raters']} people, and others may have "
            "another taste"
        ),
        opens_with_names=True,
        joins_pairs=True,
    ),
    ThreatCode.UNEQUAL_CLUSTERS: ThreatText(
        "Clusters of very unequal sizes",
        (
            "A few people or dialogues contain so many of a system's units that the test weights them equally "
            "(their effective number is below two thirds of their number, and below 50), and the difference of the units' "
            "means has the other sign, or lies outside the interval."
        ),
        "Demotes the verdict on the two.",
        lambda t: (
            f"a few people or dialogues contain most of the data on {list_names(t.systems, most=None)}; the test weights "
            "them equally, and the mean over all units leads to another result"
        ),
    ),
    ThreatCode.UNBOUNDED: ThreatText(
        "Values without a known end",
        (
            "Fewer than 50 people or dialogues of a system on a measure without an upper end, such as a time or a number of "
            "turns; or any number of people or dialogues that all have the same value, where the scale is not declared or "
            "has no end. A few very large values dominate such a mean, and no test reliably keeps its level."
        ),
        "Demotes the verdict on the two.",
        lambda t: (
            f"{list_names(t.systems, most=None)} are compared on "
            f"{_plural(t.facts['clusters'], 'person or dialogue', 'people or dialogues')} by a measure without a known "
            "end, which a few very large values may dominate"
            + (" (all values of one system are the same)" if t.facts.get("equal") else "")
        ),
        opens_with_names=True,
    ),
    ThreatCode.SEVERAL_MEASURES: ThreatText(
        "Several measures",
        (
            "The number of measures with a direction that were tested. p-values are corrected within a "
            "measure, unless `--set family=measures` corrects across all of them."
        ),
        (
            "Noted: with more measures, a chance difference is more likely. Not noted where a decision "
            "protocol was kept."
        ),
        lambda t: (
            f"{t.facts['measures']} measures were tested, and p-values are corrected within each measure, not across "
            "measures"
        ),
    ),
    ThreatCode.BASELINE_NOT_BEATEN: ThreatText(
        "A baseline is not beaten",
        "The system is not significantly better than the best baseline that ignores the user.",
        "Demotes every verdict in which the system is ahead on the measure; blocks it on an outcome of simulated dialogues "
        "where the system is not above the baseline at all.",
        lambda t: (
            f"{_names(t)} {'is' if len(t.systems) == 1 else 'are'} not significantly better than the baseline "
            f"{t.facts['baseline']}, which ignores the user"
        ),
        opens_with_names=True,
    ),
    ThreatCode.SERVES_LESS: ThreatText(
        "Listens more, serves less",
        "Of a pair, the system with the higher lift meets its users' needs significantly less often.",
        "Blocks the verdict on the pair.",
        lambda t: (
            f"{t.systems[0]} listens more than {t.systems[1]} and meets its users' needs significantly less often"
        ),
        opens_with_names=True,
    ),
    ThreatCode.NOT_LISTENING: ThreatText(
        "Not shown to listen",
        "The interval of the system's lift is not above 0: it meets its users' needs no more often than the same items meet "
        "the needs of other users.",
        "Blocks every verdict in which the system is ahead on another outcome by needs; noted for lift itself where the "
        "whole interval lies within 0.02 of 0.",
        lambda t: (
            f"{_names(t)} {'ignores the user' if t.facts['is_negligible'] else 'shows no sign of using what users say'}: "
            f"its items meet other users' needs just as often (lift {t.facts['lift']})"
        ),
        opens_with_names=True,
    ),
    ThreatCode.LISTENING_UNKNOWN: ThreatText(
        "Unknown whether systems listen",
        "An outcome by needs was measured, but lift has no value: it requires at least 30 different needs.",
        "Demotes the outcome: a list that ignores the user can meet many needs.",
        lambda t: f"it is unknown whether the systems listen (lift: {t.facts['why']})",
    ),
    ThreatCode.OTHER_CATALOGUE: ThreatText(
        "Agent of another catalogue",
        "At least half of the items that a system recommends to simulated users are not in their catalogue, or none of its "
        "replies names an item.",
        "Demotes every verdict on outcomes by needs: users and agent talk about different things.",
        lambda t: (
            f"{_names(t)} named no item of the users' catalogue"
            if t.facts["share"] is None
            else f"{_share(t.facts['share'])} of the items that {_names(t)} recommends are unknown in the users' catalogue"
        ),
    ),
    ThreatCode.UNRECOGNISED_TITLES: ThreatText(
        "Recommends unrecognised titles",
        "Share of a system's titles that are neither in the catalogue nor on a list of real items. The interval of this "
        "share lies above 5%, the most that is reported of people's own recommendations.",
        "Demotes verdicts in favour of the system; blocks them where the interval lies above 50%.",
        lambda t: (
            f"{_share(t.facts['share'])} of the titles that {_names(t)} recommends are neither in the "
            "catalogue nor on a list of real items"
        ),
    ),
    ThreatCode.KNOWN_SEED: ThreatText(
        "Seed known in advance",
        "Simulated users are drawn with a seed below 2^32, such as the default, which is easy to guess.",
        "Noted: an agent can be tuned to the users of a seed that its authors, or the agent, know. Use --seed fresh for "
        "verdicts.",
        lambda t: (
            f"the users of {_names(t)} were drawn with a seed that is easy to guess ({t.facts['seeds']}): an agent could be "
            "tuned to them (--seed fresh draws a new one)"
        ),
    ),
    ThreatCode.NO_BASELINES: ThreatText(
        "No baselines for simulated users",
        "Dialogues are with simulated users, and no baseline (off-topic, echo, popular, random item, static list, catalogue "
        "dump) met the same users.",
        "Demotes task outcomes.",
        lambda t: "no baseline met these simulated users, so the score of a nonsensical agent is unknown",
    ),
    ThreatCode.AT_CHANCE: ThreatText(
        "The measure agrees with people no better than chance",
        "The measure's validity card: the interval of its AUC against people's ratings contains 0.5.",
        "Demotes the measure.",
        lambda t: (
            f"this measure agrees with people's {t.facts['asked']} no better than chance on {t.facts['data']} "
            f"(AUC {t.facts['auc']})"
        ),
    ),
    ThreatCode.NO_HUMAN_JUDGEMENT: ThreatText(
        "No human judgement",
        "The data contain no ratings and no votes.",
        "Noted.",
        lambda t: f"{no_judgement(t.facts.get('unread'))}: this shows what a metric measures, not what people prefer",
    ),
    ThreatCode.SCRIPTED_RATERS: ThreatText(
        "Scripted raters",
        "The ratings are declared to come from scripts that took part in a study.",
        "Demotes the measure.",
        lambda t: "the ratings come from a script, not from people: this is a rehearsal",
    ),
    ThreatCode.INVENTED_RATERS: ThreatText(
        "Invented raters",
        "The ratings are declared to be invented, as those of the bundled demo are.",
        "Demotes the measure.",
        lambda t: "the ratings are invented, not given by people",
    ),
    ThreatCode.MODEL_RATERS: ThreatText(
        "Ratings by a model",
        "The ratings are declared to come from a model.",
        "Demotes the measure.",
        lambda t: "the ratings come from a model, not from people, and nothing corrects them",
    ),
    ThreatCode.PROGRAM_RATERS: ThreatText(
        "Ratings by a program",
        "The ratings are declared to be computed by a program.",
        "Demotes the measure.",
        lambda t: "the ratings are computed by a program, not given by people",
    ),
    ThreatCode.UNKNOWN_RATERS: ThreatText(
        "Unknown raters",
        "The data do not say who gave the ratings, and nobody declared it.",
        "Demotes the measure.",
        lambda t: "the data do not say who gave these ratings (if people did: --set origin=person)",
    ),
    ThreatCode.LABEL_ORIGIN: ThreatText(
        "Labels not given by people",
        (
            "The measure uses strategy labels, some of which come from a classifier, a language model, a "
            "script or an unknown source."
        ),
        "Demotes the measure unless labels by people correct them.",
        lambda t: f"it uses labels that were not given by people ({t.facts['labellers']})",
    ),
    ThreatCode.RECOGNISED_ACTS: ThreatText(
        "Success depends on recognised acts",
        "Share of the agent's dialogue acts that the agent did not declare: a labeller recognised them in its text for the "
        "simulated user, without knowing what the user said or wanted.",
        "Demotes measures of success that use these acts.",
        lambda t: (
            f"{_share(t.facts['share'])} of the acts counted for {_names(t)} were recognised by the simulated "
            f"user's labeller, not declared by the agent{_models_text(t.facts)}"
        ),
    ),
    ThreatCode.USER_FAULTS: ThreatText(
        "Users who do not behave as users",
        "Share of a system's dialogues whose user left satisfied before anything suited, spoke as an assistant, or "
        "repeated themselves.",
        "At 5% or more, it demotes the system's verdicts if all its users are simulated; below, it is noted. With people "
        "it is noted at 5% or more.",
        lambda t: (
            f"in {_count_of(t.facts, 'faulty', 'dialogues')} dialogues with {_names(t)} the user did not behave as a user "
            f"({_gates(t.facts)})"
        ),
    ),
    ThreatCode.USER_FAULT_HINTS: ThreatText(
        "Hints at users who do not behave as users",
        "Dialogues whose user seems to have named the target, thanked again and again, sent truncated messages, or "
        "contradicted the need, found by gates that miss faults and give false alarms.",
        "Noted: read these dialogues. In half of a system's dialogues or more, one of these faults demotes the system's "
        "verdicts if all its users are simulated. With people it is noted in 5% or more.",
        lambda t: (
            f"in some of {t.facts['dialogues']:,} dialogues with {_names(t)} the user may not have behaved as a user "
            f"({_gates(t.facts)}): read them, since these gates miss faults and give false alarms"
        ),
    ),
    ThreatCode.USER_FAULT_DIFFERENCE: ThreatText(
        "Users misbehave more often with one system",
        "Fisher's exact test of the shares of dialogues in which the simulated user was at fault, hints left out.",
        "Demotes the verdict on the pair.",
        lambda t: (
            f"the simulated users of {_names(t)} were at fault in {_share(t.facts['rate'])} and "
            f"{_share(t.facts['other_rate'])} of their dialogues"
        ),
    ),
    **PASSPORT_TEXTS,
    ThreatCode.CALIBRATION_ELSEWHERE: ThreatText(
        "Calibrated on another corpus",
        (
            "The measure uses a calibration that was fitted and checked on a model's corpus, and no labels "
            "by people check it on these data."
        ),
        "Demotes the measure.",
        lambda t: f"its calibration was checked only on other data, those of {t.facts['models']}",
    ),
    ThreatCode.CORPUS_SHIFT: ThreatText(
        "Texts from elsewhere",
        (
            "Compared with the model's calibration data, more words of the replies or references are new, or their mix of "
            "strategies differs more, than in 95% of equally large samples of the calibration corpus."
        ),
        "Widens intervals by the error measured between corpora and demotes the system's verdicts; texts too different "
        "are not estimated, which blocks them. Labels by people (variant ppi) remove it.",
        lambda t: (
            f"the texts of {_names(t)} are from a different corpus than its calibration data (unknown words "
            f"{_share(t.facts['unknown_words'])}, usually at most {_share(t.facts['unknown_words_limit'])}; distance of the "
            f"mix of strategies {_share(t.facts['mix_distance'])}, usually at most {_share(t.facts['mix_distance_limit'])})"
        ),
    ),
    ThreatCode.TRAINING_DATA: ThreatText(
        "Dialogues occur in the training data",
        "Fingerprints of the dialogues are among those of the measure's training data, whatever the systems are called.",
        (
            "Dialogues are scored by weights fitted without them where such exist (noted), else left out; "
            "above 5% of a system's dialogues, that demotes its verdicts on the measure."
        ),
        lambda t: (
            f"it was trained on {_count_of(t.facts, 'recognised', 'dialogues')} dialogues of {_names(t)}"
            + (
                f", {t.facts['excluded']} of which are left out"
                if t.facts["excluded"]
                else ", which are scored out of fold"
            )
        ),
    ),
    ThreatCode.OUTSIDE_DOMAIN: ThreatText(
        "Outside the measure's domain",
        (
            "A system's dialogues differ in kind from those for which the measure's card shows agreement "
            "with people, or their users are simulated."
        ),
        "Demotes the system's verdicts on the measure, or the whole measure if it holds for all systems.",
        lambda t: (
            f"{f'the dialogues of {_names(t)}' if t.systems else 'these dialogues'} are outside the domain on which it was "
            f"validated ({t.facts['domain']})"
        ),
    ),
    ThreatCode.LANGUAGE: ThreatText(
        "Language",
        "The language of a system's replies, detected in its text, is not one that the measure supports.",
        "The measure is left out; if it was kept on request, the system's verdicts on it are blocked.",
        lambda t: (
            f"{_names(t)} {'writes' if len(t.systems) == 1 else 'write'} in {t.facts['language']}, but the "
            f"measure supports {t.facts['made_for']}"
        ),
        opens_with_names=True,
    ),
    ThreatCode.LANGUAGE_UNKNOWN: ThreatText(
        "Unknown language",
        ("There is too little text to detect its language, and the measure supports certain languages only."),
        "Noted.",
        lambda t: (
            f"there is too little text by {_names(t)} to detect its language, and the measure supports "
            f"{t.facts['made_for']}"
        ),
    ),
    ThreatCode.MODEL_CHANGED: ThreatText(
        "Another model answered",
        "The id or fingerprint of the model that answered differs between the two runs.",
        "Demotes every verdict between the runs.",
        lambda t: f"another model answered: {t.facts['before']} in one run, {t.facts['after']} in the other",
    ),
    ThreatCode.LABELLER_CHANGED: ThreatText(
        "Labels from different sources",
        (
            "The labels or probabilities that a measure uses were produced by different models or people in "
            "the two runs."
        ),
        "Demotes the verdict between the runs on the measure.",
        lambda t: f"its labels come from {t.facts['before']} in one run and from {t.facts['after']} in the other",
    ),
    ThreatCode.PROTOCOL_NOT_KEPT: ThreatText(
        "The decision protocol was not kept",
        (
            "An experiment or its data differ from the protocol written beforehand, or the protocol was "
            "written after there were results, or it was edited or deleted."
        ),
        "Demotes every verdict.",
        lambda t: f"the decision protocol {t.facts['protocol']} was not kept ({_deviations(t.facts['deviations'])})",
    ),
    ThreatCode.PROTOCOL_AFTER_DATA: ThreatText(
        "The data are older than the decision protocol",
        "The conversations that a protocol applies to already existed when it was written.",
        "Noted: the author of the protocol may have seen them.",
        lambda t: (
            f"the conversations already existed when the decision protocol {t.facts['protocol']} was written, "
            "so its author may have known them"
        ),
    ),
    ThreatCode.NO_PROTOCOL: ThreatText(
        "No decision protocol",
        "No decision was declared (`decide` in an experiment's file, `--decide`), and no protocol was written before.",
        "Noted: the analysis is exploratory.",
        lambda t: "this analysis is exploratory: no primary measure was declared in advance (see --decide)",
    ),
    **JUDGING_TEXTS,
}


def severity_heading(severity: Severity) -> str:
    """Heading of a list of threats of one severity."""
    return {
        Severity.BLOCKS: "Blocked verdicts",
        Severity.DEMOTES: "Conditional verdicts",
        Severity.NOTES: "To note",
    }[severity]
