"""Dialogues as columns are the given ones, however little of them fits into memory."""

import copy
import errno
import pickle
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from trialogue.errors import UsageError
from trialogue.records import Dialogue, DialogueAct, Mention, Rating, Role, Utterance
from trialogue.records.dialogue import SlotValue
from trialogue.records.files import dialogue_store
from trialogue.records.files.dialogue_store import StoredDialogues, as_stored
from trialogue.records.files.jsonl import to_line

BLOCK = 16
BUDGETS = (0, 1, 40_000, 200_000, 10**9)
"""None in memory, or some, or all."""


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialogue_store, "BLOCK", BLOCK)


def some(count: int) -> Iterator[Dialogue]:
    yes = Utterance(speaker="system", text="Ja", mentions=(Mention(title="Film"),), meta={"model": [1, None]})
    for number in range(count):
        own = Utterance(speaker="user", text=f"Hallo {number} \N{GRINNING FACE}\udc80")
        role = Role.BASELINE if number % 3 == 0 else Role.SYSTEM
        yield Dialogue(id=str(number), utterances=(own, yes), system="ab"[number % 2], role=role)


def drawn(seed: int) -> list[Dialogue]:
    """Dialogues of any length, whose utterances recur near by, far away, within one or never."""
    rng = random.Random(seed)
    said = [Utterance(speaker=rng.choice(("user", "system")), text=f"t{number}") for number in range(300)]
    found = []
    for number in range(rng.randrange(5 * BLOCK)):
        few, length = rng.choice((said[:3], said, said[number : number + 5])), rng.randrange(7)
        own = tuple(rng.choice(few) for _ in range(length))
        found.append(Dialogue(id=str(number), utterances=own, system=rng.choice(("a", "b", None)), user="ann"))
    return found


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """What was read from the file."""
    found: list[bytes] = []
    load = pickle.loads

    def remember(content: bytes) -> object:
        found.append(content)
        return load(content)

    monkeypatch.setattr(pickle, "loads", remember)
    return found


@pytest.mark.parametrize("most", BUDGETS)
@pytest.mark.parametrize("count", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 5])
def test_what_is_read_is_what_was_stored(count: int, most: int) -> None:
    given = list(some(count))
    found = StoredDialogues(given, most=most)
    assert len(found) == count
    assert list(found) == list(found) == given
    assert found[:] == given
    assert found[1::3] == given[1::3]
    assert list(found.of_roles(Role.BASELINE)) == [each for each in given if each.role is Role.BASELINE]
    assert bool(found) is bool(count)


@pytest.mark.parametrize("most", BUDGETS)
@pytest.mark.parametrize("seed", range(8))
def test_utterances_may_recur_anywhere(seed: int, most: int) -> None:
    given = drawn(seed)
    found = StoredDialogues(given, most=most)
    assert list(found) == given
    assert [found[place] for place in reversed(range(len(given)))] == given[::-1]
    assert found.different <= sum(len(each.utterances) for each in given)
    assert {said.text for said in found.utterances} == {said.text for each in given for said in each.utterances}


def test_an_utterance_that_recurs_is_one_object_and_a_dialogue_that_is_equal_another() -> None:
    found = StoredDialogues(some(3 * BLOCK))
    first, second = found[:], found[:]
    assert len({id(each.utterances[1]) for each in first}) == 1
    assert found.different == 3 * BLOCK + 1
    assert first[0].utterances[0] is second[0].utterances[0]
    assert first[0] == second[0]


def test_single_dialogues_are_read_from_either_end() -> None:
    given = list(some(BLOCK + 3))
    found = StoredDialogues(given, most=0)
    places = (0, BLOCK - 1, BLOCK, BLOCK + 2, -1, -(BLOCK + 3))
    assert [found[place] for place in places] == [given[place] for place in places]
    for place in (BLOCK + 3, -(BLOCK + 4)):
        with pytest.raises(IndexError):
            found[place]


@pytest.mark.parametrize("most", BUDGETS)
def test_two_passes_at_once_and_additions_between_them_do_not_disturb_each_other(most: int) -> None:
    given = list(some(3 * BLOCK))
    found = StoredDialogues(given[: 2 * BLOCK], most=most)
    first = iter(found)
    assert next(first) == given[0]
    assert list(found) == given[: 2 * BLOCK]
    for each in given[2 * BLOCK :]:
        found.append(each)
    assert next(first) == given[1]
    assert list(found) == given


def test_systems_roles_and_ratings_are_known_without_a_pass() -> None:
    found = StoredDialogues(some(6), most=0)  # 0 a base, 1 b, 2 a, 3 b base, 4 a, 5 b
    assert found.roles == {
        ("a", Role.BASELINE): 1,
        ("b", Role.SYSTEM): 2,
        ("a", Role.SYSTEM): 2,
        ("b", Role.BASELINE): 1,
    }
    assert not found.are_rated
    said = Utterance(speaker="user", text="", ratings=(Rating(name="fun", value=1),))
    found.append(Dialogue(id="rated", utterances=(said,)))
    assert found.are_rated


def test_as_many_stay_in_memory_as_may_and_only_the_others_are_read_again(loads: list[bytes]) -> None:
    given = [each for number in range(20) for each in drawn(number)]
    whole = StoredDialogues(given, most=10**9)
    size = 10**9 - whole._room._left
    read = []
    for share in (0.25, 0.5, 0.75, 0.99, 1):
        found = StoredDialogues(given, most=int(share * size))
        loads.clear()
        assert list(found) == given
        read.append(len(loads))
    assert read == sorted(read, reverse=True)
    assert read[0] > 10
    assert read[-1] == 0
    assert read[-2] <= 3  # just above what fits, hardly anything is read again


def test_where_everything_fits_there_is_no_file(loads: list[bytes]) -> None:
    found = StoredDialogues(some(4 * BLOCK), most=10**9)
    list(found)
    assert found._room._file is None
    assert not loads


def test_a_pass_reads_each_block_once_although_few_fit(loads: list[bytes]) -> None:
    """Utterances that were said far back are stored again, so no block is sought for the sake of one."""
    rng = random.Random(0)
    said = [Utterance(speaker="user", text=f"{number:05} {'x' * 300}") for number in range(40 * BLOCK)]
    given = [
        Dialogue(id=str(number), utterances=(*said[number * 8 : number * 8 + 8], rng.choice(said[: number * 8 + 1])))
        for number in range(5 * BLOCK)
    ]
    found = StoredDialogues(given, most=150_000)
    loads.clear()
    assert list(found) == given
    times = Counter(loads)
    assert len(times) > 20
    assert max(times.values()) <= 2
    assert sum(times.values()) <= 1.1 * len(times)


@pytest.mark.parametrize("most", BUDGETS)
def test_changed_dialogues_are_the_changed_ones_and_the_given_ones_stay(most: int) -> None:
    def shout(one: Dialogue) -> Dialogue:
        return one.model_copy(update={"id": f"{one.id}!"})

    given = list(some(3 * BLOCK + 1))
    before = StoredDialogues(given, most=most)
    assert list(before.with_change(shout)) == [*map(shout, given)]
    assert list(before) == given


@pytest.mark.parametrize("most", BUDGETS)
@pytest.mark.parametrize("seed", range(4))
def test_utterances_are_changed_once_by_the_pass_that_comes_to_them(seed: int, most: int) -> None:
    given = drawn(seed)
    changes: list[str] = []

    def whisper(said: Utterance) -> Utterance:
        return said.model_copy(update={"text": said.text.upper()})

    def change(said: Utterance) -> Utterance:
        changes.append(said.text)
        return whisper(said)

    before = StoredDialogues(given, most=most)
    later = before.with_utterances(change)
    assert len(changes) == before.different % BLOCK
    expected = [
        each.model_copy(update={"utterances": tuple(map(whisper, each.utterances))}) for each in (*given, *given[:1])
    ]
    if given:
        assert later[0] == expected[0]
        later.append(expected[0])
        before.append(given[0])
    assert list(later) == list(later) == expected
    assert list(before) == [*given, *given[:1]]
    assert Counter(changes) == Counter(said.text for said in list(before.utterances)[: len(changes)])
    assert (later.roles, later.are_rated, len(later)) == (before.roles, before.are_rated, len(before))


def test_roles_that_no_block_holds_are_not_read(loads: list[bytes]) -> None:
    own = [each.model_copy(update={"role": Role.SYSTEM}) for each in some(8 * BLOCK)]
    found = StoredDialogues([*own, *(each.model_copy(update={"role": Role.BASELINE}) for each in own[:BLOCK])], most=0)
    loads.clear()
    assert len(list(found.of_roles(Role.BASELINE))) == BLOCK
    assert len(loads) <= 4


@pytest.mark.parametrize("most", [0, 10**9])
def test_dialogues_are_found_by_name_and_few_others_are_read(most: int, loads: list[bytes]) -> None:
    given = [*some(6 * BLOCK + 1), next(some(1))]  # the last one has the name of the first
    found = StoredDialogues(given, most=most)
    loads.clear()
    names = {(str(each.system), each.id) for each in (given[0], given[-2])} | {("a", "1")}  # 1 is of b
    assert found.names_among(sorted(names)) == sorted(names - {("a", "1")})
    assert not loads
    assert found.with_names(names) == [given[0], given[-2], given[-1]]
    assert len(loads) <= (0 if most else 6)


def test_they_are_equal_to_any_sequence_of_the_same_dialogues() -> None:
    given = list(some(2 * BLOCK + 1))
    found = StoredDialogues(given, most=0)
    assert found == given
    assert given == found
    assert found == StoredDialogues(given)
    assert found != given[1:]
    assert found != [*given[1:], given[0]]
    assert found != 3
    assert repr(found) == f"<StoredDialogues: {2 * BLOCK + 1} dialogues>"


def test_dialogues_in_a_list_stay_in_memory() -> None:
    given = list(some(3))
    found = as_stored(given)
    assert as_stored(found) is found
    assert list(found) == given
    assert found._room.take(10**12)


def test_a_container_with_little_memory_keeps_few_and_none_keeps_less_than_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(dialogue_store, "LIMITS", (str(limit), str(tmp_path / "absent")))
    unlimited = dialogue_store.memory_for_dialogues()
    limit.write_text("max\n")
    assert dialogue_store.memory_for_dialogues() == unlimited
    limit.write_text(f"{16_000_000_000}\n")
    assert dialogue_store.memory_for_dialogues() == min(unlimited, 1_000_000_000)
    limit.write_text("1000\n")
    assert dialogue_store.memory_for_dialogues() == dialogue_store.LEAST_MEMORY


def test_the_file_has_no_name_and_goes_with_the_dialogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    found = StoredDialogues(some(4 * BLOCK), most=0)
    changed = found.with_utterances(lambda said: said)
    file = found._room._file
    assert file is not None
    del found
    assert len(list(changed)) == 4 * BLOCK  # which needs the file of the given ones
    del changed
    assert file.closed
    assert not list(tmp_path.iterdir())


def annotated(name: str) -> Dialogue:
    act = DialogueAct(intent="Disclose", slots=(SlotValue(slot="genre", value="horror"),))
    said = Utterance(speaker="user", text="horror", acts=(act,), mentions=(Mention(title="Heat"),))
    return Dialogue(id=name, utterances=(said, Utterance(speaker="system", text="Heat")))


def test_a_stored_dialogue_is_written_and_compared_as_before() -> None:
    expected, found = annotated("a"), StoredDialogues([annotated("a")])[0]
    assert found == expected
    assert to_line(found) == to_line(expected)
    assert found.utterances[0].model_fields_set == expected.utterances[0].model_fields_set


def test_two_dialogues_share_the_names_of_their_fields_and_a_copy_does_not() -> None:
    first, second = StoredDialogues([annotated("a"), annotated("b")])
    sets = [[said.__pydantic_fields_set__ for said in each.utterances] for each in (first, second)]
    assert [*map(id, sets[0])] == [*map(id, sets[1])]
    copy = first.utterances[0].model_copy(update={"id": "s"})
    assert "id" in copy.model_fields_set
    assert "id" not in first.utterances[0].model_fields_set
    assert "id" not in second.utterances[0].model_fields_set


def test_a_temporary_file_that_cannot_be_made_or_written_is_a_mistake_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def nowhere(**_: object) -> object:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/gone']")

    def full(**_: object) -> object:
        return Path("/dev/full").open("wb")

    for file, why in ((nowhere, "No usable temporary directory found"), (full, "No space left on device")):
        if file is full and not Path("/dev/full").exists():
            continue
        monkeypatch.setattr(tempfile, "TemporaryFile", file)
        with pytest.raises(UsageError, match=f"{why}.*TMPDIR"):
            StoredDialogues(some(2 * BLOCK), most=0)


@pytest.mark.parametrize("most", BUDGETS)
def test_copies_and_what_was_pickled_are_the_same_dialogues_and_apart(most: int) -> None:
    given = drawn(0)
    found = StoredDialogues(given, most=most)
    for other in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert other == given
        other.append(given[0])
        assert other == [*given, given[0]]
        assert found == given


def test_what_another_process_pickled_is_found_by_its_names() -> None:
    # Hashes of texts differ between processes.
    write = (
        "import pickle, sys; from trialogue.records import Dialogue; "
        "from trialogue.records.files.dialogue_store import StoredDialogues; "
        "sys.stdout.buffer.write(pickle.dumps(StoredDialogues([Dialogue(id='1', utterances=(), system='a')])))"
    )
    written = subprocess.run([sys.executable, "-c", write], check=True, capture_output=True).stdout
    found = pickle.loads(written)
    assert [each.id for each in found.with_names({("a", "1")})] == ["1"]
    assert found.names_among([("a", "1"), ("a", "2")]) == [("a", "1")]


@pytest.mark.parametrize("most", [0, 40_000])
def test_passes_in_threads_do_not_disturb_each_other(most: int) -> None:
    given = [*some(5 * BLOCK)]
    louder = [each.model_copy(update={"utterances": tuple(map(loud, each.utterances))}) for each in given]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(5):
            found = StoredDialogues(given, most=most)
            changed = found.with_utterances(loud)
            with ThreadPoolExecutor(4) as threads:
                assert [*threads.map(list, [found, changed] * 4)] == [given, louder] * 4
    finally:
        sys.setswitchinterval(interval)


def loud(said: Utterance) -> Utterance:
    return said.model_copy(update={"text": f"{said.text}!"})
