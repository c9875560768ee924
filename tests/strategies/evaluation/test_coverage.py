"""What fits none of the thirteen."""

from pathlib import Path

import pytest

from tests.strategies.made import heard, said, talk
from trialogue.errors import UsageError
from trialogue.records import Dialogue, Preference, Response
from trialogue.strategies.evaluation.coverage import Coverage, coverage_of, groups_of_sentences
from trialogue.strategies.models import Model
from trialogue.strategies.taxonomy import habitual_examples

HUMAN = [e.text for e in habitual_examples() if e.label != "no_strategy"][::6]
STRANGE = [
    f"I apologize for {what}."
    for what in ("the confusion", "the oversight", "the mistake", "the delay", "the misunderstanding")
] * 4


def _talks(texts: list[str], system: str) -> list[Dialogue]:
    return [talk(heard("Hi"), said(text), id=f"{system}{n}", system=system) for n, text in enumerate(texts)]


@pytest.fixture(scope="module")
def found(bundled: Model) -> dict[str | None, Coverage]:
    records = [
        *_talks(HUMAN, "human"),
        *_talks([*HUMAN[::4], *STRANGE], "llm"),
        Preference(id="p", a="x", b="y", choice="a"),
    ]
    return {part.system: part for part in coverage_of(records, bundled, resamples=100)}


def test_what_people_do_fits(found: dict[str | None, Coverage]) -> None:
    human = found["human"]
    assert (human.uncovered.value or 0) < 0.1  # it was trained on these
    assert 0 < human.expected < 0.25
    assert human.responses == len(HUMAN)
    assert human.sentences >= human.responses


def test_what_they_never_do_does_not_and_is_put_together(found: dict[str | None, Coverage]) -> None:
    llm, human = found["llm"], found["human"]
    assert (llm.uncovered.value or 0) > 0.15 + (human.uncovered.value or 0)  # 20 of 89 are apologies
    assert llm.uncovered.interval is not None
    assert llm.groups[0].n >= 12
    assert any("apologize" in term for term in llm.groups[0].terms)
    assert all(example.startswith("I apologize") for example in llm.groups[0].examples)
    assert llm.groups[0].nearest != "no_strategy"


def test_what_does_not_fit_is_talk_or_unsure(found: dict[str | None, Coverage]) -> None:
    for part in found.values():
        assert (part.talk.value or 0) + (part.other.value or 0) == pytest.approx(part.uncovered_sentences.value or 0)
        assert Coverage.model_validate(part.to_json()) == part


def test_a_response_is_covered_by_one_sentence_that_fits(bundled: Model) -> None:
    responses = [
        Response(situation_id="s", system="a", utterance=said("Hello! Have you seen Coco?")),
        Response(situation_id="t", system="a", utterance=said("Hello!")),
        Response(situation_id="u", system="a", utterance=said(" ")),
    ]
    (part,) = coverage_of(responses, bundled, resamples=50)
    assert (part.responses, part.sentences) == (2, 3)
    assert part.uncovered.value == 0.5
    assert part.uncovered_sentences.value == pytest.approx(2 / 3)


def test_a_higher_threshold_leaves_more_out(bundled: Model) -> None:
    records = _talks(HUMAN, "human")
    shares = [
        coverage_of(records, bundled, threshold=limit, resamples=20)[0].uncovered_sentences.value or 0
        for limit in (0, 0.5, 0.9, 1)
    ]
    assert shares == sorted(shares)
    assert shares[-1] > 0.5


def test_a_system_without_a_name_has_none(bundled: Model) -> None:
    (part,) = coverage_of([talk(said("Hello!"))], bundled, resamples=20)
    assert part.system is None
    assert part.uncovered.interval is None  # one dialogue
    assert part.uncovered.why


def test_nothing_said_is_refused(bundled: Model) -> None:
    with pytest.raises(UsageError, match="no text by a system"):
        coverage_of([talk(heard("Hi"), said(""))], bundled)
    with pytest.raises(UsageError, match="threshold 0 to 1"):
        coverage_of([talk(said("Hi"))], bundled, threshold=2)


def test_groups_do_not_depend_on_the_order_and_lone_sentences_are_in_none() -> None:
    texts = ["I apologize for that", "I apologize for this", "Here are some films", "Here are some more films", "Zebra"]
    nearest = ["credibility"] * 4 + ["similarity"]
    groups = groups_of_sentences(texts, nearest, most=8, total=10)
    assert [(group.n, group.share) for group in groups] == [(2, 0.2), (2, 0.2)]
    assert groups == groups_of_sentences(texts[::-1], nearest[::-1], most=8, total=10)
    assert len(groups_of_sentences(texts, nearest, most=1, total=10)) == 1


def test_one_sentence_again_and_again_is_a_group() -> None:
    (group,) = groups_of_sentences(["Hm"] * 3, ["similarity"] * 3, most=8, total=3)
    assert (group.n, group.share, group.examples) == (3, 1.0, ("Hm",))
    assert groups_of_sentences([], [], most=8, total=0) == ()
    assert groups_of_sentences(["!!"], ["similarity"], most=8, total=1) == ()


@pytest.mark.mirror
@pytest.mark.slow
def test_language_models_of_crsarena_apologize(mirror: Path, bundled: Model) -> None:
    from trialogue.datasets.crsarena.dial import CORPUS

    records = [r for r in CORPUS.read(mirror / "crsarena_dial", note=lambda p: None) if isinstance(r, Dialogue)]
    found = {part.system: part for part in coverage_of(records, bundled, resamples=50)}
    assert len(found) == 9
    for name in ("chatgpt_redial", "chatgpt_opendialkg"):
        assert any("apologize" in " ".join(group.terms) for group in found[name].groups)
    for name in ("unicrs_redial", "barcor_redial"):
        assert not any("apologize" in " ".join(group.terms) for group in found[name].groups)
