"""Training, saving and reading models; kinds by name."""

import json
import re
from pathlib import Path

import pytest

from tests.strategies.made import examples
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.fingerprints import KnownTexts, fingerprints_of, known_texts
from trialogue.records import JsonValue
from trialogue.strategies.base import CLASSES, Kind
from trialogue.strategies.bundled_model import default_model
from trialogue.strategies.card import card_lines
from trialogue.strategies.classifiers.tfidf import KIND, TfidfFit
from trialogue.strategies.learning.training import train
from trialogue.strategies.models import (
    FILE,
    Model,
    kind_of,
    kinds,
    load_model,
    put_in_place,
    recipe,
    save_model,
    temporary_sibling,
    training_fingerprints,
)
from trialogue.strategies.taxonomy import bundled_examples

TEXTS = ["Have you seen Coco?", "It stars Tom Hanks.", "Me too!"]
MINE = Kind("mine", "A kind of somebody else's.", KIND.recipe, KIND.load)
NO_KIND = "nothing of the sort"


def test_training_calibrates_and_writes_a_card(small: Model) -> None:
    card = small.card
    assert (card.model, card.origin, card.n, card.dialogues) == ("tfidf", small.raw.origin, 420, 20)
    assert card.counts == dict.fromkeys(CLASSES, 30)
    assert card.sources == ("made",)
    assert card.labels.unit == "dialogue"
    assert (card.pairs.by_cluster.auc.value or 0) > 0.7
    assert 0 < small.unsure_below < 1
    assert small.same_coefficients[0] > 0
    assert (small.probabilities(TEXTS).sum(axis=1) == pytest.approx([1, 1, 1])) is True


def test_training_is_reproducible_and_the_seed_matters(small: Model) -> None:
    assert train(examples(30)).card == small.card
    assert train(examples(30), seed=1).card.calibration != small.card.calibration


def test_the_origin_of_labels_names_the_calibration(small: Model, tmp_path: Path) -> None:
    again = train(examples(30), seed=1)
    assert again.raw.origin == small.raw.origin  # one model, calibrated on other pairs of sentences
    assert again.origin != small.origin
    assert re.fullmatch(re.escape(small.raw.origin) + r"\|cal:[0-9a-f]{6}", small.origin)
    save_model(small, tmp_path / "m")
    assert load_model(tmp_path / "m").origin == small.origin


def test_what_only_describes_a_calibration_is_not_part_of_its_signature(small: Model) -> None:
    found = small.card.calibration
    for change in ({"temperature": 2.0}, {"same": (9.0, 0.0)}, {"matching": (9.0, 0.0)}, {"matching_error": None}):
        assert found.model_copy(update=change).signature != found.signature
    assert found.model_copy(update={"kept": 0.1, "profile": None, "n": 3}).signature == found.signature


def test_a_card_reads_well(small: Model) -> None:
    text = "\n".join(card_lines(small.card))
    assert "14 classes, trained on 420 sentences of 20 dialogues (made)" in text
    assert "5 folds by dialogue" in text
    assert "labels of 14 classes: accuracy ." in text
    assert "macro-F1 ." in text
    assert "seem to fit none" in text
    assert "Intervals of implicit alignment include the calibration's own error." in text


def test_a_saved_model_says_the_same(small: Model, tmp_path: Path) -> None:
    save_model(small, tmp_path / "new" / "m")
    read = load_model(tmp_path / "new" / "m")
    assert (read.probabilities(TEXTS) == small.probabilities(TEXTS)).all()
    assert (read.card, read.same_coefficients, read.classes) == (small.card, small.same_coefficients, small.classes)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["m"]  # nothing left over
    assert {path.suffix for path in (tmp_path / "new" / "m").iterdir()} == {".json", ".npz"}


def test_a_folder_of_an_earlier_version_does_not_know_the_error_of_its_calibration(
    small: Model, tmp_path: Path
) -> None:
    save_model(small, tmp_path / "m")
    assert load_model(tmp_path / "m").matching_error == small.matching_error
    assert small.matching_error is not None  # of 20 dialogues
    stored = json.loads((tmp_path / "m" / FILE).read_text("utf-8"))
    stored["format"] = 1
    del stored["card"]["calibration"]["matching_error"]
    (tmp_path / "m" / FILE).write_text(json.dumps(stored))
    read = load_model(tmp_path / "m")
    assert read.matching_error is None
    assert "leave out the calibration's own error, which is unknown for this model" in "\n".join(card_lines(read.card))
    assert read.matching_coefficients == small.matching_coefficients


def test_a_model_knows_what_it_was_trained_on_and_an_older_folder_does_not(small: Model, tmp_path: Path) -> None:
    save_model(small, tmp_path / "m")
    read = load_model(tmp_path / "m")
    assert read.fingerprints == small.fingerprints == fingerprints_of(one.text for one in examples(30))
    assert training_fingerprints(read) == read.fingerprints
    text = (tmp_path / "m" / "fingerprints.json").read_text("utf-8")
    assert "movie" not in text
    (tmp_path / "m" / "fingerprints.json").write_text('{"texts": 3}')
    with pytest.raises(DataError, match="not hashes of training texts"):
        load_model(tmp_path / "m")
    (tmp_path / "m" / "fingerprints.json").unlink()
    assert load_model(tmp_path / "m").fingerprints is None


def test_the_bundled_model_is_known_to_know_the_bundled_sentences() -> None:
    hashes = training_fingerprints(default_model())
    assert hashes is not None
    found = known_texts(hashes, [one.text for one in bundled_examples()][:200])
    assert found.known == found.n
    assert found.long_known == found.long > 20
    assert found.is_memorised
    assert not known_texts(hashes, []).is_memorised


@pytest.mark.parametrize(
    ("found", "by_heart"),
    [
        (KnownTexts(30, 100, 4, 50), False),  # short ones recur in any talk; four long ones may
        (KnownTexts(12, 100, 10, 50), True),
        (KnownTexts(12, 100, 9, 50), False),  # under a fifth
        (KnownTexts(4, 4, 1, 1), True),  # nearly all
    ],
)
def test_what_recurs_by_chance_is_not_known_by_heart(found: KnownTexts, by_heart: bool) -> None:
    assert found.is_memorised is by_heart


def test_another_model_is_replaced_only_if_asked_to(small: Model, tmp_path: Path) -> None:
    save_model(small, tmp_path / "m")
    with pytest.raises(UsageError, match="already contains a model"):
        save_model(small, tmp_path / "m")
    other = train(examples(6), kind="majority")
    save_model(other, tmp_path / "m", replace=True)
    assert load_model(tmp_path / "m").origin == other.origin
    assert not (tmp_path / "m" / "tfidf.npz").exists()


def test_a_folder_of_something_else_is_never_touched(small: Model, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="contains files that are not a model"):
        save_model(small, tmp_path, replace=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_failure_while_saving_leaves_what_was_there(
    small: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_model(small, tmp_path / "m")

    def broken(self: object, folder: Path) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(type(small.raw), "save", broken)
    with pytest.raises(OSError, match="disk is full"):
        save_model(small, tmp_path / "m", replace=True)
    monkeypatch.undo()
    assert load_model(tmp_path / "m").origin == small.origin
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no model here"),
        ("{", "cannot be read"),
        ("[]", "not a strategy model"),
        ('{"format": 1, "card": {}}', "this field is required"),
        ('{"format": 99, "card": {}}', "format 99; this version of Trialogue reads up to 3"),
    ],
)
def test_what_is_no_model_is_refused_with_what_to_do(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / FILE).write_text(content)
    with pytest.raises(DataError, match=message):
        load_model(tmp_path)


def test_a_card_beside_another_model_is_refused(small: Model, tmp_path: Path) -> None:
    save_model(small, tmp_path / "m")
    stored = json.loads((tmp_path / "m" / FILE).read_text())
    stored["card"]["origin"] = "tfidf|v1|data:000000"
    (tmp_path / "m" / FILE).write_text(json.dumps(stored))
    with pytest.raises(DataError, match=r"the card describes tfidf\|v1\|data:000000"):
        load_model(tmp_path / "m")


def test_a_model_of_a_kind_that_is_not_installed_is_refused(small: Model, tmp_path: Path) -> None:
    save_model(small, tmp_path / "m")
    stored = json.loads((tmp_path / "m" / FILE).read_text())
    stored["card"]["model"] = "tfdif"
    (tmp_path / "m" / FILE).write_text(json.dumps(stored))
    with pytest.raises(UnknownNameError, match="no kind of model 'tfdif'"):
        load_model(tmp_path / "m")


def test_kinds_are_found_by_name_or_by_module() -> None:
    assert {"tfidf", "majority", "keywords"} <= set(kinds())
    assert kind_of("tfidf") is KIND
    assert kind_of(f"{__name__}:MINE").name == "mine"
    with pytest.raises(UnknownNameError):
        kind_of("bert")
    with pytest.raises(UsageError, match="is a str, not a Kind"):
        kind_of(f"{__name__}:NO_KIND")


def test_settings_go_to_the_recipe_and_unknown_ones_are_refused() -> None:
    assert recipe("tfidf", {"use_context": True}) == TfidfFit(use_context=True)
    with pytest.raises(
        UsageError, match=r"^the model 'tfidf' has no setting '\w+'; its settings are strength, use_context\.$"
    ):
        recipe("tfidf", {"depth": 3})
    model = train(examples(8, classes=["similarity", "credibility"]), settings={"strength": 1.0}, folds=2)
    assert model.card.settings == {"strength": 1.0}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"strength": "high"}, "strength is 3.0 by default, got 'high'"),
        ({"strength": float("nan")}, "strength is 3.0 by default, got nan"),
        ({"strength": True}, "strength is 3.0 by default, got True"),
        ({"use_context": "maybe", "strength": None}, "use_context is false by default, got 'maybe'; strength is 3.0"),
        ({"strength": -1}, "strength must be above 0, got -1"),
    ],
)
def test_settings_of_another_kind_than_their_defaults_are_refused(settings: dict[str, JsonValue], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        recipe("tfidf", settings)
    assert recipe("tfidf", {"strength": 2}) == TfidfFit(strength=2)  # a whole number is a number


def test_a_model_does_not_take_the_place_of_the_folder_that_we_are_in(
    small: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (".", str(tmp_path)):
        with pytest.raises(UsageError, match="is the current folder, which cannot be replaced"):
            save_model(small, name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["majority", "keywords"])
def test_baselines_are_trained_saved_and_read_alike(kind: str, tmp_path: Path) -> None:
    model = train(examples(6), kind=kind)
    save_model(model, tmp_path / "m")
    assert (load_model(tmp_path / "m").probabilities(TEXTS) == model.probabilities(TEXTS)).all()


def test_sentences_without_dialogues_are_split_by_their_words() -> None:
    given = [example.model_copy(update={"dialogue_id": None, "source": None}) for example in examples(6)]
    card = train(given).card
    assert (card.dialogues, card.labels.unit, card.sources) == (0, "sentence", ("unnamed",))


def test_a_model_that_cannot_be_replaced_stays(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.json").write_text("old")
    with temporary_sibling(tmp_path / "m") as room, pytest.raises(FileNotFoundError):
        put_in_place(room / "never made", tmp_path / "m", room)
    assert (tmp_path / "m" / "model.json").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
