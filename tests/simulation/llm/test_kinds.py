"""Kinds of users that a model plays, at the plug-in point."""

from pathlib import Path
from typing import Any

import pytest

from tests.simulation.made import books, film_ratings, films
from trialogue.agents.registry import OptionsError
from trialogue.errors import UnknownNameError, UsageError
from trialogue.simulation.llm.kinds import KINDS, MAKERS, SUMMARIES, LlmKind
from trialogue.simulation.llm.prompts import PROMPTS
from trialogue.simulation.users.kinds import ChecksOptions, HasPrompts, KindFamily, UserKind, kind_mistakes, load_kind
from trialogue.simulation.users.world import World

WHERE: dict[str, Any] = {"url": "http://localhost:9/v1", "model": "tiny"}


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_kind_is_found_by_its_name_and_shows_its_prompts(name: str) -> None:
    kind = load_kind(f"llm:{name}")
    assert isinstance(kind, UserKind)
    assert isinstance(kind, HasPrompts)
    assert isinstance(kind, ChecksOptions)
    assert (kind.name, kind.prompts) == (f"llm:{name}", PROMPTS[name])
    assert isinstance(KINDS, KindFamily)
    assert set(SUMMARIES) == set(MAKERS) == set(PROMPTS)


def test_unknown_kinds_are_refused_with_the_nearest_one() -> None:
    for name in ("llm:sinlge", "llm"):
        with pytest.raises(UnknownNameError, match=r"Known: .*single"):
            load_kind(name)


def test_wrong_options_are_reported_all_at_once_and_missing_ones_when_users_are_made() -> None:
    kind = load_kind("llm:single", temperature=0.5)
    assert isinstance(kind, LlmKind)
    with pytest.raises(
        OptionsError, match=r"(?s)field url: this field is required.*field model: this field is required"
    ):
        kind.settle(World(films()))
    with pytest.raises(
        OptionsError, match=r"(?s)'llm:single'.*temperature: .*a number.*no field 'modle'. Did you mean"
    ):
        load_kind("llm:single", modle="x", temperature=-1)
    wrong = kind_mistakes("llm:single", {"temprature": 1, "max_tokens": 0})
    assert sorted(str(option) for option, _ in wrong) == ["max_tokens", "temprature"]
    assert [option for option, _ in kind_mistakes("llm:single", {"temperature": 1})] == ["url", "model"]
    assert kind_mistakes("llm:single", WHERE) == []


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A folder that looks like a model's; nothing is loaded before the first message."""
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "config.json").write_text("{}")
    return tmp_path / "tiny"


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_kind_takes_a_model_in_a_folder_and_signs_its_content(name: str, weights: Path) -> None:
    kind = load_kind(f"llm:{name}", folder=str(weights), temperature=0.7)
    assert isinstance(kind, LlmKind)
    assert kind.mistakes() == []
    # printf '{}' | sha256sum
    assert kind.signature == f"{KINDS.member(name).signature}|tiny@sha256:44136fa355b3"
    users = kind.settle(World(films(), film_ratings()))
    assert users.new("1", seed=0).need is not None  # type: ignore[attr-defined]
    assert users.usage().model == "tiny"
    (weights / "config.json").write_text("{ }")
    assert not kind.signature.endswith("44136fa355b3")


def test_a_model_is_in_a_folder_or_behind_an_endpoint_and_not_both(weights: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionsError, match="There is no field 'url'"):
        load_kind("llm:single", **WHERE, folder=str(weights))
    with pytest.raises(OptionsError, match=r"(?s)folder: .*nowhere contains no language model: it does not exist"):
        load_kind("llm:single", folder=str(tmp_path / "nowhere"))


def test_a_secret_is_not_repeated() -> None:
    with pytest.raises(OptionsError, match="environment variable") as caught:
        load_kind("llm:single", api_key="sk-very-secret")
    assert "very-secret" not in str(caught.value)


def test_a_file_describes_such_users(tmp_path: Path) -> None:
    file = tmp_path / "users.yaml"
    file.write_text("users: llm:dual\nurl: http://localhost:9/v1\nmodel: tiny\npersona: a nurse\n")
    users = load_kind(file).settle(World(films(), film_ratings()))
    need = users.new("1", seed=0).need  # type: ignore[attr-defined]
    assert need.persona == "a nurse"


def test_all_kinds_meet_the_needs_of_agenda_users() -> None:
    world = World(films(), film_ratings())
    agenda, model = load_kind("cir6-pkg").settle(world), load_kind("llm:single", **WHERE).settle(world)
    for case in "12345":
        assert agenda.new(case, seed=3).need == model.new(case, seed=3).need  # type: ignore[attr-defined]


def test_they_need_no_ratings_and_any_domain_will_do() -> None:
    need = load_kind("llm:single", **WHERE, domain="books").settle(World(books())).new("1", seed=0).need  # type: ignore[attr-defined]
    assert [each.attribute for each in need.constraints] == ["subject"]
    with pytest.raises(UnknownNameError, match="attribute of the catalogue 'colour'"):
        load_kind("llm:single", **WHERE, attributes=["colour"]).settle(World(films()))


def test_users_with_a_target_and_without_one_have_needs_of_their_own() -> None:
    world = World(films(), film_ratings())
    usual, target, tastes = (
        load_kind(f"llm:{name}", **WHERE).settle(world).new("1", seed=0).need  # type: ignore[attr-defined]
        for name in ("single", "target-item", "target-free")
    )
    assert target.targets == target.acceptable == usual.targets[:1]
    assert (tastes.constraints, tastes.targets, tastes.acceptable) == ((), (), ())
    assert tastes.examples == usual.examples
    assert len({usual.id, target.id, tastes.id}) == 3


def test_worded_users_need_what_agenda_users_need() -> None:
    with pytest.raises(UsageError, match="omit 'turns'"):
        load_kind("llm:worded", **WHERE, turns=3).settle(World(films(), film_ratings()))
    with pytest.raises(UnknownNameError, match="cir7"):
        load_kind("llm:worded", **WHERE, agenda="cir7").settle(World(films(), film_ratings()))


def test_a_key_that_is_not_set_is_reported_before_the_first_request() -> None:
    kind = load_kind("llm:single", **WHERE, api_key_env="NOT_SET_ANYWHERE")
    with pytest.raises(UsageError, match="NOT_SET_ANYWHERE"):
        kind.settle(World(films()))


def test_a_prompt_of_ones_own_is_signed_and_checked() -> None:
    ours, own = load_kind("llm:single", **WHERE), load_kind("llm:single", **WHERE, prompt="Play: {need}")
    assert isinstance(ours, LlmKind)
    assert isinstance(own, LlmKind)
    assert ours.signature != own.signature
    assert own.prompts == {"utterance": "Play: {need}", "first": PROMPTS["single"]["first"]}
    with pytest.raises(OptionsError, match="no placeholder of a prompt 'nead'"):
        load_kind("llm:single", **WHERE, prompt="{nead}")
