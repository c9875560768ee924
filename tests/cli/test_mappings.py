"""``--mapping``: every command that reads conversations takes it, and reads the same with it as converted records."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_surface import OWN
from tests.cli.words import trialogue

FIELDS = (
    "messages: log\ndialogue: key\nsystem: bot\nuser: person\nspeaker: log.by\ntext: log.say\nratings: {stars: stars}\n"
)
SAID = [
    "I am looking for a quiet film about the sea, what would you suggest?",
    "You could try The Lighthouse Keeper, which is slow and mostly wind and waves.",
    "That sounds lovely, is it suitable for my grandmother?",
    "Yes, there is nothing in it that would trouble her at all.",
]


@pytest.fixture
def talks(tmp_path: Path) -> list[str | Path]:
    """A file that only a mapping reads, and the option that gives it."""
    (tmp_path / "map.yaml").write_text(FIELDS)
    lines = [json.dumps(_talk(number, bot)) for bot in ("a", "b") for number in range(12)]
    (tmp_path / "talks.jsonl").write_text("\n".join(lines) + "\n")
    return [tmp_path / "talks.jsonl", "--mapping", tmp_path / "map.yaml"]


def _talk(number: int, bot: str) -> dict[str, Any]:
    log = [
        {"by": "bot" if place % 2 else "user", "say": text + " Really." * (number % 3)}
        for place, text in enumerate(SAID)
    ]
    return {"key": number, "bot": bot, "person": f"p{number}", "stars": 1 + (number + (bot == "b")) % 5, "log": log}


def test_every_command_that_reads_conversations_takes_a_mapping() -> None:
    reading = """evaluate|score|compare versions|compare plan|agree|judge systems|judge plan|judge probe|judge pairs|
    judge train|align|users fit|users passport|strategies label|strategies train|strategies evaluate|strategies next|
    study new|tasks|check|data convert|data shard"""
    names = {name.strip() for name in reading.split("|")}
    options = {name: {spelling for one in found for spelling in one.opts} for name, found in OWN.items()}
    assert names <= options.keys()
    assert {name for name in names if "--mapping" not in options[name]} == set()


@pytest.mark.parametrize(
    "command",
    [
        ["score", "--metric", "length", "--quiet"],
        ["study", "new", "--template", "labelling", "--out", "OUT"],
        ["users", "fit", "--method", "style", "--out", "OUT", "-d"],
        ["strategies", "label"],
        ["strategies", "label", "--coverage"],
        ["strategies", "next"],
        ["judge", "--rubric", "overall", "--model", "openai:none", "--dry-run"],
    ],
)
def test_commands_read_the_same_with_a_mapping_as_from_converted_records(
    command: list[str], talks: list[Any], tmp_path: Path
) -> None:
    converted = tmp_path / "records" / "talks.jsonl"
    converted.parent.mkdir()
    assert trialogue("data", "convert", talks[0], converted, *talks[1:]).returncode == 0
    written = []
    for side, given in enumerate((talks, [converted])):
        out = tmp_path / f"out{side}"
        extra = [out] if command == ["strategies", "label"] else []
        words = [str(out) if word == "OUT" else word for word in command]
        done = trialogue(*words, given[0], *extra, *given[1:])
        assert done.returncode == 0, done.stderr
        texts = [path.read_text("utf-8") for path in sorted(out.rglob("*")) if path.is_file()] if out.is_dir() else []
        texts += [out.read_text("utf-8")] if out.is_file() else []
        written.append((done.stdout.replace(str(out), "OUT").replace("records/", ""), texts))
    assert written[0] == written[1]


def test_versions_are_compared_with_a_mapping(talks: list[Any], tmp_path: Path) -> None:
    lines = talks[0].read_text().splitlines()
    sides = [tmp_path / "v1.jsonl", tmp_path / "v2.jsonl"]
    for place, side in enumerate(sides):
        side.write_text("\n".join(lines[12 * place : 12 * place + 12]) + "\n")
    done = trialogue("compare", *sides, "--on", "human:stars", "--set", "resamples=200", "--json", *talks[1:])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["before"] == "a"


def test_the_mapping_of_a_file_is_printed_or_written(talks: list[Any], tmp_path: Path) -> None:
    done = trialogue("check", talks[0], "--map", "-")
    assert done.returncode == 0, done.stderr
    assert "messages: log" in done.stdout
    written = trialogue("check", talks[0], "--map", tmp_path / "made.yaml")
    assert written.stdout.strip() == str(tmp_path / "made.yaml")
    assert (tmp_path / "made.yaml").read_text() == done.stdout
    missing = trialogue("check", tmp_path / "none.json", "--map", "-")
    assert missing.returncode == 2
    assert "there is no such file" in missing.stderr
