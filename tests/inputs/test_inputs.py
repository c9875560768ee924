"""What a run is given is found, read together, named and checked."""

import gzip
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.records.runs.made import reseal
from tests.workflows.made import dialogue, good_and_bad, offline, written
from trialogue.errors import DataError, MissingDataError, UnknownNameError, UsageError
from trialogue.inputs import locations
from trialogue.inputs.inputs import gather
from trialogue.inputs.locations import resolve
from trialogue.records import Dialogue, Utterance
from trialogue.subjects.evaluation.commands.evaluate import evaluate


def test_files_of_several_kinds_are_read_together(tmp_path: Path) -> None:
    one = written(tmp_path / "a.jsonl", good_and_bad(4))
    other = written(tmp_path / "b.jsonl.gz", offline(3))
    material = gather([one, other])
    counts = (len(material.dialogues), len(material.preferences), len(material.situations), len(material.responses))
    assert counts == (8, 4, 3, 6)
    assert list(material.hashes) == ["a.jsonl", "b.jsonl.gz"]


def test_checksums_are_named_without_the_folder(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder / "same.jsonl", [dialogue(1, folder, satisfied=True)])
    assert list(gather([tmp_path / "x" / "same.jsonl", tmp_path / "y" / "same.jsonl"]).hashes) == [
        "same.jsonl",
        "same.jsonl'",
    ]


def test_a_system_can_be_named_on_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", [dialogue(1, "old name", satisfied=True)])
    assert gather([f"v2={path}"]).dialogues[0].system == "v2"


def test_results_are_no_conversations(tmp_path: Path) -> None:
    evaluate(written(tmp_path / "a.jsonl", good_and_bad(4)), metrics=["length"], resamples=50).write(tmp_path / "run")
    for given in (str(tmp_path / "run"), f"mine={tmp_path / 'run'}"):
        with pytest.raises(UsageError, match=r"holds the results of a run, not conversations\. .* trialogue report"):
            gather([given])


def test_a_dialogue_without_a_system_takes_the_name_of_its_file(tmp_path: Path) -> None:
    nameless = Dialogue(id="1", utterances=(Utterance(speaker="system", text="hi"),))
    assert gather([written(tmp_path / "my bot.v2.jsonl", [nameless])]).dialogues[0].system == "my bot"


def test_an_unknown_word_is_answered_with_the_corpora_there_are() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'crsarena-dial'"):
        resolve("crsarena-dail")


def test_a_path_that_leads_nowhere_is_named_with_what_lies_near_and_no_corpora(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "situations.jsonl").touch()
    with pytest.raises(UsageError) as refused:
        resolve(str(tmp_path / "sitations.jsonl"))
    there = tmp_path / "situations.jsonl"
    assert str(refused.value).endswith(f"sitations.jsonl: no such file or folder. Did you mean {there}?")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=r"^runs/nope: no such file or folder\.$"):
        resolve("v1=runs/nope")
    with pytest.raises(UsageError, match=r"no such file or folder\. Did you mean situations\.jsonl\?$"):
        resolve("situation.jsonl")
    with pytest.raises(UsageError, match="no such file"):
        resolve("a/" + "x" * 5_000)
    with pytest.raises(UsageError, match="no such file"):
        resolve("a\0/b")


def test_a_corpus_that_is_not_here_is_answered_with_the_command_that_gets_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TRIALOGUE_DATA_MIRROR", raising=False)
    monkeypatch.setenv("TRIALOGUE_DATA", str(tmp_path))
    with pytest.raises(MissingDataError, match="trialogue data get crsarena-dial"):
        resolve("crsarena-dial")


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    file = written(tmp_path / "one.jsonl", [dialogue(1, "a", satisfied=True)])
    assert len(gather([file, file]).dialogues) == 1


def test_an_id_that_occurs_twice_in_a_system_is_an_error_and_all_are_listed(tmp_path: Path) -> None:
    twice = [dialogue(i, "a", satisfied=True) for i in (1, 2, 3)]
    one, other = written(tmp_path / "one.jsonl", list(twice)), written(tmp_path / "two.jsonl", list(twice))
    with pytest.raises(DataError, match="NAME=FILE") as caught:
        gather([one, other])
    assert len(caught.value.problems) == 3
    assert len(gather([f"v1={one}", f"v2={other}"]).dialogues) == 6


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("")
    with pytest.raises(DataError, match="empty"):
        gather([tmp_path / "x.jsonl"])


def test_a_file_in_no_known_format_is_refused_with_what_it_begins_with(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_text("%PDF-1.7 whatever")
    with pytest.raises(DataError, match=r"begins '%PDF-1\.7"):
        gather([tmp_path / "x.bin"])


def test_a_folder_of_files_is_read_file_by_file(tmp_path: Path) -> None:
    written(tmp_path / "b.jsonl", [dialogue(2, "bolt", satisfied=True)])
    written(tmp_path / "a.jsonl.gz", [dialogue(1, "aria", satisfied=True)])
    (tmp_path / ".hidden.jsonl").write_text("not read", encoding="utf-8")
    (tmp_path / "report").mkdir()
    assert [each.system for each in gather([tmp_path]).dialogues] == ["aria", "bolt"]
    assert {each.system for each in gather([f"mine={tmp_path}"]).dialogues} == {"mine"}


def test_a_simulation_that_is_not_finished_is_reported_and_how_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "ledger.jsonl").write_text('{"id": "1"}\n', "utf-8")
    with pytest.raises(DataError, match=r"simulation is not finished.* to resume it"):
        gather([tmp_path])


def test_of_a_simulations_folder_only_the_dialogues_are_read(tmp_path: Path) -> None:
    written(tmp_path / "dialogues.jsonl", [dialogue(1, "aria", satisfied=True)])
    (tmp_path / "ledger.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(DataError, match="this simulation is not finished"):  # its manifest is written last
        gather([tmp_path])
    reseal(tmp_path)
    assert len(gather([tmp_path]).dialogues) == 1
    written(tmp_path / "dialogues.jsonl", [dialogue(1, "aria", satisfied=False)])
    with pytest.raises(DataError, match=r"dialogues.jsonl: this file of the run was changed"):
        gather([tmp_path])


def test_one_name_in_two_files_is_one_system_and_said(tmp_path: Path) -> None:
    files = [
        written(tmp_path / f"{name}.jsonl", [dialogue(number, "crs", satisfied=True)])
        for number, name in enumerate("ab")
    ]
    (said,) = [line for line in gather(files).warnings if "treated as one system" in line]
    assert said.startswith("crs is in ")
    assert not any("treated as one" in line for line in gather([f"v1={files[0]}", f"v2={files[1]}"]).warnings)


def test_a_folder_that_is_named_like_a_corpus_on_this_machine_does_not_hide_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "demo").mkdir()
    written(tmp_path / "demo" / "talks.jsonl", good_and_bad())
    monkeypatch.chdir(tmp_path)
    assert {dialogue.system for dialogue in gather(["demo"]).dialogues} == {"aria", "bolt", "chip"}
    assert {dialogue.system for dialogue in gather(["./demo"]).dialogues} == {"good", "bad"}


def pipe_of(folder: Path, name: str, content: bytes) -> Path:
    """A pipe that gives its bytes once."""
    pipe = folder / name
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True).start()
    return pipe


@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
@pytest.mark.parametrize("system", ["", "mine="])
def test_a_pipe_is_read_as_the_file_that_it_carries(
    tmp_path: Path, squeeze: Callable[[bytes], bytes], system: str
) -> None:
    said = [Utterance(speaker="user", text="Hi"), Utterance(speaker="system", text="Try Heat")]
    line = Dialogue(id="d1", system="a", utterances=tuple(said)).model_dump_json(exclude_defaults=True)
    content = f'{{"kind":"dialogue",{line[1:]}\n'.encode()
    pipe = pipe_of(tmp_path, "talks", squeeze(content))
    first, again = (gather([f"{system}{pipe}"]) for _ in range(2))
    assert [each.id for each in first.dialogues] == ["d1"]
    assert [each.system for each in again.dialogues] == [system[:-1] or "a"]


def test_what_is_piped_in_has_the_name_of_a_dash(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    piped = pipe_of(tmp_path, "talks", b'[{"messages": [{"role": "user", "content": "Hi"}]}]')
    monkeypatch.setattr(locations, "STDIN", str(piped))
    assert len(gather(["-"]).dialogues) == 1
