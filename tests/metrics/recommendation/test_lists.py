"""Metrics of lists: values of peer libraries, edges, and intervals.

``tests/golden/lists.json`` was written by ``benchmarks/list_oracle.py`` with RecTools 0.19.0 and LensKit 2025.8.1
(Apache-2.0, MIT): they need other versions of numpy and pandas than the tests.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from trialogue.errors import UsageError
from trialogue.metrics import get_metric
from trialogue.metrics.base import Reply, Undefined
from trialogue.metrics.needs.need_ranking import RepeatedRecommendations
from trialogue.metrics.recommendation.lists import Gini, IntraListDiversity, Popularity
from trialogue.records import Dialogue, Mention, ReasonCode, Utterance
from trialogue.workflows.evaluation import evaluate

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
