"""Personal data are replaced before anything is written, and reports go without texts: every file is searched."""

import json
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import trialogue
from trialogue.cli.app import app
from trialogue.errors import MissingExtraError
from trialogue.findings.log_records import LogFindings
from trialogue.inputs.redaction import ACCOUNT, CARD, EMAIL, PHONE, Redaction
from trialogue.records import Dialogue, DialogueAct, Mention, Utterance
from trialogue.records.dialogue import SlotValue

PERSONAL = [
    "anna.schmidt@example.com",
    "o'brien+x@mail.example.co.uk",
    "+49 170 1234567",
    "+49 (0)30 123456-78",
    "(555) 123-4567",
    "020 7946 0958",
    "06 12 34 56 78",
    "+1-202-555-0143",
    "4111 1111 1111 1111",
    "5500005555555559",
    "3782-822463-10005",
    "DE89 3704 0044 0532 0130 00",
    "GB29NWBK60161331926819",
]


class Plants:
    """Words that occur nowhere else, one for each place in which a log holds texts."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._numbers = count()

    def word(self, place: str) -> str:
        """A new word."""
        self.words.append(f"zq{place}{next(self._numbers)}xw")
        return self.words[-1]

    def personal(self) -> str:
        """Personal data, each kind in turn."""
        return PERSONAL[next(self._numbers) % len(PERSONAL)]

    def text(self, place: str) -> str:
        """A text with both."""
        return f"{self.word(place)} is reached at {self.personal()}, or so."


def log(folder: Path) -> tuple[Path, Plants]:
    """A log with texts and personal data in every place that holds any."""
    plants = Plants()
    text = plants.text
    entries = []
    for number in range(64):
        arguments = {"query": text("argument"), "phone": 491701234567, plants.personal(): 1, "who": [plants.personal()]}
        result: Any = {"rows": [text("row")], "card": 4111111111111111, "email": "Anna"}
        call = {"id": "c", "function": {"name": "search", "arguments": json.dumps(arguments)}}
        fails = number % 7 == 0
        content = f"Error: {text('failure')}" if fails else json.dumps(result)
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": text("prompt")},
            {"role": "user", "content": text("user"), "name": plants.personal()},
            {"role": "assistant", "content": None, "reasoning_content": text("reason"), "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": content},
            {
                "role": "assistant",
                "content": f"<think>{text('think')}</think>{text('reply')}",
                "latency_ms": 90 + number,
            },
        ]
        schema = {"name": "search", "description": text("schema"), "parameters": {"type": "object"}}
        entry: dict[str, Any] = {
            "id": f"chat {number} {plants.personal()}",
            "model": f"v{1 + number % 2}",
            "user_id": f"user{number // 4}@example.org",
            "topic": "ab"[number % 4 > 1],
            "messages": messages,
            "comment": text("comment"),
            "metadata": {"note": text("note"), "contact": plants.personal()},
            "tools": [{"type": "function", "function": schema}],
            "feedback": "up" if number % 3 else "down",
        }
        if number % 11 == 0:
            entry["error"] = f"StrangeError: {text('error')}"
        if number == 17:
            entry["feedback"] = f"so so {text('feedback')}"
        entries.append(entry)
    file = folder / f"log of {PERSONAL[0]}.jsonl"
    file.write_text(
        "".join(json.dumps(each, ensure_ascii=number % 2 > 0) + "\n" for number, each in enumerate(entries))
    )
    return file, plants


def leaks(folder: Path, words: list[str]) -> list[tuple[str, str]]:
    """(file, word) of everything that is in any file, also in its name, as it is or as JSON or HTML have it."""
    found = []
    for path in sorted(folder.rglob("*")):
        content = str(path) if path.is_dir() else str(path) + path.read_bytes().decode("utf-8", "replace")
        forms = ((word, {word, word.replace(" ", "%20"), word.replace("'", "&#39;")}) for word in words)
        found += [(path.name, word) for word, all_forms in forms if any(each in content for each in all_forms)]
    return found


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRIALOGUE_CACHE", str(tmp_path / "run" / "cache"))
    return tmp_path / "run" / "cache"


def test_no_personal_data_are_in_any_file_of_a_redacted_run(tmp_path: Path) -> None:
    file, plants = log(tmp_path)
    personal = [*PERSONAL, "491701234567", "4111111111111111", "@example.org", "Anna"]
    trialogue.evaluate(file, resamples=200).write(tmp_path / "plain")
    assert {word for _, word in leaks(tmp_path / "plain", personal)} == set(personal)  # the search finds what is there
    trialogue.evaluate(file, resamples=200, redact=True).write(tmp_path / "run" / "out")
    assert leaks(tmp_path / "run", personal) == []
    assert leaks(tmp_path / "run", plants.words[:1]) != []  # other words stay


def test_no_text_is_in_any_file_of_a_run_without_texts(tmp_path: Path) -> None:
    file, plants = log(tmp_path)
    run = trialogue.evaluate(file, resamples=200)
    run.write(tmp_path / "plain")
    assert len({word for _, word in leaks(tmp_path / "plain", plants.words)}) > 0.7 * len(plants.words)
    bare = trialogue.evaluate(file, resamples=200, without_texts=True)
    page = bare.write(tmp_path / "run" / "out")
    assert leaks(tmp_path / "run", plants.words) == []
    assert (page.parent / "explorer.html").is_file()
    assert bare.findings.log == run.findings.log  # numbers, slices, blame and the worst dialogues are the same
    assert isinstance(bare.findings.log, LogFindings)


def test_ids_that_are_addresses_are_in_no_file_of_a_run_without_texts(tmp_path: Path) -> None:
    chats = [
        {
            "id": f"d{number}",
            "system": f"v{number % 2}",
            "user": f"anna{number // 2}@example.com",
            "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Try Heat"}],
            "rating": 1 + number % 5,
        }
        for number in range(40)
    ]
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in chats), encoding="utf-8")
    runs = {which: trialogue.evaluate(file, resamples=100, without_texts=which) for which in (True, False)}
    runs[True].write(tmp_path / "out")
    assert leaks(tmp_path / "out", ["example.com"]) == []
    assert [league.standings for league in runs[True].findings.leagues] == [
        league.standings for league in runs[False].findings.leagues
    ]


def test_redacted_ids_and_people_stay_as_many(tmp_path: Path) -> None:
    file, _ = log(tmp_path)
    plain, clean = (trialogue.evaluate(file, resamples=200, redact=each) for each in (False, True))
    assert clean.findings.people == plain.findings.people == 16
    assert clean.findings.dialogues == plain.findings.dialogues == 64
    assert clean.league("human:feedback").standings == plain.league("human:feedback").standings


def test_both_are_options_of_the_command(tmp_path: Path) -> None:
    file, plants = log(tmp_path)
    out = str(tmp_path / "run" / "out")
    done = CliRunner().invoke(
        app, ["evaluate", str(file), "--texts", "redacted", "--texts", "none", "--set", "resamples=200", "--out", out]
    )
    assert done.exit_code == 0, done.output
    assert leaks(tmp_path / "run", [*PERSONAL, *plants.words]) == []
    assert "anna.schmidt" not in done.stdout


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("mail a@b.co, c@d.org;x", f"mail {EMAIL}, {EMAIL};x"),
        ("https://x.y/?u=anna.m%40b.co&z=1", f"https://x.y/?u={EMAIL}&z=1"),
        ("a&#64;b.co a&#x40;b.co a&commat;b.co a\\u0040b.co", " ".join([EMAIL] * 4)),
        ("anna (at) b.co, anna\uff20b.co", f"{EMAIL}, {EMAIL}"),
        ("look (at) this, 50%40.5", "look (at) this, 50%40.5"),
        ("chat 3 06 12 34 56 78", f"chat 3 {PHONE}"),
        ("20 4111 1111 1111 1111 and 5500005555555559", f"20 {CARD} and {CARD}"),
        ("to DE89 3704 0044 0532 0130 00 please.", f"to {ACCOUNT} please."),
        ("Tel.: 030 12345678", f"Tel.: {PHONE}"),
        ("call me at 5551234567", f"call me at {PHONE}"),
        ("612 345 678", PHONE),
        *(
            (kept, kept)
            for kept in (
                "order 48213377 of 2026-11-27 12:30",
                "2024/11/27 10:00:00",
                "version 1.2.3.4 at 10.0.0.255",
                "1732693200000",
                "price 1,234,567.89",
                "films of 2001 1968 and 1984 1985",
                "https://x.y/z?id=123456789012",
                "DE88370400440532013000",
                "",
            )
        ),
    ],
)
def test_what_is_personal_is_replaced_and_nothing_else(text: str, clean: str) -> None:
    assert Redaction().text(text) == clean


def test_different_ids_stay_different_and_equal_ones_equal() -> None:
    redaction = Redaction()
    assert [redaction.name(each) for each in ("a@b.co", "c@d.co", "a@b.co", "u1")] == [
        f"{EMAIL} 1",
        f"{EMAIL} 2",
        f"{EMAIL} 1",
        "u1",
    ]


def test_places_in_a_text_that_changed_are_dropped_and_others_stay() -> None:
    mention, slot = Mention(title="Heat", start=4, end=8), SlotValue(slot="title", value="Heat", start=4, end=8)
    said = Utterance(
        speaker="user", text="see Heat", mentions=(mention,), acts=(DialogueAct(intent="a", slots=(slot,)),)
    )
    other = said.model_copy(update={"text": "see Heat, a@b.co"})
    kept, changed = Redaction().record(Dialogue(id="d", utterances=(said, other))).utterances
    assert kept == said
    assert changed.text == f"see Heat, {EMAIL}"
    assert changed.mentions == (Mention(title="Heat"),)
    assert changed.acts is not None
    assert changed.acts[0].slots == (SlotValue(slot="title", value="Heat"),)


def test_without_its_libraries_redaction_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "phonenumbers", None)
    file, _ = log(tmp_path)
    with pytest.raises(MissingExtraError, match=r"trialogue\[redact\]"):
        trialogue.evaluate(file, redact=True)


def test_long_texts_without_spaces_take_no_time_that_grows_with_their_square() -> None:
    start = time.process_time()
    assert (
        Redaction().text("@ " + "a." * 20_000) == "@ " + "a." * 20_000
    )  # minutes, where a sign may end any part of it
    assert time.process_time() - start < 5
