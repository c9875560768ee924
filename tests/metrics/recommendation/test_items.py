"""Items named and ranked: ratio, coverage, concentration, popularity and diversity."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.errors import UsageError
from trialogue.metrics import Conversation, DistinctTypes, Reply, Settings, Undefined, get_metric, measure
from trialogue.metrics.needs.need_ranking import RepeatedRecommendations
from trialogue.metrics.recommendation.lists import Coverage, Gini, IntraListDiversity, Popularity
from trialogue.records import Dialogue, Mention, Reason, ReasonCode, Score, Utterance
from trialogue.subjects.evaluation.commands.evaluate import evaluate


def reply(text: str, found: Sequence[str] | None = None, *, ranking: str | None = None) -> Reply:
    mentions = None if found is None else tuple(Mention(title=title) for title in found)
    ranked = None if ranking is None else tuple(ranking)
    return Reply("A", Utterance(speaker="system", text=text, mentions=mentions, ranking=ranked))


def score(name: str, *replies: Reply) -> Score:
    conversations = [Conversation("A", f"dialogue:{number}", (one,)) for number, one in enumerate(replies)]
    metric = Coverage(size=10) if name == "coverage(size=10)" else get_metric(name)
    return measure(conversations, [metric], settings=Settings(resamples=10))[0]


REPLIES = (reply("See Up or Heat", ["Up", "Heat"]), reply("Hello", []), reply("", []), reply("Try Up", ["Up"]))


def test_any_is_the_share_of_replies_that_name_an_item() -> None:
    assert score("item_ratio@any", *REPLIES).value == 0.5  # 2 of 4, the empty one among the 4


def test_count_is_items_per_reply_that_is_not_empty() -> None:
    found = score("item_ratio@count", *REPLIES)
    assert found.value == 1.0  # (2 + 0 + 1) / 3
    assert found.skipped == 1
    assert "the reply is empty" in str(found.left_out)


@pytest.mark.parametrize("variant", ["any", "count"])
def test_unsearched_text_is_undefined_and_says_what_to_run(variant: str) -> None:
    found = score(f"item_ratio@{variant}", reply("See Up"))
    assert found.value is None
    assert found.why == Reason.of(ReasonCode.ITEMS_NOT_LINKED)


@pytest.mark.parametrize("metric", ["item_ratio@any", "item_ratio@count", "coverage(size=9)@mentions"])
def test_a_blank_reply_does_not_hide_that_nobody_looked_for_items(metric: str) -> None:
    for replies in ([reply("See Up"), reply(" ")], [reply(" ")]):
        found = score(metric, *replies)
        assert found.value is None
        assert found.why is not None
    assert score("item_ratio@any", reply("", ())).value == 0.0  # items were looked for in it


def test_slots_are_counted_where_titles_are_not_filled_in_and_the_linker_is_not_advised() -> None:
    texts = [reply("You like <movie>? See <movie> too"), reply("Hi"), reply("  ")]
    found = score("item_ratio@slots", *texts)
    assert found.value == 1.0  # UniCRS, evaluate_conv.py: 2 slots over 2 replies that are not blank
    for metric in ("item_ratio@count", "item_ratio@any"):
        assert "it has the placeholder <movie> instead of titles" in str(score(metric, texts[0]).why)


def test_each_variant_says_its_unit_and_bounds() -> None:
    assert get_metric("item_ratio@any").card.high == 1
    assert get_metric("item_ratio@count").card.high is None
    assert get_metric("item_ratio@any").card.unit != get_metric("item_ratio@count").card.unit


def test_coverage_of_music_crs_is_met() -> None:
    # Music-CRS: catalogue(['a', 'b', 'a'], 10) = .2; golden/recommendation.md
    found = score("coverage(size=10)", reply("", ranking="a"), reply("", ranking="b"), reply("", ranking="a"))
    assert found.value == pytest.approx(0.2)


def coverage(variant: str, **parameters: Any) -> Coverage:
    return Coverage(variant=variant, **parameters)


def test_only_the_first_k_of_a_ranking_count() -> None:
    types = coverage("ranking", size=10, k=2).types(reply("", ranking="abc"))
    assert isinstance(types, DistinctTypes)
    assert list(types.seen) == ["a", "b"]


def test_mentions_count_by_id_or_else_by_title_without_case() -> None:
    utterance = Utterance(
        speaker="system", text="x", mentions=(Mention(title="Up", item_id="7"), Mention(title="HEAT"))
    )
    types = coverage("mentions", size=10).types(Reply("A", utterance))
    assert isinstance(types, DistinctTypes)
    assert list(types.seen) == ["7", "heat"]


@pytest.mark.parametrize(
    ("metric", "one", "reason"),
    [
        (coverage("ranking"), reply("", ranking="a"), "coverage(size=...)"),
        (coverage("ranking", size=3), reply("x"), "no ranking"),
        (coverage("mentions", size=3), reply("x"), "run the title linker"),
    ],
)
def test_coverage_says_what_is_missing(metric: Coverage, one: Reply, reason: str) -> None:
    types = metric.types(one)
    assert isinstance(types, Undefined)
    assert reason in str(types.why)


def test_coverage_names_only_what_matters() -> None:
    assert coverage("mentions", size=5, k=3).measure == "coverage(size=5)@mentions|v1"
    assert coverage("ranking", size=5, k=3).measure == "coverage(k=3,size=5)@ranking|v1"


@pytest.mark.parametrize("parameters", [{"size": 0}, {"size": 2.5}, {"size": 5, "k": 0}])
def test_coverage_refuses_impossible_parameters(parameters: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="whole number of at least 1"):
        coverage("ranking", **parameters)


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["Up", "Heat", "Ran"]), max_size=3), min_size=1, max_size=6))
def test_the_ratio_is_a_share_whatever_is_named(found: list[list[str]]) -> None:
    value = score("item_ratio@any", *(reply("text", titles) for titles in found)).value
    assert value == pytest.approx(sum(bool(titles) for titles in found) / len(found))


GOLDEN = json.loads((Path(__file__).parents[2] / "golden/lists.json").read_text())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lists")
    rows = "".join(f"{item},Film {item},{'|'.join(genres)}\n" for item, genres in enumerate(GOLDEN["genres"]))
    (folder / "films.csv").write_text("id,title,genre\n" + rows)
    (folder / "ratings.csv").write_text(
        "userId,movieId,rating,timestamp\n" + "".join(f"{user},{item},4.0,{user}\n" for user, item in GOLDEN["ratings"])
    )
    return folder


def said(items: list[Any]) -> Utterance:
    mentions = tuple(Mention(title=f"Film {item}", item_id=str(item)) for item in items)
    return Utterance(speaker="system", text="Try these.", mentions=mentions)


def dialogues() -> list[Dialogue]:
    asked = Utterance(speaker="user", text="A film, please.")
    return [
        Dialogue(id=str(place), system="a", utterances=(asked, said(items)))
        for place, items in enumerate(GOLDEN["lists"])
    ]


def test_values_are_those_of_the_peer_libraries(files: Path) -> None:
    names = {
        "coverage": f"coverage(size={GOLDEN['items']})@mentions",
        "gini": f"gini(size={GOLDEN['items']})",
        "popularity@count": f"popularity(ratings={files / 'ratings.csv'})",
        "popularity@share": f"popularity(ratings={files / 'ratings.csv'})@share",
        "intra_list_diversity": f"intra_list_diversity(items={files / 'films.csv'})",
    }
    run = evaluate(dialogues(), metrics=list(names.values()), resamples=200)
    for name, metric in names.items():
        (standing,) = run.league(get_metric(metric).measure).standings
        assert standing.estimate.value == pytest.approx(GOLDEN["values"][name], abs=1e-12), name
        assert standing.estimate.interval is not None, name


def test_gini_by_hand_and_at_its_edges() -> None:
    gini = Gini(size=4)
    # counts 0, 0, 1, 3: (2i - n - 1) = -3, -1, 1, 3 -> (1 * 1 + 3 * 3) / (4 * 4)
    assert gini.concentration(np.array([1.0, 3.0]), np.array([1.0, 1.0])) == 10 / 16
    assert gini.concentration(np.array([2.0]), np.array([4.0])) == 0
    assert gini.concentration(np.array([5.0]), np.array([1.0])) == 3 / 4  # (n - 1) / n
    assert np.isnan(gini.concentration(np.array([]), np.array([])))
    without_size = get_metric("gini").types(Reply(system="a", utterance=said([1])))  # type: ignore[union-attr]
    assert isinstance(without_size, Undefined)
    assert without_size.why.code is ReasonCode.CATALOGUE_SIZE_UNKNOWN


def test_leaving_out_a_dialogue_changes_gini_as_counting_again_does() -> None:
    some = dialogues()[:8]
    name = f"gini(size={GOLDEN['items']})"

    def value(of: list[Dialogue]) -> float:
        named = [int(each.item_id or 0) for one in of for each in one.utterances[1].mentions or ()]
        counts = np.bincount(named, minlength=GOLDEN["items"])
        ranks = 2 * np.arange(1, len(counts) + 1) - len(counts) - 1
        return float((np.sort(counts) * ranks).sum() / (len(counts) * counts.sum()))

    (standing,) = evaluate(some, metrics=[name], resamples=200).league(get_metric(name).measure).standings
    without = [value(some[:at] + some[at + 1 :]) for at in range(len(some))]
    spread = float(np.sqrt((len(some) - 1) / len(some) * ((np.array(without) - np.mean(without)) ** 2).sum()))
    interval = standing.estimate.interval
    assert interval is not None
    assert (interval.high - interval.low) / 2 == pytest.approx(2.364624 * spread, rel=1e-5)  # t of 7 degrees of freedom


def test_lists_that_are_too_short_or_unknown_have_no_value(files: Path) -> None:
    diversity = IntraListDiversity(items=str(files / "films.csv"))
    for items, is_defined in (([], False), ([1], False), ([1, 1], False), ([1, "x"], False), ([1, 2], True)):
        found = diversity.statistics(Reply(system="a", utterance=said(items)))
        assert isinstance(found, Undefined) is not is_defined
    found = Popularity(ratings=str(files / "ratings.csv")).statistics(Reply(system="a", utterance=said(["x"])))
    assert found == (0.0, 1.0)  # nobody rated it
    unlinked = Reply(system="a", utterance=Utterance(speaker="system", text="Heat"))
    assert isinstance(diversity.statistics(unlinked), Undefined)


def test_a_missing_file_or_attribute_is_told(files: Path) -> None:
    for metric in (Popularity(), IntraListDiversity()):
        found = metric.statistics(Reply(system="a", utterance=said([1, 2])))
        assert isinstance(found, Undefined)
        assert found.why.code is ReasonCode.FILE_NOT_GIVEN
    with pytest.raises(UsageError, match="They have: genre"):
        IntraListDiversity(items=str(files / "films.csv"), by="mood").statistics(
            Reply(system="a", utterance=said([1, 2]))
        )


def test_items_that_the_user_has_named_or_that_come_again_are_repeated_once_a_turn() -> None:
    def user(*items: int) -> Utterance:
        return said([*items]).model_copy(update={"speaker": "user", "text": "I have seen it."})

    talk = (user(1), said([1, 2]), user(), said([2, 3, 3]), user(), said([3]))
    texts = ("Film 1. Film 2.", "Film 2. Film 3. Film 3.", "Film 3.")
    placed: list[Utterance] = []
    for each in talk:
        if each.speaker == "system":
            text = texts[sum(one.speaker == "system" for one in placed)]
            starts = [at for at in range(len(text)) if text.startswith("Film", at)]
            mentions = tuple(
                mention.model_copy(update={"start": at, "end": at + 6})
                for mention, at in zip(each.mentions or (), starts, strict=True)
            )
            each = each.model_copy(update={"text": text, "mentions": mentions})
        placed.append(each)
    metric = RepeatedRecommendations(variant="again")
    # turn 1: 1 (named by the user), 2; turn 2: 2 again, 3; turn 3: 3 again -> 3 of 5
    assert metric.statistics(Dialogue(id="d", utterances=tuple(placed))) == (3.0, 5.0)
    assert metric.card.needs == ("unrecognised",)
