"""Formats and corpora by name, and recognising what a file is."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from trialogue.datasets import (
    Corpus,
    Format,
    Head,
    SimpleFormat,
    corpus_names,
    format_names,
    get_corpus,
    get_format,
    read,
    recognise,
)
from trialogue.errors import DataError, UnknownNameError
from trialogue.records import Dialogue, Utterance, write_records

DATA = Path(__file__).parent.parent / "data"

SAMPLES = {
    "dialoguekit/spellings.json": "dialoguekit",
    "dialoguekit/written.json": "dialoguekit",
    "crsarena_dial": "crsarena-dial",
    "crsarena_dial/crs_arena_dial_open.json": "crsarena-dial",
    "crsarena_dial/votes_closed.csv": "crsarena-dial",
    "crsarena_eval": "crsarena-eval",
    "crsarena_eval/crs_arena_eval.json": "crsarena-eval",
    "crsarena_eval/old/crs_arena_eval.json": "crsarena-eval",
    "crsarena_eval/short_run.json": "crsarena-eval",
    "kdd2020": "kdd2020",
    "kdd2020/my_bot.json": "kdd2020",
}

REAL = {
    "crsarena_dial": "crsarena-dial",
    "crsarena_dial/crs_arena_dial_open.json": "crsarena-dial",
    "crsarena_dial/crs_arena_dial_closed.json": "crsarena-dial",
    "crsarena_dial/votes_open.csv": "crsarena-dial",
    "crsarena_dial/votes_closed.csv": "crsarena-dial",
    "crsarena_eval_sample": "crsarena-eval",
    "crsarena_eval_sample/crs_arena_eval.json": "crsarena-eval",
    "crsarena_eval_sample/face_run.json": "crsarena-eval",
    "iard/formatted_IARD_annotated_gold.json": "dialoguekit",
    "inspired/dev.tsv": "inspired",
    "inspired/test.tsv": "inspired",
    "kdd2020": "kdd2020",
    "kdd2020/1219_andchill.json": "kdd2020",
    "kdd2020/1224_ms.json": "kdd2020",
    "kdd2020/1225_mb.json": "kdd2020",
    "moviebot_dialoguekit/annotated_dialogues.json": "dialoguekit",
    "redial/valid_data.jsonl": "redial",
}
OURS = ("trialogue", "dialoguekit", "crsarena-dial", "crsarena-eval", "kdd2020")


@pytest.mark.parametrize(("path", "name"), SAMPLES.items())
def test_every_sample_is_recognised_as_one_format(path: str, name: str) -> None:
    assert recognise(DATA / path).name == name


@pytest.mark.mirror
@pytest.mark.parametrize(("path", "name"), REAL.items())
def test_every_real_file_is_recognised_as_one_format(path: str, name: str, mirror: Path) -> None:
    assert recognise(mirror / path).name == name


@pytest.mark.mirror
def test_no_file_of_another_format_is_taken_for_one_of_these(mirror: Path) -> None:
    formats = [get_format(name) for name in OURS]
    for path in sorted(mirror.rglob("*")):
        taken = [fmt.name for fmt in formats if fmt.recognises(Head(path))]
        assert taken == (
            [REAL[name]] if (name := str(path.relative_to(mirror))) in REAL and REAL[name] in OURS else []
        ) or (path.is_dir() and taken == []), path


def test_every_format_has_the_name_it_is_registered_by_and_a_sentence() -> None:
    for name in format_names():
        fmt = get_format(name)
        assert isinstance(fmt, Format)
        assert fmt.name == name
        assert fmt.summary.endswith(".")


def test_every_corpus_has_the_name_it_is_registered_by() -> None:
    for name in corpus_names():
        corpus = get_corpus(name)
        assert isinstance(corpus, Corpus)
        assert corpus.source.name == name


def test_an_unknown_name_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UnknownNameError, match=r"no format 'dialogkit'\. Did you mean 'dialoguekit'"):
        get_format("dialogkit")
    with pytest.raises(UnknownNameError, match=r"no corpus 'crsarena'\. Did you mean"):
        get_corpus("crsarena")


def test_an_empty_file_is_refused_with_a_hint(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(" \n")
    with pytest.raises(DataError, match=r"this file is empty\. Is the file complete"):
        recognise(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no such file"):
        recognise(tmp_path / "none")


@pytest.mark.parametrize("content", ["[]", "Dear diary", '["a", "b"]', '{"a": 1}', "a,b\n1,2\n", "\x00\x01"])
def test_a_file_in_no_format_is_refused_with_its_beginning_and_what_would_do(content: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(content)
    with pytest.raises(
        DataError,
        match=r"unknown format; known formats: arrow, .*; the file begins .*Name one with --format .*, or give",
    ):
        recognise(path)


def test_a_folder_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the file begins as a folder of nothing"):
        recognise(tmp_path)


def test_a_file_that_fits_two_formats_is_refused_with_both(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def any_file(head: Head) -> bool:
        return True

    def nothing(path: Path, note: object) -> Iterator[Dialogue]:
        yield from ()

    two = {name: SimpleFormat(name, "It.", any_file, nothing) for name in ("one", "two")}
    monkeypatch.setattr("trialogue.datasets.base.format_names", lambda: list(two))
    monkeypatch.setattr("trialogue.datasets.base.get_format", two.__getitem__)
    path = tmp_path / "x"
    path.write_text("x")
    with pytest.raises(DataError, match=r"the format is ambiguous: one, two\. Choose one with --format"):
        recognise(path)


def test_reading_takes_the_format_that_is_named_or_the_one_that_fits(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    dialogue = Dialogue(id="a", utterances=(Utterance(speaker="user", text="Hi"),))
    write_records(path, [dialogue])
    assert list(read(path)) == [dialogue]
    assert list(read(str(path), format_name="trialogue")) == [dialogue]
    with pytest.raises(DataError, match="a list of dialogues, got an object"):
        list(read(path, format_name="dialoguekit"))


def test_a_head_knows_lists_objects_keys_and_suffixes(tmp_path: Path) -> None:
    path = tmp_path / "x.JSON"
    path.write_text("\n" + json.dumps([{"a": 1, "b c": {"d": "e"}}]))
    head = Head(path)
    assert (head.is_json_list, head.is_json_object, head.is_folder, head.bare_suffix) == (True, False, False, ".json")
    assert head.has_keys("a", "b c", "d")
    assert not head.has_keys("a", "e")
    assert head.first_line.startswith("[{")
    assert Head(tmp_path).names == {"x.JSON"}
    assert Head(tmp_path).text == ""
