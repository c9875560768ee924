"""Where the new version is worse: slices, pooled where they are small, corrected over all."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from trialogue.findings.log_records import Slice, SliceKind
from trialogue.findings.logs.slices import LEAST, OTHERS, Question, Rated, fields_of, pairs_of, slices_of
from trialogue.records import Dialogue, Reason, ReasonCode, Utterance
from trialogue.records.trace import ToolCall, Trace

QUESTION = Question(
    pairs=(("v1", "v2"),), is_share=True, higher_is_better=True, scale=(0.0, 1.0), seed=0, permutations=500, alpha=0.05
)


def chat(name: str, system: str, *, turns: int = 1, tools: tuple[str, ...] | None = None, **meta: Any) -> Dialogue:
    trace = None if tools is None else Trace(calls=tuple(ToolCall(name=each, has_result=True) for each in tools))
    said = (Utterance(speaker="user", text="?"), Utterance(speaker="system", text="!", trace=trace))
    return Dialogue(id=name, system=system, utterances=said * turns, meta=meta)


def rated(*parts: tuple[str, int, float, dict[str, Any]]) -> list[Rated]:
    """Dialogues of a version with a share of good ones and what else is said of them."""
    return [
        Rated.of(chat(f"{system}-{part}-{place}", system, **more), float(place < round(share * count)), 1.0)
        for part, (system, count, share, more) in enumerate(parts)
        for place in range(count)
    ]


def by_name(found: tuple[Slice, ...], kind: SliceKind = SliceKind.FIELD) -> dict[str, Slice]:
    return {each.value: each for each in found if each.by is kind}


def test_a_topic_in_which_the_new_version_is_worse_comes_first_and_is_marked() -> None:
    found = slices_of(
        rated(
            *((system, 60, 0.7, {"topic": topic}) for system in ("v1", "v2") for topic in ("films", "books")),
            ("v1", 60, 0.8, {"topic": "billing"}),
            ("v2", 60, 0.2, {"topic": "billing"}),
        ),
        QUESTION,
    )
    first = found[0]
    assert (first.field, first.value, first.is_worse, first.units) == ("topic", "billing", True, {"v1": 60, "v2": 60})
    assert first.difference.value == pytest.approx(0.2 - 0.8)
    assert first.p_adjusted == pytest.approx(min(1.0, 3 * (first.difference.p or 0)))  # of three topics
    assert not any(each.is_worse for each in found[1:])


def test_lower_is_better_where_the_measure_says_so() -> None:
    parts = rated(("v1", 60, 0.2, {"topic": "a"}), ("v2", 60, 0.8, {"topic": "a"}), ("v1", 20, 0.5, {"topic": "b"}))
    parts += rated(("v2", 20, 0.5, {"topic": "b"}))
    reverse = Question(**{**vars(QUESTION), "higher_is_better": False})
    assert not by_name(slices_of(parts, QUESTION))["a"].is_worse
    assert by_name(slices_of(parts, reverse))["a"].is_worse


def test_small_values_are_pooled_and_counted_and_lose_nobody() -> None:
    small = [(system, 2, 0.5, {"topic": f"rare {n}"}) for system in ("v1", "v2") for n in range(7)]
    large = [(system, 30, 0.5, {"topic": "films"}) for system in ("v1", "v2")]
    found = by_name(slices_of(rated(*large, *small), QUESTION))
    assert set(found) == {"films", ""}
    assert found[""].pooled == 7
    assert found[""].units == {"v1": 14, "v2": 14}
    assert found[""].difference.p is not None
    assert sum(each.units["v1"] for each in found.values()) == 44


@pytest.mark.parametrize("topics", [200, 2000])
def test_thousands_of_topics_are_one_pooled_slice_that_is_undefined(topics: int) -> None:
    parts = [(f"v{1 + n % 2}", 1, float(n % 3 > 0), {"topic": f"topic {n // 2 % topics}"}) for n in range(4000)]
    found = by_name(slices_of(rated(*parts), QUESTION))
    assert set(found) == ({""} if topics == 2000 else {f"topic {n}" for n in range(topics)})
    if topics == 2000:
        assert found[""].pooled == topics
        assert found[""].difference.why == Reason.of(ReasonCode.SLICE_TOO_SMALL, least=LEAST)


def test_a_slice_of_one_version_or_of_one_dialogue_is_undefined_with_a_reason() -> None:
    parts = rated(*((system, 30, 0.5, {"topic": "films"}) for system in ("v1", "v2")), ("v2", 1, 1.0, {"topic": "odd"}))
    odd = by_name(slices_of(parts, QUESTION))[""]
    assert (odd.pooled, odd.units, odd.p_adjusted, odd.is_worse) == (1, {"v1": 0, "v2": 1}, None, False)
    assert odd.difference.why == Reason.of(ReasonCode.SLICE_WITHOUT_VERSION, system="v1")
    assert odd.values == {"v2": 1.0}


def test_dialogues_are_sliced_by_tools_turns_and_languages_too() -> None:
    german = (
        "Ich suche einen lustigen Film für heute Abend, den meine Kinder und ich zusammen sehen können, bitte sehr. "
        "Er darf auch alt sein."
    )
    english = (
        "I am looking for a funny film for tonight that my children and I can all watch together, please. "
        "It may be an old one, too."
    )
    parts = []
    for system in ("v1", "v2"):
        parts += rated((system, 12, 0.5, {"tools": ("search", "order")}), (system, 12, 0.5, {"tools": (), "turns": 4}))
    said = [replace(each, said=(german if place % 2 else english,)) for place, each in enumerate(parts)]
    found = slices_of(said, QUESTION)
    assert set(by_name(found, SliceKind.TOOL)) == {"search", "order", "none"}
    assert set(by_name(found, SliceKind.TURNS)) == {"1", "3 to 4"}
    assert set(by_name(found, SliceKind.LANGUAGE)) == {"English", "German"}


def test_only_what_dialogues_share_is_sliced_by() -> None:
    def meta(n: int) -> dict[str, Any]:
        return {
            "topic": "ab"[n % 2], "tags": ["x", "yz"[n % 2]], "paid": n % 3 == 0, "day": n % 7, "comment": "w " * 40,
            "at": f"2026-01-01T00:00:{n}", "score": n / 7, "prompts": [{"a": 1}], "same": "x",
            "half": None if n % 2 else "v",
        }  # fmt: skip

    found = fields_of(Rated.of(chat(str(n), "v1", **meta(n)), 1.0, 1.0).fields for n in range(60))
    assert found == ["topic", "tags", "paid", "day"]


def test_a_field_that_names_the_version_gives_no_slices() -> None:
    parts = [
        (system, 20, 0.5, {"prompt": f"p-{system}", "topic": "ab"[half]}) for system in ("v1", "v2") for half in (0, 1)
    ]
    assert {each.field for each in slices_of(rated(*parts), QUESTION)} == {"topic"}


def test_no_slice_is_worse_more_often_than_alpha_where_versions_are_equal() -> None:
    rng = np.random.default_rng(5)
    called = 0
    for _ in range(60):
        found = slices_of(
            [
                Rated.of(chat(str(n), f"v{1 + n % 2}", topic=f"t{rng.integers(5)}"), float(rng.random() < 0.6), 1.0)
                for n in range(300)
            ],
            QUESTION,
        )
        called += any(each.is_worse for each in found)
    assert called <= 6  # of 60 at .025 for one side: more than 6 has p < .001


THREE = replace(QUESTION, pairs=pairs_of(["v1", "v2", "v3"]))


def test_of_three_versions_each_is_compared_with_all_others_and_p_is_corrected_over_all() -> None:
    parts = [(each, 60, 0.7, {"topic": topic}) for each in ("v1", "v2", "v3") for topic in ("films", "books")]
    parts += [("v1", 60, 0.8, {"topic": "billing"}), ("v2", 60, 0.3, {"topic": "billing"})]
    parts += [("v3", 60, 0.8, {"topic": "billing"})]
    found = slices_of(rated(*parts), THREE)
    first = found[0]
    assert (first.system, first.against, first.value, first.is_worse) == ("v2", OTHERS, "billing", True)
    assert first.units == {"v2": 60, OTHERS: 120}
    assert first.difference.value == pytest.approx(0.3 - 0.8)
    assert first.p_adjusted == pytest.approx(min(1.0, 9 * (first.difference.p or 0)))  # three versions on three topics
    assert [each.system for each in found if each.is_worse] == ["v2"]
    assert {each.system for each in found if each.value == "films"} == {"v1", "v2", "v3"}


def test_a_topic_that_one_of_three_versions_lacks_is_compared_between_the_others() -> None:
    parts = [(each, 30, 0.5, {"topic": "films"}) for each in ("v1", "v2", "v3")]
    parts += [(each, 30, 0.5, {"topic": "books"}) for each in ("v1", "v2")]
    found = slices_of(rated(*parts), THREE)
    books = {each.system: each for each in found if each.value in ("books", "")}
    assert books["v1"].units == {"v1": 30, OTHERS: 30}
    assert books["v3"].difference.why == Reason.of(ReasonCode.SLICE_WITHOUT_VERSION, system="v3")


def test_no_slice_of_three_versions_is_worse_more_often_than_alpha_where_versions_are_equal() -> None:
    rng = np.random.default_rng(11)
    called = 0
    for _ in range(60):
        logs = [
            Rated.of(chat(str(n), f"v{1 + n % 3}", topic=f"t{rng.integers(5)}"), float(rng.random() < 0.6), 1.0)
            for n in range(450)
        ]
        called += any(each.is_worse for each in slices_of(logs, THREE))
    assert called <= 6  # of 60 at .025 for one side: more than 6 has p < .001
