"""Small logs where the right answer is known: records that must be read so, or a difference that must be named.

    python -m benchmarks.metamorphic_traps

A trap is passed by an error, by a note or warning that matches ``named``, or by the records it expects. What is refused
though it could be read is passed too: the trap is only about silence, and about sentences that are false.
"""

import json
import re
import tempfile
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import trialogue

Given = list[Any]
NEVER = r"(?!)"


@dataclass(frozen=True)
class Trap:
    """A log: files by name, or data in memory."""

    name: str
    given: Given
    named: str = NEVER
    """Regular expression of a note, warning or error that names what differs; errors pass without, unless ``wrong``."""
    expected: tuple[tuple[Any, ...], ...] | None = None
    """(system, user, texts, ratings) of the conversations, in any order."""
    false: str = NEVER
    """A sentence that must not be said."""


def chats(number: int = 24, **extra: Any) -> list[dict[str, Any]]:
    """Conversations of v1 (even) and v2 (odd); extra fields are values or functions of the number."""
    made = []
    for at in range(1, number + 1):
        said = [{"role": "user", "content": f"q{at}"}, {"role": "assistant", "content": f"Try {at}"}]
        fields = {key: value(at) if callable(value) else value for key, value in extra.items()}
        made.append({"id": at, "model": f"v{1 + at % 2}", "messages": said} | fields)
    return made


def table(head: str, row: Callable[[int], str], number: int = 24) -> str:
    """A CSV file: heading, and rows of each number."""
    return "\n".join([head, *(row(at) for at in range(1, number + 1))]) + "\n"


def pair(at: int, rating: Any, *, extra: str = "") -> str:
    """Two rows: a user's message and the reply; system v1 or v2."""
    return f"{at},v{1 + at % 2},user,q{at},{rating}{extra}\n{at},v{1 + at % 2},assistant,Try {at},{rating}{extra}"


def lines(values: Any) -> str:
    """JSON Lines."""
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def five(at: int) -> int:
    """A rating from 1 to 5."""
    return 1 + at % 5


def said(number: int, rating: Callable[[int], Any]) -> tuple[tuple[Any, ...], ...]:
    """What ``chats`` or ``pair`` of these ratings must be read as."""
    return tuple(
        (f"v{1 + at % 2}", None, (f"q{at}", f"Try {at}"), () if rating(at) is None else (float(rating(at)),))
        for at in range(1, number + 1)
    )


HEAD = "conversation_id,model,role,text,rating"
WORDS = ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied")
DENIAL = "contain no human judgement"
UNREAD = r"values? (is|are) feedback in an unknown form|no known form"


def _index_column() -> str:
    rows = table(HEAD, lambda at: pair(at, five(at))).splitlines()
    return "".join(f"{'' if at == 0 else at - 1},{row}\n" for at, row in enumerate(rows))


def _shuffled(heading: str, value: Callable[[int], str], order: tuple[int, ...] = (2, 0, 3, 1)) -> str:
    rows = [f"{at},v1,{('user', 'assistant')[t % 2]},t{t},{value(t)}" for at in range(1, 4) for t in order]
    return "\n".join([f"conversation_id,model,role,text,{heading}", *rows])


IN_ORDER = tuple(("v1", None, ("t0", "t1", "t2", "t3"), ()) for _ in range(3))
OUT_OF_ORDER = r"order of|out of order|may number|tell the order"


def _think(text: str) -> Given:
    return [
        [
            {
                "id": 1,
                "model": "v",
                "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": text}],
            }
        ]
    ]


def _reply(text: str) -> tuple[tuple[Any, ...], ...]:
    return (("v", None, ("q", text), ()),)


def traps() -> list[Trap]:
    """Every trap."""
    twice = [
        *chats(3),
        {
            "id": 1,
            "model": "v2",
            "messages": [{"role": "user", "content": "zz"}, {"role": "assistant", "content": "yy"}],
        },
    ]
    long_ids = table(HEAD, lambda at: f"1.2{at}E+17,v1,user,q,3\n1.2{at}E+17,v1,assistant,a,3")
    rated_later = (
        "1,v1,user,hi,\n1,v1,assistant,A,\n1,v1,user,hi,4\n1,v1,assistant,A,4\n2,v1,user,x,3\n2,v1,assistant,y,3\n"
    )
    mixed = [
        {
            "conversation_id": 1.0 if again else 1,
            "model": "v1",
            "role": role,
            "text": text,
            "rating": 4 if role == "assistant" else None,
        }
        for again in (False, True)
        for role, text in (("user", "hi"), ("assistant", "A"))
    ]
    return [
        Trap(
            "two conversations under one id, chats", [("a.jsonl", lines(twice))], r"same id|share an id|already the id"
        ),
        Trap("ids that a spreadsheet rounded", [("a.csv", long_ids)], "lost digits"),
        Trap(
            "-1 among 1 to 5",
            [("a.jsonl", lines(chats(rating=lambda at: -1 if at % 3 == 0 else five(at))))],
            "missing value",
        ),
        Trap(
            "99 among 1 to 5",
            [("a.csv", table(HEAD, lambda at: pair(at, 99 if at % 3 == 0 else five(at))))],
            "missing value",
        ),
        Trap(
            "-1, 0 and 1 under thumbs",
            [("a.jsonl", lines(chats(thumbs=lambda at: at % 3 - 1)))],
            "missing value|scale of thumbs runs",
        ),
        Trap(
            "4/5 beside 8/10",
            [("a.jsonl", lines(chats(rating=lambda at: f"{five(at)}/{5 if at % 2 else 10}")))],
            "share no scale",
        ),
        Trap(
            "up beside 4", [("a.jsonl", lines(chats(rating=lambda at: "up" if at % 2 else five(at))))], "share no scale"
        ),
        Trap(
            "v1 rated 0 or 1, v2 rated 1 to 5",
            [("a.jsonl", lines(chats(rating=lambda at: at // 2 % 2 if at % 2 else five(at))))],
            "scales? differ|different scales|share no scale",
        ),
        Trap(
            "v1 rated 1 to 5, v2 rated 1 to 10",
            [("a.jsonl", lines(chats(rating=lambda at: five(at) if at % 2 else 1 + at % 10)))],
            "scales? differ|different scales|share no scale",
        ),
        Trap(
            "half of the ratings unreadable, table",
            [("a.csv", table(HEAD, lambda at: pair(at, "meh" if at % 2 else five(at))))],
            UNREAD,
        ),
        Trap(
            "half of the ratings unreadable, chats",
            [("a.jsonl", lines(chats(rating=lambda at: "meh" if at % 2 else five(at))))],
            UNREAD,
        ),
        Trap("five words of satisfaction, chats", [("a.jsonl", lines(chats(rating=lambda at: WORDS[at % 5])))], UNREAD),
        Trap(
            "positive, neutral, negative",
            [("a.jsonl", lines(chats(feedback=lambda at: ("positive", "neutral", "negative")[at % 3])))],
            UNREAD,
        ),
        Trap(
            "five words of satisfaction, table",
            [("a.csv", table(HEAD, lambda at: pair(at, WORDS[at % 5])))],
            "may hold",
            false=DENIAL,
        ),
        Trap(
            "4/5 that a spreadsheet made a date",
            [("a.csv", table(HEAD, lambda at: pair(at, f"0{five(at)}-May")))],
            "may hold",
            false=DENIAL,
        ),
        Trap(
            "judgement nested in a field",
            [("a.jsonl", lines(chats(evaluation=lambda at: {"helpfulness": five(at)})))],
            "may hold",
            false=DENIAL,
        ),
        Trap(
            "label good or bad",
            [("a.jsonl", lines(chats(label=lambda at: "good" if at % 3 else "bad")))],
            "may hold",
            false=DENIAL,
        ),
        Trap(
            "prompt_version beside model",
            [("a.jsonl", lines(chats(model="m", prompt_version=lambda at: at % 2)))],
            "may name the system",
        ),
        Trap(
            "a prompt under system, and models",
            [("a.jsonl", lines(chats(system=lambda at: f"You recommend films. Day {at}.")))],
            "'model' has several values",
        ),
        Trap(
            "no id in common",
            [("a.jsonl", lines(chats())), ("r.csv", table("id,rating", lambda at: f"x{at},{five(at)}"))],
            "no value of 'id'",
        ),
        Trap(
            "ratings of the other system",
            [
                ("a.jsonl", lines(chats())),
                ("r.csv", table("id,model,rating", lambda at: f"{at},v{1 + (at + 1) % 2},3")),
            ],
            "of another system",
            false=f"{DENIAL}|name none of them",
        ),
        Trap(
            "ids composed and decomposed",
            [
                ("a.jsonl", lines(chats(id=lambda at: f"caf\u00e9{at}"))),
                ("r.csv", table("id,rating", lambda at: f"cafe\u0301{at},3")),
            ],
            "Unicode",
            false="no value of",
        ),
        Trap(
            "first column without a heading, as pandas writes its index",
            [("a.csv", _index_column())],
            "column without|no heading",
            said(24, five),
            "occurs twice",
        ),
        Trap(
            "rows out of order, timestamp",
            [("a.csv", _shuffled("timestamp", lambda t: f"2024-05-01T10:0{t}:00"))],
            OUT_OF_ORDER,
            IN_ORDER,
        ),
        Trap("rows out of order, message_id", [("a.csv", _shuffled("message_id", str))], OUT_OF_ORDER, IN_ORDER),
        Trap("rows out of order, turn_number", [("a.csv", _shuffled("turn_number", str))], OUT_OF_ORDER, IN_ORDER),
        Trap(
            "exchanges numbered, replies first",
            [("a.csv", _shuffled("turn", lambda t: str(t // 2), (3, 1, 2, 0)))],
            NEVER,
            IN_ORDER,
        ),
        Trap(
            "rows repeated, rated the second time",
            [("a.csv", f"{HEAD}\n{rated_later}")],
            "repeat",
            (("v1", None, ("hi", "A"), (4.0,)), ("v1", None, ("x", "y"), (3.0,))),
        ),
        Trap("rows repeated with 1.0 for 1", [mixed], "repeat", (("v1", None, ("hi", "A"), (4.0,)),)),
        Trap(
            "ratings that are numbers of numpy",
            [chats(rating=lambda at: np.float64(five(at)))],
            expected=said(24, five),
        ),
        Trap("an empty thought", _think("<think>\n\n</think>\n\nTry Heat"), NEVER, _reply("Try Heat")),
        Trap(
            "a tag within a sentence",
            _think("Write <think> before it. Then ask."),
            NEVER,
            _reply("Write <think> before it. Then ask."),
        ),
        Trap(
            "a reply of each kind of message left out",
            [
                (
                    "a.jsonl",
                    lines(
                        chats(
                            3,
                            messages=lambda at: [
                                {"role": "user", "content": "q"},
                                {"role": "tool", "content": "[1]", "tool_call_id": "x"},
                                {"role": "assistant", "content": "a"},
                            ],
                        )
                    ),
                )
            ],
            "tool",
        ),
    ]


def outcome(trap: Trap) -> str:
    """ "" where nothing is silent or false; else what is."""
    with tempfile.TemporaryDirectory() as room:
        given: Given = []
        for part in trap.given:
            if isinstance(part, tuple):
                path = Path(room) / part[0]
                path.write_text(part[1], "utf-8")
                given.append(path)
            else:
                given.append(part)
        notes: list[str] = []
        try:
            records = list(trialogue.read(*given, note=lambda problem: notes.append(str(problem))))
            run = trialogue.evaluate(*given, metrics=["length"], resamples=50)
        except trialogue.TrialogueError as error:
            return f"says: {error}" if re.search(trap.false, str(error)) else ""
        except Exception:  # noqa: BLE001  what must never happen is counted
            return traceback.format_exc(limit=-2)
    text = "\n".join([*notes, *run.findings.warnings, run.answer])
    if re.search(trap.false, text):
        return f"says: {run.answer}"
    if re.search(trap.named, text) or (
        trap.expected is not None and sorted(map(_seen, records), key=str) == sorted(trap.expected, key=str)
    ):
        return ""
    return f"silent: {[_seen(record) for record in records[:2]]} {run.answer}"


def _seen(record: Any) -> tuple[Any, ...]:
    texts = tuple(one.text for one in getattr(record, "utterances", ()))
    return (
        getattr(record, "system", None),
        getattr(record, "user", None),
        texts,
        tuple(rating.value for rating in getattr(record, "ratings", ())),
    )


def main() -> int:
    """Print every trap, and return 1 if one was not passed."""
    warnings.simplefilter("ignore")
    outcomes = {trap.name: outcome(trap) for trap in traps()}
    for name, what in outcomes.items():
        print(f"{'FAIL' if what else 'ok':5} {name}" + (f"\n      {what[:400]}" if what else ""))
    print(f"{sum(map(bool, outcomes.values()))} of {len(outcomes)} not passed")
    return int(any(outcomes.values()))


if __name__ == "__main__":
    raise SystemExit(main())
