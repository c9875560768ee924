"""Every threat has texts, and the documentation holds them."""

from pathlib import Path

import pytest

from trialogue.findings.threats import Severity, Threat, ThreatCode
from trialogue.findings.threats.summary import threat_lines
from trialogue.findings.threats.texts import TEXTS, catalogue_rows, sentence

PAGE = Path(__file__).parents[3] / "docs" / "design" / "validity.md"


def test_every_threat_has_texts() -> None:
    assert set(TEXTS) == set(ThreatCode)


def test_the_page_on_validity_holds_the_catalogue() -> None:
    page = PAGE.read_text(encoding="utf-8")
    missing = [code for code, *texts in catalogue_rows() if f"| `{code}` | {' | '.join(texts)} |" not in page]
    assert missing == []


def test_no_two_threats_say_the_same() -> None:
    titles = [text.title for text in TEXTS.values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", ["gpt-4", "GPT-4"])
def test_a_system_s_name_keeps_its_spelling_at_the_start_of_a_sentence_and_after_a_measure(name: str) -> None:
    few = Threat(
        code=ThreatCode.FEW_CLUSTERS,
        severity=Severity.DEMOTES,
        systems=(name,),
        measure="length",
        facts={"clusters": 4},
    )
    assert sentence(few) == f"{name} has only 4 independent clusters (people or dialogues)."
    (line,) = threat_lines([few], {"length": "Length"})
    assert line.text == f"On Length: {name} has only 4 independent clusters (people or dialogues)."


def test_other_sentences_begin_with_a_capital_letter() -> None:
    never = Threat(code=ThreatCode.NEVER_FINISHED, severity=Severity.BLOCKS, systems=("gpt-4",), facts={"dialogues": 7})
    assert sentence(never) == "None of gpt-4's 7 dialogues finished without a failure."


def more_failures(count: int) -> list[Threat]:
    return [
        Threat(
            code=ThreatCode.FAILURE_DIFFERENCE,
            severity=Severity.DEMOTES,
            systems=(f"bad-{n}", "good"),
            is_of_pair=True,
            only_if_ahead=True,
            facts={"rate": 0.3 + n / 1000, "other_rate": 0.0},
        )
        for n in range(count)
    ]


def test_many_threats_of_one_kind_are_one_line_with_their_number_and_examples() -> None:
    (line,) = threat_lines(more_failures(60), {})
    assert line.text == (
        "60 pairs of systems, such as: bad-0 fails more often than good (30% against 0% of dialogues); "
        "bad-1 fails more often than good (30% against 0% of dialogues); and 58 more."
    )
    assert len(threat_lines(more_failures(3), {})) == 3


def test_many_threats_to_single_systems_are_one_line_for_each_measure() -> None:
    few = [
        Threat(
            code=ThreatCode.FEW_CLUSTERS,
            severity=Severity.DEMOTES,
            systems=(f"s{n}",),
            measure=measure,
            facts={"clusters": n},
        )
        for measure in ("length", "turns")
        for n in range(2, 8)
    ]
    lines = [line.text for line in threat_lines(few, {"length": "Length", "turns": "Turns"})]
    assert lines == [
        "On Length and Turns: 6 cases, such as: s2 has only 2 independent clusters (people or dialogues); s3 has only 3 "
        "independent clusters (people or dialogues); and 4 more."
    ]


def test_a_failure_that_nothing_explains_is_quoted() -> None:
    lost = Threat(
        code=ThreatCode.MISSING_DIALOGUES,
        severity=Severity.BLOCKS,
        systems=("aria",),
        facts={"failed": 0, "missing": 5, "dialogues": 40, "words": ["crashed"]},
    )
    assert "(recorded: 'crashed'; if that is not a failure" in sentence(lost)
