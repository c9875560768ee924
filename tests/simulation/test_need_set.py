"""Test sets: written once, the same for every later version, and refused when they do not fit."""

import json
from pathlib import Path

import pytest

from tests.simulation.made import films
from trialogue.errors import DataError, TrialogueError, UsageError
from trialogue.records import Dialogue, Need, read_records
from trialogue.simulating.simulate import simulate
from trialogue.simulation.batch.simulation_file import study_of
from trialogue.simulation.need_set import NeedCase, need_set, read_need_set, write_need_set
from trialogue.simulation.users.kinds import load_kind
from trialogue.simulation.users.world import World


def run(folder: Path, *, save: Path | None = None, **fields: object) -> list[Dialogue]:
    given = {"agents": ["echo"], "users": ["cir6-pkg"], "n": 4, "baselines": 0, "out": str(folder), **fields}
    return list(read_records(simulate(study_of(given), save_needs=save).dialogues, Dialogue))


def test_a_set_gives_the_same_dialogues_as_the_run_that_wrote_it_and_other_seeds_the_same_needs(tmp_path: Path) -> None:
    file = tmp_path / "needs.jsonl"
    first = run(tmp_path / "first", save=file)
    assert run(tmp_path / "again", needs=str(file)) == first
    other = run(tmp_path / "other", needs=str(file), seed=5)
    assert [each.need.id for each in other if each.need] == [each.need.id for each in first if each.need]
    manifest = json.loads((tmp_path / "again" / "manifest.json").read_text())
    assert manifest["config"]["needs"] == read_need_set(file).hash


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: [*lines[:2], lines[2].replace('"case":"2"', '"case":"9"'), *lines[3:]], "were changed after"),
        (lambda lines: lines[:1], "has no needs"),
        (lambda lines: [*lines[1:], lines[1]], "case 1 of cir6-pkg occurs twice"),
        (lambda lines: ['{"kind":"need_case","v":5,"case":"1"}'], "neither a need nor a scenario"),
    ],
)
def test_a_set_that_is_damaged_is_refused(change, message: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "needs.jsonl"
    run(tmp_path / "run", save=file)
    file.write_text("\n".join(change(file.read_text().splitlines())) + "\n")
    with pytest.raises(DataError, match=message):
        read_need_set(file)


def test_a_set_for_fewer_users_another_catalogue_or_other_users_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "needs.jsonl"
    run(tmp_path / "run", save=file)
    with pytest.raises(UsageError, match="has 4 of the 6 needs of cir6-pkg; use -n 4 or fewer"):
        run(tmp_path / "more", needs=str(file), n=6)
    books = tmp_path / "books.csv"
    books.write_text("title,genre\n" + "".join(f"Book {number},{number % 3}\n" for number in range(30)))
    with pytest.raises(UsageError, match="was made for another catalogue"):
        run(tmp_path / "books", needs=str(file), catalogue=str(books))
    two = need_set([NeedCase(case="1", users=name, need=Need(id=name)) for name in ("a", "b")])
    with pytest.raises(UsageError, match="has needs for a, b, but not for cir6-pkg"):
        two.of_users("cir6-pkg")


def test_a_set_written_by_hand_that_asks_for_unknown_items_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "needs.jsonl"
    write_need_set(file, need_set([NeedCase(case="1", users="cir6-pkg", need=Need(id="n", targets=("no-such-film",)))]))
    with pytest.raises(UsageError, match="asks for items that demo does not have: case 1: no-such-film"):
        run(tmp_path / "run", needs=str(file), n=1)


def test_a_sentence_is_a_need_for_a_language_model_alone(tmp_path: Path) -> None:
    file = tmp_path / "needs.jsonl"
    sentences = ["I need a birthday present for my nephew.", "Something calm for tonight."]
    write_need_set(file, need_set(NeedCase(case=str(at), scenario=text) for at, text in enumerate(sentences, start=1)))
    known = read_need_set(file).of_users("any")
    assert known["2"].user_need.scenario == sentences[1]
    assert not known["2"].user_need.acceptable
    with pytest.raises(TrialogueError, match=r"is a sentence\. Only users played by a language model"):
        run(tmp_path / "run", needs=str(file), n=2)


def test_a_sentence_reaches_the_prompt_of_a_language_model(tmp_path: Path) -> None:
    need = NeedCase(case="1", scenario="A present for my nephew, under $30.").user_need
    kind = load_kind("llm:single", url="http://127.0.0.1:9/v1", model="m")
    users = kind.settle(World(films(), None, {"1": need}))
    assert users.new("1", seed=3).need == need  # type: ignore[attr-defined]
    assert users.words(need) == "- A present for my nephew, under $30."  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="no need for the user 2"):
        users.new("2", seed=3)
