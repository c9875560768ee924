"""Personas from a file, and slips of the finger."""

from pathlib import Path
from typing import Any

import pytest

from tests.simulation.llm.test_kinds import WHERE
from tests.simulation.made import film_ratings, films, rng
from trialogue.errors import DataError, UsageError
from trialogue.simulation.llm.users import persona_of, read_personas, typist
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.world import World

WORLD = World(films(), film_ratings())


def test_every_case_has_a_persona_of_the_file_whichever_agent_it_meets(tmp_path: Path) -> None:
    file = tmp_path / "personas.txt"
    file.write_text("a nurse\n\n  a retired sailor \n")
    assert read_personas(file) == ("a nurse", "a retired sailor")
    given: dict[str, Any] = {**WHERE, "personas": str(file)}
    users = load_kind("llm:single", **given).settle(WORLD)
    found = [users.new(str(case), seed=0).need.persona for case in range(20)]  # type: ignore[attr-defined]
    assert set(found) == {"a nurse", "a retired sailor"}
    assert found == [users.new(str(case), seed=0).need.persona for case in range(20)]  # type: ignore[attr-defined]
    assert persona_of((), "1", seed=0) == ""


def test_a_file_without_personas_is_refused_with_its_name(tmp_path: Path) -> None:
    file = tmp_path / "personas.txt"
    with pytest.raises(DataError, match=r"personas\.txt: cannot be read"):
        read_personas(file)
    file.write_text("\n \n")
    with pytest.raises(DataError, match="holds no persona"):
        read_personas(file)
    file.write_bytes(b"caf\xe9")
    with pytest.raises(DataError, match="not UTF-8"):
        read_personas(file)


def test_slips_spare_titles_and_come_from_the_users_random_source() -> None:
    title = next(item.title_with_year for item in films().values() if len(item.title) > 8)
    text = f"something wonderful like {title} perhaps"
    typed = typist(1.0, WORLD.linker, rng(1))
    again = typist(1.0, WORLD.linker, rng(1))
    assert typed is not None
    assert again is not None
    said = typed(text)
    assert said != text
    assert title in said
    assert again(text) == said
    assert typist(0.0, WORLD.linker, rng()) is None


def test_worded_users_make_no_slips() -> None:
    with pytest.raises(UsageError, match="do not support 'typos'"):
        load_kind("llm:worded", **WHERE, typos=0.1).settle(WORLD)


def test_traits_are_put_into_the_prompt_and_others_are_refused() -> None:
    def described(**options: Any) -> str:
        users = load_kind("llm:single", **WHERE, **options).settle(WORLD)
        return users.describe_user("", "1", seed=0)  # type: ignore[attr-defined, no-any-return]

    assert described() == ""
    both = described(traits={"patience": "low", "emotion": "high"})
    assert [line.split(":")[0] for line in both.splitlines()] == ["You show what you feel", "You are impatient"]
    for wrong in ({"courage": "high"}, {"patience": "none"}):
        with pytest.raises(UsageError, match="traits"):
            load_kind("llm:single", **WHERE, traits=wrong)
