"""Forms in which ``benchmarks/metamorphic.py`` writes one invented set: format, layout, ids, repeats, thought, feedback."""

import csv
import io
import json
import math
import random
import unicodedata
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from benchmarks.metamorphic_sets import InventedSet, Said, Talk

Row = dict[str, Any]
CHATS = (
    "openai-jsonl",
    "openai-json",
    "anthropic-jsonl",
    "sharegpt-jsonl",
    "chats-memory",
    "chats-dict",
    "chats-gz",
    "chats+table",
)
TABLES = (
    "csv",
    "tsv",
    "csv;bom",
    "utf16",
    "rows-jsonl",
    "rows-json",
    "parquet",
    "pandas",
    "polars",
    "arrow",
    "rows-memory",
    "two-tables",
)
OWN = ("records-jsonl", "records-memory")
FORMATS = CHATS + TABLES + OWN
TEXTUAL = ("csv", "tsv", "csv;bom", "utf16", "two-tables", "chats+table")

IDS = ("int", "float", "text", "padded", "uuid", "mixed")
REPEATS = ("none", "none", "some-at-end", "each-adjacent", "begun-then-whole")
MISSING = ("blank", "nan", "null", "N/A", "absent")
UNICODE = ("NFC", "NFD")
THOUGHT = ("none", "think", "field")
BINARY = (
    "0/1",
    "text-0/1",
    "true/false",
    "up/down",
    "yes/no",
    "emoji",
    "like/dislike",
    "nested",
    "True/False-text",
    "0.0/1.0",
)
GRADED = ("number", "float", "text", "4/5", "stars", "out of", "nested", "named")
SCALED = ("4/5", "stars", "out of")
"""Feedback that says how high it can be."""
NESTED_IN = ("rows-jsonl", "rows-json", "rows-memory", *(name for name in CHATS if name != "chats+table"))
PLACE = ("all", "last", "replies", "first")
NOISE = ("none", "none", "cost", "comment", "prompt")
HEADINGS = {
    "dialogue": (
        "conversation_id",
        "dialogue_id",
        "dialog_id",
        "session_id",
        "conversationId",
        "Conversation ID",
        "chat_id",
        "thread_id",
        "session",
        "conversation",
        "dialog",
        "conv_id",
    ),
    "role": ("role", "speaker", "sender", "author", "Role", "from"),
    "text": ("content", "text", "message", "utterance", "Message", "body"),
    "turn": (
        "turn",
        "turn_id",
        "turn_index",
        "position",
        "message_index",
        "utterance_index",
        "Turn",
        "turn_number",
        "seq",
        "message_number",
    ),
    "system": ("model", "system", "bot", "Model", "version", "agent", "variant", "model_name"),
    "person": (
        "user_id",
        "user",
        "participant_id",
        "worker_id",
        "userId",
        "User ID",
        "person",
        "participant",
        "customer_id",
    ),
    "rating": (
        "rating",
        "satisfaction",
        "feedback",
        "thumbs",
        "stars",
        "csat",
        "Rating",
        "userRating",
        "user_rating",
        "user_feedback",
        "thumb",
        "liked",
    ),
}
"""Usual names of columns; a form draws one of each."""
ROLES = (
    ("user", "assistant"),
    ("user", "system"),
    ("human", "bot"),
    ("User", "Assistant"),
    ("USER", "BOT"),
    ("seeker", "recommender"),
)
CHAT_RATING = ("feedback", "rating", "thumbs", "satisfaction")


@dataclass(frozen=True)
class Form:
    """One way of writing a set."""

    format: str
    ids: str = "int"
    repeats: str = "none"
    missing: str = "blank"
    unicode: str = "NFC"
    thought: str = "none"
    feedback: str = "number"
    place: str = "all"
    noise: str = "none"
    headings: int = 0
    roles: int = 0
    turns: str = "none"
    order: str = "given"

    def __str__(self) -> str:
        """What differs from the plainest form."""
        plain = Form(self.format)
        parts = [
            f"{f.name}={getattr(self, f.name)}"
            for f in fields(self)[1:]
            if getattr(self, f.name) != getattr(plain, f.name)
        ]
        named = ["=".join(pair) for pair in zip(HEADINGS, headings_of(self), strict=True)] if self.headings else []
        return " ".join([self.format, *parts, *named])


def draw_forms(invented: InventedSet, number: int) -> list[Form]:
    """Different forms of a set, each format in turn, the rest at random from the set's seed."""
    rng = random.Random(f"forms {invented.seed}")
    forms: dict[Form, None] = {}
    while len(forms) < number:
        forms[_draw(rng, FORMATS[len(forms) % len(FORMATS)], invented)] = None
    return list(forms)


def _draw(rng: random.Random, name: str, invented: InventedSet) -> Form:
    feedback = rng.choice(
        [
            form
            for form in (BINARY if invented.binary else GRADED)
            if name in NESTED_IN or form not in ("nested", "named")
        ]
    )
    own = name in OWN
    turns = rng.choice(("none", "from 0", "from 1", "float", "text")) if name in TABLES else "none"
    return Form(
        name,
        ids=rng.choice(IDS),
        repeats="none" if own else rng.choice(REPEATS),
        missing=rng.choice(MISSING),
        unicode=rng.choice(UNICODE),
        thought=rng.choice(THOUGHT) if not own else "field",
        feedback=("0/1" if invented.binary else "number") if own else feedback,
        place=rng.choice(PLACE) if name in TABLES else "all",
        noise="none" if own else rng.choice(NOISE),
        headings=0 if rng.random() < 0.3 else rng.randrange(1, 10_000),
        roles=rng.randrange(len(ROLES)),
        turns=turns,
        order=rng.choice(("given", "columns") if turns == "none" else ("given", "columns", "rows", "rows")),
    )


def write(invented: InventedSet, form: Form, folder: Path) -> tuple[Any, ...]:
    """What is given to Trialogue: paths of written files, or data in memory."""
    folder.mkdir(parents=True, exist_ok=True)
    if form.format in OWN:
        return _write_records(invented, form, folder)
    if form.format in CHATS:
        return _write_chats(invented, form, folder)
    return _write_table(invented, form, folder)


def headings_of(form: Form) -> list[str]:
    """Headings of dialogue, role, text, turn, system, person and rating; 0: the first of each."""
    rng = random.Random(form.headings)
    return [names[0] if form.headings == 0 else rng.choice(names) for names in HEADINGS.values()]


# values


def id_of(number: int, ids: str, *, again: bool = False) -> Any:
    """An id of a conversation; ``mixed`` is a number first and a float or text when it comes again."""
    match ids:
        case "float":
            return float(number)
        case "text":
            return str(number)
        case "padded":
            return f"{number:04d}"
        case "uuid":
            return str(uuid.uuid5(uuid.NAMESPACE_OID, str(number)))
        case "mixed":
            return (float(number) if number % 2 else str(number)) if again else number
        case _:
            return number


def _feedback(rating: int, form: str) -> Any:
    yes = bool(rating)
    graded: dict[str, Callable[[], Any]] = {
        "number": lambda: rating,
        "float": lambda: float(rating),
        "text": lambda: str(rating),
        "4/5": lambda: f"{rating}/5",
        "out of": lambda: f"{rating} out of 5",
        "stars": lambda: "★" * rating + "☆" * (5 - rating),
        "named": lambda: {"name": "csat", "value": rating},
        "0/1": lambda: rating,
        "0.0/1.0": lambda: float(rating),
        "text-0/1": lambda: str(rating),
        "true/false": lambda: yes,
        "True/False-text": lambda: str(yes),
        "up/down": lambda: "up" if yes else "down",
        "yes/no": lambda: "yes" if yes else "no",
        "emoji": lambda: "👍" if yes else "👎",
        "like/dislike": lambda: "like" if yes else "dislike",
        "nested": lambda: {"value": rating},
    }
    return graded[form]()


ABSENT = object()


def _rated(talk: Talk, form: Form) -> Any:
    if talk.rating is not None:
        return _feedback(talk.rating, form.feedback)
    return {"blank": "", "nan": math.nan, "null": None, "N/A": "N/A", "absent": ABSENT}[form.missing]


def _text(text: str, form: Form) -> str:
    return unicodedata.normalize("NFD" if form.unicode == "NFD" else "NFC", text)


def _spoken(said: Said, form: Form) -> str:
    text = _text(said.text, form)
    return f"<think>{said.thought}</think>\n\n{text}" if form.thought == "think" and said.thought else text


# conversations in chat formats


def _repeat(talks: Sequence[Talk], form: Form) -> list[tuple[Talk, bool]]:
    """Entries in order, with whether one comes for the second time; ``begun-then-whole`` has cut ones first."""
    several = [talk for talk in talks if talk.number % 4 == 0]
    match form.repeats:
        case "some-at-end":
            return [*((talk, False) for talk in talks), *((talk, True) for talk in several)]
        case "each-adjacent":
            return [entry for talk in talks for entry in ((talk, False), (talk, True))[: 1 + (talk in several)]]
        case "begun-then-whole":
            begun = [Talk(t.number, t.system, t.person, t.said[:2], None) for t in several if len(t.said) > 2]
            rest = [talk for talk in talks if talk.number not in {b.number for b in begun}]
            whole = [talk for talk in talks if talk.number in {b.number for b in begun}]
            return [*((talk, False) for talk in [*begun, *rest]), *((talk, True) for talk in whole)]
        case _:
            return [(talk, False) for talk in talks]


def _message(said: Said, form: Form) -> Row:
    user = said.speaker == "user"
    if form.format == "sharegpt-jsonl":
        message: Row = {"from": "human" if user else "gpt", "value": _spoken(said, form)}
    else:
        message = {"role": "user" if user else "assistant", "content": _spoken(said, form)}
    if form.format == "anthropic-jsonl":
        blocks = [{"type": "text", "text": message["content"]}]
        if form.thought == "field" and said.thought:
            blocks.insert(0, {"type": "thinking", "thinking": said.thought, "signature": "x"})
        message["content"] = blocks
    elif form.thought == "field" and said.thought:
        message["reasoning_content"] = said.thought
    return message


def _chat(talk: Talk, form: Form, *, again: bool) -> Row:
    key = "conversations" if form.format == "sharegpt-jsonl" else "messages"
    chat: Row = {"id": id_of(talk.number, form.ids, again=again), "model": talk.system}
    if talk.person is not None:
        chat["user"] = f"p{talk.person}"
    chat[key] = [_message(said, form) for said in talk.said]
    if form.noise == "prompt" and key == "messages":
        chat[key].insert(0, {"role": "system", "content": "You recommend films."})
    if form.noise == "cost":
        chat |= {
            "latency_ms": 200 + talk.number,
            "usage": {"total_tokens": 40 + talk.number},
            "created": 1_700_000_000 + talk.number,
        }
    if form.noise == "comment":
        chat["comment"] = "was ok" if talk.number % 3 else ""
    rated = _rated(talk, form)
    if rated is not ABSENT and form.format != "chats+table":
        chat[CHAT_RATING[form.headings % len(CHAT_RATING)]] = rated
    return chat


def _write_chats(invented: InventedSet, form: Form, folder: Path) -> tuple[Any, ...]:
    chats = [_chat(talk, form, again=again) for talk, again in _repeat(invented.talks, form)]
    lines = "\n".join(json.dumps(chat, ensure_ascii=False) for chat in chats) + "\n"
    match form.format:
        case "openai-json":
            return (_put(folder / "log.json", json.dumps(chats, indent=1)),)
        case "chats-memory":
            return (chats,)
        case "chats-dict":
            names = sorted({chat["model"] for chat in chats})
            return (
                {n: [{k: v for k, v in c.items() if k != "model"} for c in chats if c["model"] == n] for n in names},
            )
        case "chats-gz":
            import gzip

            (folder / "log.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
            return (folder / "log.jsonl.gz",)
        case "chats+table":
            return _put(folder / "log.jsonl", lines), _write_ratings(invented, form, folder)
        case _:
            return (_put(folder / "log.jsonl", lines),)


def _put(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


# tables


def _rows(invented: InventedSet, form: Form) -> list[Row]:
    dialogue, role, text, turn, system, person, rating = headings_of(form)
    rows = []
    for talk, again in _repeat(invented.talks, form):
        rated = _rated(talk, form)
        for at, said in enumerate(talk.said):
            row: Row = {dialogue: id_of(talk.number, form.ids, again=again), system: talk.system}
            if talk.person is not None:
                row[person] = f"p{talk.person}"
            if form.turns != "none":
                row[turn] = {"from 0": at, "from 1": at + 1, "float": float(at), "text": str(at)}[form.turns]
            row[role] = ROLES[form.roles][said.speaker == "system"]
            row[text] = _spoken(said, form)
            if form.thought == "field":
                row["reasoning_content"] = said.thought
            if form.format != "two-tables":
                here = {
                    "all": True,
                    "last": at == len(talk.said) - 1,
                    "first": at == 0,
                    "replies": said.speaker == "system",
                }[form.place]
                row[rating] = rated if here else {"nan": math.nan, "null": None, "absent": ABSENT}.get(form.missing, "")
            if form.noise == "cost":
                row |= {"latency_ms": 200 + at, "tokens": 40 + at}
            if form.noise == "comment":
                row["comment"] = "was ok" if talk.number % 3 else ""
            if form.noise == "prompt":
                row["prompt"] = "You recommend films."
            rows.append(row)
    return rows


def _arranged(rows: list[Row], form: Form, seed: int) -> list[Row]:
    rng = random.Random(f"order {seed}")
    if form.order == "rows":
        rng.shuffle(rows)
    if form.order != "given":
        columns = list(rows[0])
        rng.shuffle(columns)
        rows = [{column: row[column] for column in columns if column in row} for row in rows]
    return rows


def _write_table(invented: InventedSet, form: Form, folder: Path) -> tuple[Any, ...]:
    rows = _arranged(_rows(invented, form), form, invented.seed)
    if form.format in TEXTUAL:
        log = _delimited(rows, form, folder / ("talks" if form.format == "two-tables" else "log"))
        return (log, _write_ratings(invented, form, folder)) if form.format == "two-tables" else (log,)
    present = [{column: value for column, value in row.items() if value is not ABSENT} for row in rows]
    if form.format == "rows-jsonl":
        return (_put(folder / "log.jsonl", "\n".join(json.dumps(row, ensure_ascii=False) for row in present)),)
    if form.format == "rows-json":
        return (_put(folder / "log.json", json.dumps(present)),)
    if form.format == "rows-memory":
        return (present,)
    return (_frame([{c: None if v is ABSENT else v for c, v in row.items()} for row in rows], form, folder),)


def _frame(rows: list[Row], form: Form, folder: Path) -> Any:
    import pandas  # type: ignore[import-untyped]

    frame = pandas.DataFrame(rows)
    if form.format == "pandas":
        return frame
    for column in frame.columns:  # as somebody who gets a column of several types into Parquet
        if frame[column].map(type).nunique() > 1 and frame[column].dtype == object:
            kinds = {type(value) for value in frame[column].dropna()}
            if len(kinds - {float, int}) and len(kinds) > 1:
                frame[column] = frame[column].map(lambda v: None if v is None or v != v else str(v))
    if form.format == "parquet":
        frame.to_parquet(folder / "log.parquet")
        return folder / "log.parquet"
    import pyarrow

    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    if form.format == "arrow":
        return table
    import polars

    return polars.from_arrow(table)


def _delimited(rows: list[Row], form: Form, path: Path) -> Path:
    name, delimiter, encoding = {
        "tsv": (".tsv", "\t", "utf-8"),
        "csv;bom": (".csv", ";", "utf-8-sig"),
        "utf16": (".txt" if form.headings % 2 else ".csv", "\t", "utf-16"),
    }.get(form.format, (".csv", ",", "utf-8"))
    out = io.StringIO()
    columns = list(dict.fromkeys(column for row in rows for column in row))
    sheet = csv.DictWriter(out, columns, delimiter=delimiter, restval="")
    sheet.writeheader()
    sheet.writerows({c: _cell(v, form) for c, v in row.items()} for row in rows)
    return _put(path.with_suffix(name), out.getvalue(), encoding)


def _cell(value: Any, form: Form) -> Any:
    if value is ABSENT or value is None:
        return "null" if form.missing == "null" and value is None else ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, float) and form.format == "csv;bom":
        return str(value).replace(".", ",")
    return value


def _write_ratings(invented: InventedSet, form: Form, folder: Path) -> Path:
    dialogue, *_, rating = headings_of(form)
    rows = []
    for talk in invented.talks:
        if talk.rating is None and form.missing == "absent":
            continue
        rows.append({dialogue: id_of(talk.number, form.ids, again=True), rating: _rated(talk, form)})
    return _delimited(rows, form, folder / "ratings")


# Trialogue's own records


def _write_records(invented: InventedSet, form: Form, folder: Path) -> tuple[Any, ...]:
    from trialogue import Dialogue
    from trialogue.records import write_records

    scale = {"low": 0, "high": 1} if invented.binary else {"high": 5} if form.feedback in SCALED else {}
    records = [Dialogue.model_validate(_record(talk, form, scale=scale)) for talk in invented.talks]
    if form.format == "records-memory":
        return (records,)
    write_records(folder / "log.jsonl", records)
    return (folder / "log.jsonl",)


def _record(talk: Talk, form: Form, *, scale: dict[str, int]) -> Row:
    said = [{"speaker": s.speaker, "text": _text(s.text, form), "thought": s.thought} for s in talk.said]
    ratings = [] if talk.rating is None else [{"name": "feedback", "value": talk.rating, **scale}]
    return {
        "id": str(id_of(talk.number, form.ids)),
        "system": talk.system,
        "user": None if talk.person is None else f"p{talk.person}",
        "utterances": said,
        "ratings": ratings,
    }
