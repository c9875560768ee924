"""What a fake language model answers that tells the act of a message, by its name. It goes by the message's words."""

import math
import re
from typing import Any

MESSAGE = re.compile(r"<message>(.*?)</message>", re.DOTALL)
OPTION = re.compile(r"^([A-Z])\. ([^:\n]+)", re.MULTILINE)
WORDS = {"how about": "List", "what do you like": "Elicit", "bye": "End", "sorry": "Fail"}
NONE = "none of these"


def act_answer(name: str, body: dict[str, Any], asked: int) -> tuple[int, Any]:
    """(status, parts of the completion or the error)."""
    text = body["messages"][-1]["content"]
    message = MESSAGE.findall(text)[-1].lower()  # the task names the frame before
    letters = {title: letter for letter, title in OPTION.findall(text)}
    right = letters[next((label for words, label in WORDS.items() if words in message), NONE)]
    if name == "unsure":
        return 200, {"text": right, **chances(right, letters["Back"], 0.5)}
    if name == "chatty":
        return 200, {"text": f"I would say {right}, or else A."}
    if name == "obeys":  # whatever a message tells it to answer
        told = re.search(r"answer (?:with )?(\w+)", message)
        said = told[1].upper() if told else right
        return 200, {"text": said, **chances(said, right, 0.8)}
    if name == "silent":  # without log-probabilities
        return 200, {"text": right}
    if name == "first":  # a model that always takes what stands first
        return 200, {"text": "A"}
    if name == "one-in-five":  # one readable answer, whatever the sample
        return 200, {"text": right if asked % 5 == 1 else "Hm."}
    if name == "fails-later":
        return (200, {"text": right, **chances(right, "A", 0.8)}) if asked == 1 else (500, {"error": "down"})
    return 200, {"text": right, **chances(right, letters["Back"], 0.8)}


def chances(given: str, other: str, chance: float) -> dict[str, Any]:
    """The answer with a probability, and another with the rest."""
    listed = [{"token": given, "logprob": math.log(chance)}, {"token": f" {other}", "logprob": math.log(1 - chance)}]
    return {"logprobs": [{"token": given, "logprob": math.log(chance), "top_logprobs": listed}]}
