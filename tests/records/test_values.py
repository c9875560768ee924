"""Missing values carry a reason, intervals are ordered, manifests know nothing of the clock."""

import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest

from trialogue.records import (
    STRATEGIES,
    Dialogue,
    Estimate,
    Interval,
    Labeller,
    Manifest,
    Need,
    Preference,
    Score,
    StrategyLabel,
    Utterance,
    has_ground_truth,
    labeller_of,
    sha256_of,
)
from trialogue.records.files.manifest import _installed_version, versions_of


def test_an_undefined_value_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        Estimate(value=None)
    with pytest.raises(ValueError, match="needs a reason"):
        Score(measure="m", level="system", value=None)


def test_nan_is_no_value() -> None:
    with pytest.raises(ValueError, match="finite"):
        Score(measure="m", level="system", value=float("nan"))


def test_an_interval_is_ordered_and_closed() -> None:
    with pytest.raises(ValueError, match="above the upper end"):
        Interval(low=1, high=0, method="x")
    assert Interval(low=0, high=1, method="x").contains(1.0)


def test_a_difference_the_other_way_round_has_its_ends_exchanged() -> None:
    found = Estimate(value=0.25, interval=Interval(low=-0.5, high=1, method="x"), n=3, p=0.4)
    turned = found.negate()
    assert turned.interval is not None
    assert (turned.value, turned.interval.low, turned.interval.high, turned.p) == (-0.25, -1, 0.5, 0.4)
    assert turned.negate() == found
    assert Estimate(value=None, why="no data").negate().value is None


def test_a_preference_needs_two_sides() -> None:
    with pytest.raises(ValueError, match="two different sides"):
        Preference(id="1", a="x", b="x", choice="a")
    same_system = Preference(id="1", a="x", b="x", choice="a", dialogue_a="1", dialogue_b="2")
    assert same_system.dialogue_b == "2"


def test_there_are_thirteen_strategies_in_alphabetical_order() -> None:
    assert len(STRATEGIES) == 13
    assert list(STRATEGIES) == sorted(STRATEGIES)


def test_the_data_hash_depends_on_content_and_names_not_on_order() -> None:
    one = Manifest(command="x", inputs={"a": "1", "b": "2"})
    other = Manifest(command="y", inputs={"b": "2", "a": "1"})
    assert one.data_hash == other.data_hash != Manifest(command="x", inputs={"a": "1"}).data_hash


def test_sha256_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"abc")
    # FIPS 180-2, appendix B.1
    assert sha256_of(tmp_path / "x") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_versions_leave_out_what_is_not_installed() -> None:
    assert list(versions_of("numpy", "no-such-package-here")) == ["numpy"]


@pytest.fixture
def asked_anew() -> Iterator[None]:
    """Versions are not known from before, nor afterwards."""
    _installed_version.cache_clear()
    yield
    _installed_version.cache_clear()


@pytest.mark.usefixtures("asked_anew")
def test_versions_are_those_installed_whatever_is_loaded_and_ours_is_that_of_the_code_that_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("numpy.__version__", "0.0+elsewhere")
    monkeypatch.setattr("trialogue.__version__", "9.9")
    monkeypatch.setitem(sys.modules, "copied", SimpleNamespace(__version__="1.2"))
    known = versions_of("trialogue", "numpy", "copied")
    assert known == {"trialogue": "9.9", "numpy": version("numpy"), "copied": "1.2"}


@pytest.mark.usefixtures("asked_anew")
def test_a_copy_that_nobody_installed_has_its_version_as_soon_as_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert versions_of("copied-later") == {}
    monkeypatch.setitem(sys.modules, "copied-later", SimpleNamespace(__version__="1.2"))
    assert versions_of("copied-later") == {"copied-later": "1.2"}


def test_the_first_label_says_who_labelled_and_no_missing_number_does() -> None:
    person = StrategyLabel(strategy="similarity", origin="crowd", by=Labeller.PERSON)
    llm = StrategyLabel(strategy="similarity", origin="gpt-x", by=Labeller.LLM)  # LLMs write no probabilities
    unknown = StrategyLabel(strategy="similarity", origin="somebody")
    script = StrategyLabel(strategy="similarity", origin="bot", by=Labeller.SCRIPTED)
    labels = ((person, llm), (llm, person), (unknown,), (script,), (), None)
    said = [Utterance(speaker="system", text="x", strategies=each) for each in labels]
    assert [labeller_of(each) for each in said] == [Labeller.PERSON, Labeller.LLM, None, Labeller.SCRIPTED, None, None]
    assert [has_ground_truth(each) for each in said] == [True, False, False, True, False, False]
    assert [each.is_by_a_person for each in (person, llm, unknown, script)] == [True, False, False, False]


def test_dialogues_are_drawn_by_need_else_by_person_else_by_themselves() -> None:
    need = Need(id="n1", constraints=(), targets=("t",), acceptable=("t",))
    assert Dialogue(id="d", utterances=(), user="u", need=need).cluster == "need:n1"
    assert Dialogue(id="d", utterances=(), user="u").cluster == "user:u"
    assert Dialogue(id="d", utterances=()).cluster == "dialogue:d"
