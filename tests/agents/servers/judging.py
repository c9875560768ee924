"""What a fake judge answers, by its name. A good conversation is one in which the word "good" stands often."""

import json
import math
import re
import zlib
from collections.abc import Callable
from typing import Any

from tests.agents.servers.probed import BIASED

Parts = dict[str, Any]
"""Of a completion: text, finish_reason, refusal, logprobs."""
Answer = Callable[[dict[str, int], dict[str, list[int]], str, int], Parts]
"""From the points by aspect, all points of the scales, the conversation, and how often the judge was asked."""
CONVERSATION = re.compile(r"<conversation>\n(.*?)</conversation>", re.DOTALL)


def judged(name: str, body: dict[str, Any], asked: int) -> tuple[int, Any]:
    """(status, parts of the completion or the error) of a judge's answer."""
    text = "\n".join(message["content"] for message in body["messages"])
    if name == "no-schema" and "response_format" in body:
        return 400, {"error": {"message": "response_format is not supported"}}
    if name == "no-schema-500" and "response_format" in body:  # as the server of llama-cpp-python
        return 500, {"error": {"message": "1 validation error: response_format", "code": None}}
    if name == "waking" and "response_format" in body and asked <= 2:
        return 500, {"error": {"message": "the model is being loaded"}}
    if name == "no-model":
        return 404, {"error": {"message": "no such model"}}
    if name == "no-credit":
        return 402, {"error": {"message": "no credit left"}}
    aspects = re.findall(r'^- "(\w+)": (one of [\d, ]+|"A")', text, re.MULTILINE)
    shown = CONVERSATION.findall(text)
    if name == "halves" and zlib.crc32(text.encode()) % 2:
        return 200, {"text": "hm"}
    if name == "one-order" and "Hello" in shown[0]:
        return 200, {"text": "hm"}
    if aspects and aspects[0][1] == '"A"':
        return 200, {"text": json.dumps({aspect: compare(name, *shown) for aspect, _ in aspects})}
    if name in BIASED:
        listed = {aspect: [int(each) for each in re.findall(r"\d+", points)] for aspect, points in aspects}
        found = BIASED[name](shown[0], text)
        return 200, {
            "text": json.dumps({aspect: min(max(found, min(each)), max(each)) for aspect, each in listed.items()})
        }
    points = {aspect: [int(each) for each in re.findall(r"\d+", listed)] for aspect, listed in aspects}
    values = {aspect: min(shown[0].count("good"), listed[-1]) for aspect, listed in points.items()}
    return 200, ANSWERS.get(name, plain)(values, points, shown[0], asked)


def compare(name: str, a: str, b: str) -> str:
    """Which conversation is better; "first" always prefers the one shown first."""
    if name in ("first", "place") or a.count("good") > b.count("good"):
        return "A"
    return "B" if a.count("good") < b.count("good") else "tie"


def plain(values: dict[str, int], points: dict[str, list[int]], shown: str, asked: int) -> Parts:
    return {"text": json.dumps({"reason": "it says so", **values})}


def with_logprobs(values: dict[str, int], points: dict[str, list[int]], shown: str, asked: int) -> Parts:
    """The stated point with probability .75 and the lowest one with .25, token by token."""
    (aspect, value), *_ = values.items()
    pieces = ['{"', aspect, '": ', str(value), "}"]
    low = points[aspect][0]
    content = [{"token": piece, "logprob": 0.0, "top_logprobs": []} for piece in pieces]
    content[3]["logprob"] = math.log(0.75)
    content[3]["top_logprobs"] = [
        {"token": str(value), "logprob": math.log(0.75)},
        {"token": f" {low}", "logprob": math.log(0.25)},
    ]
    return {"text": "".join(pieces), "logprobs": content}


def said(template: str) -> Answer:
    """A judge that says one thing, with {name} and {value} of the first aspect filled in."""

    def answer(values: dict[str, int], points: dict[str, list[int]], shown: str, asked: int) -> Parts:
        (name, value), *_ = values.items()
        return {"text": template.replace("NAME", name).replace("VALUE", str(value))}

    return answer


def sometimes(values: dict[str, int], points: dict[str, list[int]], shown: str, asked: int) -> Parts:
    """Says nothing readable of conversations in which "odd" stands."""
    return {"text": "hm"} if "odd" in shown else plain(values, points, shown, asked)


def injected(values: dict[str, int], points: dict[str, list[int]], shown: str, asked: int) -> Parts:
    """Does what a conversation asks it to."""
    if "rate this" in shown:
        values = {aspect: listed[-1] for aspect, listed in points.items()}
    return plain(values, points, shown, asked)


def cut(values: dict[str, int], points: dict[str, list[int]], shown: str, asked: int) -> Parts:
    return {"text": json.dumps(values), "finish_reason": "length"}


ANSWERS: dict[str, Answer] = {
    "fenced": said('Here it is:\n```json\n{"NAME": VALUE}\n```'),
    "trailing": said('{"NAME": VALUE}\nI gave this since it fits.'),
    "leading": said('Let me think. It is fine. {"NAME": VALUE}'),
    "thinks": said('<think>{"NAME": 0}</think>{"NAME": VALUE}'),
    "bare": said("VALUE"),
    "quoted": said('The user wrote {"NAME": VALUE} but I do not follow that.'),
    "of-five": said("5/5"),
    "prose": said("I'd say 4 out of 5"),
    "scale": said('{"NAME": 8}'),
    "half": said('{"NAME": 1.5}'),
    "text-point": said('{"NAME": "VALUE"}'),
    "text-of-five": said('{"NAME": "4/5"}'),
    "nan": said('{"NAME": NaN}'),
    "infinite": said('{"NAME": Infinity}'),
    "bool": said('{"NAME": true}'),
    "huge": said('{"NAME": 1e9}'),
    "minus": said('{"NAME": -1}'),
    "null": said('{"NAME": null}'),
    "list": said('{"NAME": [1]}'),
    "nested": said('{"scores": {"NAME": 1}}'),
    "twice": said('{"NAME": 0, "NAME": 1}'),
    "two": said('{"NAME": 0} {"NAME": 1}'),
    "other": said('{"score": 1}'),
    "logprobs": with_logprobs,
    "sometimes": sometimes,
    "injected": injected,
    "cut": cut,
    "blank": lambda *_: {"text": "  "},
    "refuses": lambda *_: {"text": None, "refusal": "I cannot judge people."},
    "cut-empty": lambda *_: {"text": "", "finish_reason": "length"},
    "error-in-200": lambda *_: {"top": {"error": {"message": "model is loading"}}},
}
