"""What a fake language model answers that labels strategies, by its name. It knows them from a sentence's words."""

import math
import re
from typing import Any

SENTENCE = re.compile(r"<sentence>(.*?)</sentence>", re.DOTALL)
OPTION = re.compile(r"^([A-Z])\. ([\w ]+?)(?::|$)", re.MULTILINE)
WORDS = {"have you seen": "experience inquiry", "do you like": "opinion inquiry", "stars": "credibility"}


def labelled(name: str, body: dict[str, Any], asked: int) -> tuple[int, Any]:
    """(status, parts of the completion or the error)."""
    text = "\n".join(message["content"] for message in body["messages"])
    sentence = SENTENCE.findall(text)[-1]  # the task names the frame before
    letters = {title: letter for letter, title in OPTION.findall(text)}
    title = next((title for words, title in WORDS.items() if words in sentence.lower()), "acknowledgment")
    right, first = letters[title], "A"
    if name == "refuses":
        return 401, {"error": {"message": "no such key"}}
    if name == "chatty":
        return 200, {"text": f"I would say {right}, or else {first}."}
    if name == "first":  # a model that prefers what stands first in half of its answers
        return 200, {"text": first if asked % 2 else right}
    if name == "sometimes":
        return 200, {"text": "I cannot say." if "stars" in sentence.lower() else right, **chances(right, first)}
    if name == "silent":  # without log-probabilities
        return 200, {"text": right}
    if name == "errs":  # wrong for a quarter of the sentences, whatever the sentence
        wrong = sum(sentence.encode()) % 4 == 0
        return 200, {"text": first if wrong else right, **chances(first if wrong else right, right if wrong else first)}
    return 200, {"text": right, **chances(right, first)}


def chances(given: str, other: str) -> dict[str, Any]:
    """The answer with probability .8 and another with .2; with .1 where both are one."""
    listed = [{"token": given, "logprob": math.log(0.8)}, {"token": f" {other}", "logprob": math.log(0.2)}]
    return {"logprobs": [{"token": given, "logprob": math.log(0.8), "top_logprobs": listed}]}
