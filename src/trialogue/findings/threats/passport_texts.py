"""Texts about threats to the passport of simulated users."""

from collections.abc import Mapping

from trialogue.findings.threat import Threat, ThreatCode
from trialogue.findings.threats.entry import ThreatText
from trialogue.findings.wording import list_names
from trialogue.records import JsonValue


def _texts(given: JsonValue) -> list[str]:
    return [str(each) for each in given] if isinstance(given, list) else []


def _of_systems(threat: Threat) -> str:
    return f" of {list_names(threat.systems)}" if threat.systems else ""


PASSPORT_TEXTS: Mapping[ThreatCode, ThreatText] = {
    ThreatCode.COPIED_DIALOGUES: ThreatText(
        "Copied dialogues",
        "Simulated dialogues that occur word for word among the real ones they are compared with.",
        "Blocks the passport's statements on behavior if they amount to half of the smaller side or more; otherwise it is "
        "noted.",
        lambda t: (
            f"{t.facts['copied']} of {t.facts['dialogues']} simulated dialogues occur word for word among the real "
            "ones, so their similarity only shows that they were copied"
        ),
    ),
    ThreatCode.COPIED_MESSAGES: ThreatText(
        "Simulated users that copy messages",
        "Share of users' messages of five words or more that a real user wrote word for word, minus the same share "
        "among real users, with an interval above 0.",
        "Demotes the passport's statements on behavior.",
        lambda t: (
            f"{t.facts['share']:.0%} of the longer messages of simulated users were written word for word by real ones "
            f"(among real users {t.facts['yardstick']:.0%}), so part of the similarity comes from copying"
        ),
    ),
    ThreatCode.FITTED_ON_SAME_TEXT: ThreatText(
        "Users fitted on the text they are compared with",
        "Real dialogues on which the users were fitted, recognised by fingerprints of their exchanges.",
        "Demotes the passport's statements on behavior.",
        lambda t: (
            f"{t.facts['recognised']} of the {t.facts['dialogues']} real dialogues are among those that these users "
            f"were fitted on, so similarity to them shows nothing about other people"
        ),
    ),
    ThreatCode.FITTED_ON_UNKNOWN_TEXT: ThreatText(
        "Unknown training data of the users",
        "A folder of fitted users without fingerprints of the dialogues, as earlier versions wrote it.",
        "Noted: fit the users again.",
        lambda t: "it is unknown on which dialogues these users were fitted, so the real ones may be among them",
    ),
    ThreatCode.FEW_REAL_USERS: ThreatText(
        "Few users on one side",
        "Fewer than 50 independent users (or dialogues) on the real or the simulated side of a passport.",
        "Noted; below ten, behavior is not compared.",
        lambda t: (
            f"there are only {t.facts['people']} independent real and {t.facts['cases']} independent simulated "
            "users; an existing difference may not be detected"
        ),
    ),
    ThreatCode.ONE_AGENT: ThreatText(
        "Users met other agents",
        "Fewer than two agents were met by both real and simulated users.",
        "Demotes the passport's statements on behavior: the agents may cause part of a difference.",
        lambda t: (
            f"{'no agent was' if not t.facts['shared'] else 'only one agent was'} met by both real and simulated "
            "users, so the agents may cause part of a difference"
        ),
    ),
    ThreatCode.SEVERAL_USER_MODELS: ThreatText(
        "Several models played the users",
        "Ids and fingerprints of the models that answered for the users of one batch differ.",
        "Demotes a passport, and the verdicts of the system: the users are a mixture of simulators.",
        lambda t: f"several models played the users{_of_systems(t)}: {list_names(_texts(t.facts['models']))}",
    ),
    ThreatCode.SEVERAL_MODELS: ThreatText(
        "Several models answered for a system",
        "Ids and fingerprints of the models that answered for a system in one batch differ.",
        "Noted: the verdict is about their mixture.",
        lambda t: f"several models answered for {list_names(t.systems)}: {list_names(_texts(t.facts['models']))}",
    ),
    ThreatCode.USER_FAMILY: ThreatText(
        "A system shares the language model of its simulated users",
        "Ids of the models that answered for a system (else its name) and of those that played its users are of one family.",
        "Demotes the system's verdicts: users may favour what their own model would say.",
        lambda t: (
            f"{list_names(t.systems)} and the simulated users are built on the same family of language models "
            f"({list_names(_texts(t.facts['families']))})"
        ),
    ),
    ThreatCode.SIMULATIONS_FAILED: ThreatText(
        "Simulated dialogues that failed",
        "Simulated dialogues that ended in a failure.",
        "Blocks the passport's statements on behavior if at least half of the simulated dialogues failed; otherwise it is "
        "noted.",
        lambda t: (
            f"{t.facts['failed']} of {t.facts['dialogues']} simulated dialogues failed, so their length does "
            "not depend on the users alone"
        ),
    ),
}
