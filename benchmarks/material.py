"""Made-up text of any size, by a fixed seed: words drawn by Zipf's law, replies of 4 to 24 words."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

VOCABULARY = 20_000


def sentences(count: int, *, seed: int = 0) -> Iterator[str]:
    """Sentences, in blocks so that memory does not grow."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(VOCABULARY)])
    weights = 1 / np.arange(1, VOCABULARY + 1)
    cumulative = np.cumsum(weights / weights.sum())
    done = 0
    while done < count:
        block = min(10_000, count - done)
        lengths = rng.integers(4, 25, size=block)
        drawn = words[np.minimum(np.searchsorted(cumulative, rng.random(int(lengths.sum()))), VOCABULARY - 1)]
        for part in np.split(drawn, np.cumsum(lengths)[:-1]):
            yield " ".join(part) + "."
        done += block


def write_dialogues(path: Path, utterances: int, *, turns: int = 5) -> None:
    """Dialogues of two systems, ``2 * turns`` utterances each."""
    stream = sentences(utterances)
    with path.open("w", encoding="utf-8") as out:
        for number in range(utterances // (2 * turns)):
            said = [{"speaker": speaker, "text": next(stream)} for _ in range(turns) for speaker in ("user", "system")]
            record = {"kind": "dialogue", "v": 1, "id": str(number), "utterances": said, "system": f"s{number % 2}"}
            out.write(json.dumps(record) + "\n")


def write_offline(path: Path, responses: int) -> None:
    """Situations with references, and one system's replies that share about half of their words with them."""
    stream = sentences(2 * responses, seed=1)
    with path.open("w", encoding="utf-8") as out:
        for number in range(responses):
            reference, other = next(stream), next(stream)
            reply = " ".join(reference.split()[: len(reference.split()) // 2] + other.split()[:8])
            situation = {
                "kind": "situation",
                "id": str(number),
                "context": [{"speaker": "user", "text": "?"}],
                "reference": {"speaker": "system", "text": reference},
                "dialogue_id": str(number // 5),
            }
            response = {
                "kind": "response",
                "situation_id": str(number),
                "system": "a",
                "utterance": {"speaker": "system", "text": reply},
            }
            out.write(json.dumps(situation) + "\n" + json.dumps(response) + "\n")
