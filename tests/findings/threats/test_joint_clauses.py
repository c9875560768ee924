"""What many pairs share is said once, and only where the words still say which pairs they are."""

from itertools import combinations

import pytest

from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.findings.threats.summary import conditional_sentence, joint_clauses, threat_lines


def apart(*pairs: str, code: ThreatCode = ThreatCode.UNASSIGNED_PEOPLE, **facts: object) -> list[Threat]:
    severity = Severity.BLOCKS if code is ThreatCode.USERS_DIFFER else Severity.DEMOTES
    return [
        Threat.model_validate(
            {"code": code, "severity": severity, "systems": tuple(pair), "is_of_pair": True, "facts": facts}
        )
        for pair in pairs
    ]


def said(threats: list[Threat]) -> list[str]:
    return [text.partition(" were met")[0].removeprefix("the users differ: ") for text, _ in joint_clauses(threats)]


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        (["ab"], ["a and b"]),
        (["ab", "ac", "bc"], ["a, b and c"]),
        (["da", "db", "dc"], ["d and any of a, b and c"]),
        (["ab", "cd"], ["a and b", "c and d"]),  # "a, b, c and d" would say more
        (["ab", "ab"], ["a and b"]),
    ],
)
def test_pairs_are_named_together_where_that_says_which_they_are(pairs: list[str], words: list[str]) -> None:
    assert said(apart(*pairs)) == words
    assert [threat for _, threats in joint_clauses(apart(*pairs)) for threat in threats] == apart(*pairs)


def test_what_is_said_of_either_side_names_the_systems_of_each() -> None:
    kinds: dict[str, object] = {"users": ["agenda"], "others": ["llm"]}
    together = apart("ac", "bc", code=ThreatCode.USERS_DIFFER, **kinds)
    assert said(together) == ["a and b met agenda, c met llm"]
    assert len(said(apart("ac", "bd", code=ThreatCode.USERS_DIFFER, **kinds))) == 2


def test_what_concerns_single_systems_is_said_once_for_equal_words_alone() -> None:
    alone = [Threat(code=ThreatCode.NO_BASELINES, severity=Severity.DEMOTES, systems=(name,)) for name in "ab"]
    ((_, threats),) = joint_clauses(alone)  # the clause names no system
    assert threats == alone


def test_pairs_with_other_facts_are_not_named_together() -> None:
    few = [*apart("ab", code=ThreatCode.FEW_RATERS, raters=3), *apart("bc", code=ThreatCode.FEW_RATERS, raters=4)]
    assert len(joint_clauses(few)) == 2


def test_a_headline_and_a_list_say_one_clause_once() -> None:
    threats = apart(*map("".join, combinations("abcd", 2)))
    sentence = conditional_sentence("a is better than b.", threats)
    assert sentence.count("were met by different people") == 1
    assert "a, b, c and d were met" in sentence
    (line,) = threat_lines(threats, {})
    assert line.text.startswith("a, b, c and d were met by different people")
