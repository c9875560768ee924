"""Texts about threats to the estimates of judges."""

from collections.abc import Mapping

from trialogue.findings.threat import Threat, ThreatCode
from trialogue.findings.threats.entry import ThreatText
from trialogue.findings.wording import list_names
from trialogue.judges.probe_kinds import ProbeKind
from trialogue.records import JsonValue


def _mean(value: JsonValue) -> str:
    return f"{float(value):.2f}" if isinstance(value, int | float) else "an unknown mean"


def _names(threat: Threat) -> str:
    return list_names(threat.systems) if threat.systems else "all systems"


CAUSES: Mapping[str, str] = {
    ProbeKind.PADDING: "if replies are padded with empty sentences",
    ProbeKind.INJECTION: "if a reply asks for the highest score",
    ProbeKind.WORDING: "if the instruction is reworded",
    ProbeKind.REVERSED_WORDING: "if the instruction is reworded with the scale upside down",
    ProbeKind.WRONG_YEAR: "the wrong year of an item",
    ProbeKind.CONTRADICTION: "the recommendation of something disliked",
    ProbeKind.REPETITION: "a repeated reply",
}


def _points(value: JsonValue) -> str:
    return f"{float(value):+.2f}".replace("-", "−") if isinstance(value, int | float) else "an unknown amount"


def _share(value: JsonValue) -> str:
    return f"{float(value):.0%}" if isinstance(value, int | float) else "an unknown share"


JUDGING_TEXTS: Mapping[ThreatCode, ThreatText] = {
    ThreatCode.JUDGE_UNCORRECTED: ThreatText(
        "The judge is not corrected",
        "No labels by people correct a judge's scores.",
        "Demotes every verdict: levels and differences contain the judge's own error, and intervals leave it out.",
        lambda t: (
            "no labels by people correct the judge, so its own error is in every value and in no interval (give some with "
            "--labels)"
        ),
    ),
    ThreatCode.JUDGE_MISSING: ThreatText(
        "Scores missing from the judge",
        "Share of a system's units to which the judge gave no score: unreadable, cut off, refused, off the scale.",
        (
            "Without labels: at 50% or more it blocks the system's estimates, at 5% or more it demotes them. Otherwise it "
            "is noted: labels correct the guess that stands in for a missing score."
        ),
        lambda t: (
            f"the judge gave no score to {t.facts['missing']} of {t.facts['units']} units of {_names(t)}"
            + (f" (mostly: {t.facts['why']})" if t.facts.get("why") else "")
        ),
    ),
    ThreatCode.JUDGE_MISSING_DIFFERENCE: ThreatText(
        "Scores are missing more often for one system",
        (
            "Fisher's exact test of the shares of units without a score from the judge, for each pair, at the run's "
            "significance level."
        ),
        "Without labels, it demotes the verdict on the pair; with labels, it is noted.",
        lambda t: (
            f"the judge gave no score to {t.systems[0]} more often than to {t.systems[1]} "
            f"({_share(t.facts['rate'])} against {_share(t.facts['other_rate'])} of units)"
        ),
    ),
    ThreatCode.JUDGE_FEW_ANSWERS: ThreatText(
        "Scores rest on few answers",
        (
            "Share of a judge's samples (or of a panel's judges) that could be read, over the units of a system that have a "
            "score."
        ),
        "Below 80%: without labels, it demotes the system's verdicts; with labels, it is noted.",
        lambda t: (
            f"scores of {_names(t)} rest on {t.facts['read']} of {t.facts['asked']} answers from the judge; the others "
            "could not be read"
        ),
    ),
    ThreatCode.JUDGE_FAMILY: ThreatText(
        "The judge shares a system's language model",
        (
            "The judge is declared (setting `family`) to be built on the same language model as a system, or the ids of the "
            "models that answered are of one family."
        ),
        (
            "Noted where labels correct the judge: they correct a preference for its own kind on average. Without labels it "
            "demotes the system's verdicts."
        ),
        lambda t: (
            f"the judge is of the same family as {_names(t)}"
            + (f" ({t.facts['family']})" if "family" in t.facts else "")
            + ", and models prefer texts of their own kind"
        ),
    ),
    ThreatCode.JUDGE_BIASED: ThreatText(
        "A probe found a bias in the judge",
        (
            "A judge's score changes with what should not change it: padding, a sentence in a reply that asks for a high "
            "score, a reworded instruction, or the position in a pair (`judge probe`; sign flips within dialogues, "
            "Bonferroni's method over the probes)."
        ),
        (
            "Noted where labels correct the judge; a bias for a position is always noted, since pairs are shown in both "
            "orders. Without labels, any other bias demotes all verdicts."
        ),
        lambda t: (
            f"the judge {t.facts['judge']} prefers the dialogue shown first (by {_share(t.facts['effect'])} of answers)"
            if t.facts["probe"] == ProbeKind.POSITION
            else f"scores of {t.facts['judge']} change by {_points(t.facts['effect'])} {CAUSES[str(t.facts['probe'])]}"
        ),
    ),
    ThreatCode.JUDGE_UNSTABLE: ThreatText(
        "The judge's order of dialogues depends on the wording of the instruction",
        (
            "Spearman's correlation of a judge's scores under our instruction and under others with the same meaning is not "
            "shown to be above 0 (`judge probe`)."
        ),
        "Noted where labels correct the judge. Without labels it demotes all verdicts.",
        lambda t: (
            f"the judge {t.facts['judge']} was not shown to order dialogues alike {CAUSES[str(t.facts['probe'])]} "
            f"(rank correlation {_points(t.facts['effect'])}, {t.facts['n']} dialogues)"
        ),
    ),
    ThreatCode.JUDGE_UNNOTICED_DEFECT: ThreatText(
        "The judge was not shown to notice a defect",
        (
            "A defect that was planted in replies (wrong year, recommendation of something disliked, repetition) did not "
            "lower a judge's score significantly (`judge probe`)."
        ),
        "Noted: with few dialogues, a judge that notices it may not be recognised as such.",
        lambda t: (
            f"the judge {t.facts['judge']} was not shown to notice {CAUSES[str(t.facts['probe'])]} (change "
            f"{_points(t.facts['effect'])}, {t.facts['n']} dialogues)"
        ),
    ),
    ThreatCode.JUDGE_FEW_LABELS: ThreatText(
        "Few labels",
        "Fewer than 20 labels by people for a system that a judge scored.",
        "Below 10 it blocks the system's estimates; below 20 it is noted: systems then share one weight for the judge.",
        lambda t: f"{_names(t)} {'has' if len(t.systems) == 1 else 'have'} only {t.facts['labels']} labels",
        opens_with_names=True,
    ),
    ThreatCode.JUDGE_WORTHLESS: ThreatText(
        "The judge saves nothing",
        "The corrected interval of a mean is at least 0.98 times as wide as that of labels alone.",
        "Noted: the estimates rest on the labels.",
        lambda t: f"for {_names(t)} the judge saves no labels",
    ),
    ThreatCode.JUDGE_CONSTANT: ThreatText(
        "The judge says the same of everything",
        "All scores of the judge are equal.",
        "Noted: the estimates rest on the labels alone, and no probe can show a bias.",
        lambda t: f"the judge gives {_mean(t.facts['score'])} to everything, so that only the labels say anything",
    ),
    ThreatCode.JUDGE_CONTRARY: ThreatText(
        "The judge contradicts people",
        "Negative correlation of the judge's scores with people's labels within systems (Pearson, at .01).",
        "Noted: the labels correct it, and its scores mean the opposite of what they should.",
        lambda t: (
            f"the judge contradicts people (correlation {t.facts['correlation']} over {t.facts['labels']} labels within "
            "systems): is its scale reversed?"
        ),
    ),
    ThreatCode.LABELS_NOT_DRAWN: ThreatText(
        "No record of how the labels were drawn",
        "People labelled a part of the units, and no plan (`trialogue judge plan`, then setting `chances`) says with which "
        "chance each was drawn.",
        "Demotes every corrected verdict: labels that people give to what they please correct nothing.",
        lambda t: (
            f"{t.facts['labels']} of {t.facts['units']} units have labels, and nothing records that these were drawn at "
            "random (draw them with trialogue judge plan, and pass the plan with --set chances=...)"
        ),
    ),
    ThreatCode.LABELS_CHOSEN: ThreatText(
        "Labels chosen by the judge's score",
        (
            "Labelled units have higher or lower judge scores than the others, and no sampling probabilities were given: "
            "in a system (Welch's t at .001 over the number of systems), or within all systems together (Stouffer's method "
            "at .001)."
        ),
        "Demotes the estimates: give the sampling probabilities (`--set chances=...`), or sample labels at random.",
        lambda t: (
            f"the labelled units of {_names(t)} are not a random sample: the judge scores them "
            + (
                f"{_mean(t.facts['labelled'])}, the others {_mean(t.facts['others'])}"
                if t.systems
                else f"{'higher' if t.facts['higher'] else 'lower'} than the others"
            )
        ),
    ),
}
