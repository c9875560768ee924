"""Dialogues of large inputs are kept in a temporary file, and are the same ones."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from trialogue.records import Dialogue, Mention, Role, Utterance
from trialogue.records.files import dialogue_store
from trialogue.records.files.dialogue_store import CHUNK, DialogueKeeper, StoredDialogues, change_later, map_dialogues


def some(count: int) -> Iterator[Dialogue]:
    for number in range(count):
        said = (
            Utterance(speaker="user", text=f"Hallo {number} \N{GRINNING FACE}\udc80"),
            Utterance(speaker="system", text="Ja", mentions=(Mention(title="Film"),), meta={"model": [number, None]}),
        )
        role = Role.BASELINE if number % 3 == 0 else Role.SYSTEM
        yield Dialogue(id=str(number), utterances=said, system="ab"[number % 2], role=role)


@pytest.mark.parametrize("count", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 5])
def test_what_is_read_is_what_was_stored(count: int) -> None:
    given = list(some(count))
    stored = StoredDialogues(given)
    assert len(stored) == count
    assert list(stored) == given
    assert stored[:] == given
    assert [each.utterances[0].text for each in stored] == [each.utterances[0].text for each in given]
    assert bool(stored) is bool(count)


def test_single_dialogues_are_read_from_either_end() -> None:
    given = list(some(CHUNK + 3))
    stored = StoredDialogues(given)
    places = (0, CHUNK - 1, CHUNK, CHUNK + 2, -1, -(CHUNK + 3))
    assert [stored[place] for place in places] == [given[place] for place in places]
    for place in (CHUNK + 3, -(CHUNK + 4)):
        with pytest.raises(IndexError):
            stored[place]


def test_two_passes_at_once_and_additions_between_them_do_not_disturb_each_other() -> None:
    given = list(some(3 * CHUNK))
    stored = StoredDialogues(given[: 2 * CHUNK])
    first = iter(stored)
    assert next(first) == given[0]
    assert list(stored) == given[: 2 * CHUNK]
    for each in given[2 * CHUNK :]:
        stored.append(each)
    assert next(first) == given[1]
    assert list(stored) == given


def test_systems_and_roles_are_counted() -> None:
    stored = StoredDialogues(some(6))  # 0 a base, 1 b, 2 a, 3 b base, 4 a, 5 b
    assert stored.roles == {
        ("a", Role.BASELINE): 1,
        ("b", Role.SYSTEM): 2,
        ("a", Role.SYSTEM): 2,
        ("b", Role.BASELINE): 1,
    }


def test_few_dialogues_stay_in_memory_and_many_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogue_store, "most_in_memory", lambda: 30)  # ten dialogues of two utterances
    keeper = DialogueKeeper()
    for each in some(10):
        keeper.add(each)
    assert isinstance(keeper.dialogues, list)
    keeper.add(next(some(1)))
    assert isinstance(keeper.dialogues, StoredDialogues)
    assert list(keeper.dialogues) == [*some(10), next(some(1))]


@pytest.mark.parametrize("most", [0, 2, 3, 4, 10, 2_000])
def test_the_first_stay_in_memory_and_every_way_to_read_gives_the_same(most: int) -> None:
    given = list(some(2 * CHUNK + 3))
    stored = StoredDialogues(given, most=most)
    assert len(stored._held) == min(most // 3, len(given))
    assert list(stored) == given
    assert [stored[place] for place in (0, 1, CHUNK, -1)] == [given[place] for place in (0, 1, CHUNK, -1)]
    assert len(stored) == len(given)
    assert list(stored.of_roles(Role.BASELINE)) == [each for each in given if each.role is Role.BASELINE]


def test_chunks_without_a_role_are_not_decoded_and_others_once(monkeypatch: pytest.MonkeyPatch) -> None:
    own = [each.model_copy(update={"role": Role.SYSTEM}) for each in some(2 * CHUNK)]
    stored = StoredDialogues([*own, *(each.model_copy(update={"role": Role.BASELINE}) for each in own)])
    decoded: list[int] = []
    decode = stored._chunk

    def count(number: int) -> list[Dialogue]:
        decoded.append(number)
        return decode(number)

    monkeypatch.setattr(stored, "_chunk", count)
    assert len(list(stored.of_roles(Role.BASELINE))) == 2 * CHUNK
    assert decoded == [2, 3]
    assert len(stored[CHUNK - 1 : 3 * CHUNK]) == 2 * CHUNK + 1
    assert decoded == [2, 3, 0, 1, 2]  # each chunk once


def test_changed_dialogues_are_stored_as_the_given_ones_are() -> None:
    def shout(one: Dialogue) -> Dialogue:
        return one.model_copy(update={"id": f"{one.id}!"})

    given = list(some(5))
    assert map_dialogues(shout, given) == [shout(each) for each in given]
    stored = map_dialogues(shout, StoredDialogues(given))
    assert isinstance(stored, StoredDialogues)
    assert list(stored) == [shout(each) for each in given]


def shouted(one: Dialogue) -> Dialogue:
    return one.model_copy(update={"outcome": {"said": f"{one.id}!"}})


@pytest.mark.parametrize("most", [0, 3 * CHUNK, 3 * (2 * CHUNK + 2)])
def test_dialogues_that_are_changed_later_are_changed_once_by_whatever_decodes_them_first(most: int) -> None:
    given = list(some(2 * CHUNK + 3))
    changes: list[str] = []

    def change(one: Dialogue) -> Dialogue:
        changes.append(one.id)
        return shouted(one)

    stored = StoredDialogues(given, most=most)
    later = change_later(change, stored)
    assert isinstance(later, StoredDialogues)
    in_memory = len(given) - CHUNK * len(stored._chunk_roles)
    assert len(changes) == in_memory  # of those in the file none
    assert (later[CHUNK], later[-1]) == (shouted(given[CHUNK]), shouted(given[-1]))
    assert list(later) == list(later) == [*map(shouted, given)]
    assert sorted(changes) == sorted(each.id for each in given)
    assert (later.roles, later.are_rated, len(later)) == (stored.roles, False, len(given))
    assert list(stored) == given
    added = next(some(1))
    later.append(added)
    assert later[-1] == added
    assert change_later(shouted, given) == [*map(shouted, given)]


@pytest.mark.parametrize("most", [0, 3 * CHUNK])
def test_dialogues_are_found_by_name_and_few_others_are_decoded(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [*some(3 * CHUNK + 1), next(some(1))]  # the last one has the name of the first
    stored = StoredDialogues(given, most=most)
    decoded: list[int] = []
    decode = stored._decode

    def count(number: int) -> list[Dialogue]:
        decoded.append(number)
        return decode(number)

    monkeypatch.setattr(stored, "_decode", count)
    names = {(given[0].system, given[0].id), (given[-2].system, given[-2].id), ("a", "1")}  # 1 is of b
    assert list(stored.with_names(names)) == [given[0], given[-2], given[-1]]
    assert decoded == ([] if most else [0])


def test_a_container_with_little_memory_keeps_few_and_none_keeps_less_than_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(dialogue_store, "LIMITS", (str(limit), str(tmp_path / "absent")))
    unlimited = dialogue_store.most_in_memory()
    limit.write_text("max\n")
    assert dialogue_store.most_in_memory() == unlimited
    limit.write_text(f"{4_000_000_000}\n")
    assert dialogue_store.most_in_memory() == min(unlimited, 500_000)
    limit.write_text("1000\n")
    assert dialogue_store.most_in_memory() == dialogue_store.FEWEST_IN_MEMORY
