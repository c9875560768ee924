"""Broken files: 3,000 mutants of small valid inputs of every format, read in-process.

    python -m benchmarks.mutated_inputs [--mutants 3000] [--seed 0]

Required: no exception but a ``TrialogueError``; and what a mutant loses (conversations or replies, messages, ratings)
although the mutation took nothing away is named by a note that the valid input does not have.
"""

import argparse
import copy
import csv
import datetime
import decimal
import io
import json
import random
import re
import shutil
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trialogue

ROOT = Path(__file__).resolve().parent.parent
FILES = (
    "dialoguekit/written.json",
    "redial/raw.jsonl",
    "redial/ievalm.jsonl",
    "inspired/dev.tsv",
    "openai_chat/list.json",
    "crsarena_dial/crs_arena_dial_open.json",
    "crsarena_dial/votes_open.csv",
    "kdd2020/1219_andchill.json",
    "table/wide.csv",
    "table/responses.tsv",
    "crsarena_eval/crs_arena_eval.json",
    "people/sharegpt.json",
    "people/pairs_with_context.jsonl",
    "people/mturk_dialogues.csv",
    "people/mturk_replies.csv",
    "people/convokit/utterances.jsonl",
    "infact/dialogue_data.txt",
)
"""Of the test data: formats of corpora."""
STRANGE: tuple[Any, ...] = (
    0,
    -1,
    3.5,
    1e308,
    10**400,
    True,
    "",
    " ",
    "x",
    "\ud800",
    "a\x00b",
    "9" * 400,
    "1e999",
    "NaN",
    "-0",
    "٣",
    "½",
    "²",
    "+5",
    "0x10",
    "1_000",
    [],
    {},
    [[]],
    [None],
    ["x"],
    {"x": 1},
    {"": None},
    [1, "x", None],
    float("nan"),
    float("inf"),
    None,
)
"""Values put in the place of others."""
OBJECTS: tuple[Any, ...] = (
    b"x",
    {1, 2},
    object(),
    decimal.Decimal("NaN"),
    datetime.datetime(2024, 5, 1),
    1j,
    range(3),
    (1, 2),
    int,
    ...,
)
"""Values that only data in memory can have."""


@dataclass(frozen=True)
class Valid:
    """A valid input: the name of its file and its bytes, or data in memory."""

    name: str
    content: bytes = b""
    memory: Any = None


@dataclass(frozen=True)
class Mutant:
    """What was done to a valid input, and whether that took something away."""

    valid: Valid
    how: str
    content: bytes = b""
    memory: Any = None
    takes_away: bool = False


def valid_inputs() -> list[Valid]:
    """Small files of every format, and data in memory."""
    chats = [_chat(number) for number in range(1, 7)]
    rows = [row for chat in chats for row in _rows(chat)]
    pairs = [{"pred": f"Try {n}.", "label": f"See {n}!", "context": [f"hi {n}"], "dialog_id": n} for n in range(1, 7)]
    scores = [{"system": f"v{n % 2}", "unit": n, "score": n % 5} for n in range(1, 13)]
    share = [
        {"id": n, "model": "v1", "conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "Try"}]}
        for n in range(4)
    ]
    own = [_own(chat) for chat in chats]
    blocks = copy.deepcopy(chats)
    for chat in blocks:
        for message in chat["messages"]:
            message["content"] = [{"type": "text", "text": message["content"]}]
    made = [
        Valid("chats.jsonl", _lines(chats)),
        Valid("chats.json", json.dumps(chats).encode()),
        Valid("blocks.jsonl", _lines(blocks)),
        Valid("share.jsonl", _lines(share)),
        Valid("rows.jsonl", _lines(rows)),
        Valid("pairs.jsonl", _lines(pairs)),
        Valid("own.jsonl", _lines(own)),
        Valid("rows.csv", _table(rows, ",")),
        Valid("rows.tsv", _table(rows, "\t")),
        Valid("semicolon.csv", b"\xef\xbb\xbf" + _table(rows, ";")),
        Valid("utf16.txt", _table(rows, "\t").decode().encode("utf-16")),
        Valid("scores.csv", _table(scores, ",")),
        Valid("memory chats", memory=chats),
        Valid("memory rows", memory=rows),
        Valid("memory systems", memory={"A": ["Try 1.", "Try 2."], "B": ["Why?", "Who?"]}),
    ]
    folder = ROOT / "tests" / "data"
    return made + [Valid(Path(name).name, (folder / name).read_bytes()) for name in FILES]


def _chat(number: int) -> dict[str, Any]:
    said = [{"role": "user", "content": f"hi {number}"}, {"role": "assistant", "content": f"Try film {number}, “é”."}]
    return {
        "id": number,
        "model": f"v{number % 2}",
        "user": f"p{number % 3}",
        "messages": said,
        "rating": 1 + number % 5,
    }


def _rows(chat: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "conversation_id": chat["id"],
            "model": chat["model"],
            "user_id": chat["user"],
            "turn": at,
            "role": message["role"],
            "text": message["content"],
            "rating": chat["rating"],
        }
        for at, message in enumerate(chat["messages"])
    ]


def _own(chat: dict[str, Any]) -> dict[str, Any]:
    said = [{"speaker": "user" if m["role"] == "user" else "system", "text": m["content"]} for m in chat["messages"]]
    ratings = [{"name": "satisfaction", "value": chat["rating"], "low": 1, "high": 5}]
    return {
        "kind": "dialogue",
        "v": 1,
        "id": str(chat["id"]),
        "system": chat["model"],
        "user": chat["user"],
        "utterances": said,
        "ratings": ratings,
    }


def _lines(values: Sequence[Any]) -> bytes:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode()


def _table(rows: Sequence[dict[str, Any]], delimiter: str) -> bytes:
    out = io.StringIO()
    sheet = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    sheet.writeheader()
    sheet.writerows(rows)
    return out.getvalue().encode()


# mutations


def mutate(valid: Valid, rng: random.Random) -> Mutant:
    """One mutation of the bytes, lines, cells or values of an input."""
    if valid.memory is not None:
        return _mutate_memory(valid, rng)
    kinds = [_bytes, _bytes, _text_lines]
    if valid.name.endswith((".json", ".jsonl")):
        kinds += [_json_value] * 4
    else:
        kinds += [_cells] * 4
    return rng.choice(kinds)(valid, rng)


def _bytes(valid: Valid, rng: random.Random) -> Mutant:
    data, at = bytearray(valid.content), rng.randrange(len(valid.content))
    size = rng.choice((1, 1, 3, 40))
    how = rng.choice(
        ("delete", "duplicate", "swap", "truncate", "NUL", "0xff", "random", "long number", "nest", "quote", "BOM")
    )
    part = bytes(data[at : at + size])
    match how:
        case "delete":
            del data[at : at + size]
        case "duplicate":
            data[at:at] = part
        case "swap":
            data[at : at + 2] = data[at : at + 2][::-1]
        case "truncate":
            del data[at:]
        case _:
            junk = {
                "NUL": b"\0",
                "0xff": b"\xff\xfe",
                "random": rng.randbytes(size),
                "long number": b"9" * 5000,
                "nest": b"[" * 3000,
                "quote": b'"',
                "BOM": b"\xef\xbb\xbf",
            }[how]
            data[at:at] = junk
    return Mutant(valid, f"bytes {how} at {at}", bytes(data), takes_away=True)


def _text_lines(valid: Valid, rng: random.Random) -> Mutant:
    lines = valid.content.splitlines(keepends=True)
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    how = rng.choice(("delete", "duplicate", "swap", "truncate", "blank", "join"))
    match how:
        case "delete":
            del lines[one]
        case "duplicate":
            lines.insert(one, lines[one])
        case "swap":
            lines[one], lines[other] = lines[other], lines[one]
        case "truncate":
            lines[one] = lines[one][: rng.randrange(len(lines[one]))]
        case "blank":
            lines.insert(one, b"\n")
        case "join":
            lines[one] = lines[one].rstrip(b"\r\n")
    return Mutant(valid, f"lines {how} {one + 1}", b"".join(lines), takes_away=how not in ("duplicate", "blank"))


def _json_value(valid: Valid, rng: random.Random) -> Mutant:
    text = valid.content.decode("utf-8-sig")
    whole = not valid.name.endswith("l")
    values = [json.loads(text)] if whole else [json.loads(line) for line in text.splitlines() if line.strip()]
    how, takes_away = _change(values, rng, STRANGE)
    dumped = [json.dumps(value, ensure_ascii=rng.random() < 0.5) for value in values]
    return Mutant(valid, how, "\n".join(dumped).encode("utf-8", "surrogatepass"), takes_away=takes_away)


def _change(tree: list[Any], rng: random.Random, strange: Sequence[Any]) -> tuple[str, bool]:
    """Change one place of a tree of lists and dictionaries."""
    places: list[tuple[Any, Any, str]] = []

    def walk(node: Any, path: str) -> None:
        keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            places.append((node, key, f"{path}/{key}"))
            walk(node[key], f"{path}/{key}")

    walk(tree, "")
    node, key, path = rng.choice(places)
    how = rng.choice(("replace", "replace", "replace", "delete", "duplicate", "rename", "nest"))
    old = node[key]
    match how:
        case "delete":
            del node[key]
        case "duplicate" if isinstance(node, list):
            node.insert(key, copy.deepcopy(old))
        case "rename" if isinstance(node, dict):
            node[rng.choice(("", "x", "text", "id", "rating", "messages", f"{key} "))] = node.pop(key)
        case "nest":
            for _ in range(rng.choice((1, 5, 300))):
                node[key] = [node[key]] if rng.random() < 0.5 else {"x": node[key]}
        case _:
            node[key] = new = rng.choice(strange)
            return f"{path}: {str(old)[:40]!r} -> {str(new)[:40]!r} ({type(new).__name__})", new is None
    return f"{path}: {how}", how != "duplicate"


def _cells(valid: Valid, rng: random.Random) -> Mutant:
    encoding = "utf-16" if valid.name == "utf16.txt" else "utf-8-sig"
    text = valid.content.decode(encoding)
    delimiter = max("\t;,", key=text.partition("\n")[0].count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    at = rng.choice((0, *range(1, len(rows)), *range(1, len(rows))))
    column = rng.randrange(len(rows[at]))
    how, takes_away = rng.choice(("replace", "replace", "replace", "delete", "duplicate", "blank", "shuffle")), at == 0
    old = rows[at][column]
    match how:
        case "delete":
            del rows[at][column]
            takes_away = True
        case "duplicate":
            rows[at].insert(column, old)
            takes_away = True
        case "blank":
            rows[at][column] = ""
            takes_away = True
        case "shuffle":
            rng.shuffle(rows[at])
            takes_away = True
        case _:
            rows[at][column] = str(rng.choice(STRANGE[:-1]))
            takes_away = takes_away or not rows[at][column].strip() or rows[at][column].lower() == "nan"
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    what = f"cell {at + 1}/{column} {how}: {old[:30]!r}" + (
        f" -> {rows[at][column][:30]!r}" if how == "replace" else ""
    )
    return Mutant(
        valid,
        what,
        out.getvalue().encode("utf-16" if encoding == "utf-16" else "utf-8", "surrogatepass"),
        takes_away=takes_away,
    )


def _mutate_memory(valid: Valid, rng: random.Random) -> Mutant:
    data = copy.deepcopy(valid.memory)
    how, takes_away = _change(data if isinstance(data, list) else [data], rng, STRANGE + OBJECTS + OBJECTS)
    return Mutant(valid, how, memory=data, takes_away=takes_away)


# what became of them


@dataclass(frozen=True)
class Fate:
    """How a mutant was read."""

    mutant: Mutant
    kind: str
    """``read``, ``refused``, ``crashed`` or ``lost`` (something is gone that no note names)."""
    detail: str = ""


def _read(content: bytes, memory: Any, name: str, room: Path) -> tuple[Counter[str], Counter[str]]:
    """What was read, counted, and the notes without their places and numbers."""
    notes: list[str] = []
    given: Any = memory
    if memory is None:
        given = room / Path(name).stem / name
        given.parent.mkdir(exist_ok=True)
        given.write_bytes(content)
        if name == "utterances.jsonl":  # a corpus of ConvoKit is a folder
            given = given.parent
            for beside in ("speakers.json", "conversations.json"):
                shutil.copy(ROOT / "tests" / "data" / "people" / "convokit" / beside, given)
    counts: Counter[str] = Counter()
    for record in trialogue.read(given, note=lambda problem: notes.append(str(problem))):
        counts["units"] += 1
        said = getattr(record, "utterances", ())
        counts["messages"] += len(said)
        counts["ratings"] += len(getattr(record, "ratings", ())) + sum(len(one.ratings) for one in said)
    return counts, Counter(re.sub(r"\d+", "#", note) for note in notes)


def fate_of(mutant: Mutant, whole: tuple[Counter[str], Counter[str]], room: Path) -> Fate:
    """Read a mutant and compare with what was read of the valid input."""
    try:
        counts, notes = _read(mutant.content, mutant.memory, mutant.valid.name, room)
    except trialogue.TrialogueError:
        return Fate(mutant, "refused")
    except Exception:  # noqa: BLE001  what must never happen is counted
        return Fate(mutant, "crashed", traceback.format_exc())
    lost = {what: (number, counts[what]) for what, number in whole[0].items() if counts[what] < number}
    if lost and not mutant.takes_away and not notes - whole[1]:
        return Fate(mutant, "lost", f"{lost}; notes {list(notes)}")
    return Fate(mutant, "read")


def run_mutants(number: int, seed: int) -> list[Fate]:
    """Mutants of every valid input in turn."""
    rng = random.Random(seed)
    fates = []
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        inputs = valid_inputs()
        wholes: list[Any] = [_read(valid.content, valid.memory, valid.name, room) for valid in inputs]
        for at in range(number):
            which = at % len(inputs)
            start = time.process_time()
            fate = fate_of(mutate(inputs[which], rng), wholes[which], room)
            took = time.process_time() - start
            fates.append(fate if took < 5 else Fate(fate.mutant, "slow", f"{took:.1f} s"))
    return fates


def _signature(fate: Fate) -> str:
    if fate.kind != "crashed":
        return f"{fate.mutant.valid.name}: {fate.detail}"
    lines = fate.detail.strip().splitlines()
    places = [line.strip() for line in lines if line.strip().startswith("File") and "trialogue" in line]
    return re.sub(r".*src/", "", places[-1]) + " " + lines[-1][:120] if places else lines[-1][:160]


def main(argv: Sequence[str] | None = None) -> int:
    """Run, print, and return 1 if a mutant crashed or lost something unnamed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")
    start = time.process_time()
    fates = run_mutants(options.mutants, options.seed)
    print(Counter(fate.kind for fate in fates))
    bad: dict[str, list[Fate]] = {}
    for fate in fates:
        if fate.kind not in ("read", "refused"):
            bad.setdefault(f"{fate.kind.upper()} {_signature(fate)}", []).append(fate)
    for cause, members in sorted(bad.items(), key=lambda group: -len(group[1])):
        print(f"\n{len(members)} x {cause}")
        for fate in members[:4]:
            print(f"    {fate.mutant.valid.name}: {fate.mutant.how}")
    print(f"\n{len(fates)} mutants of {len(valid_inputs())} inputs in {time.process_time() - start:.0f} CPU s")
    return int(bool(bad))


if __name__ == "__main__":
    raise SystemExit(main())
