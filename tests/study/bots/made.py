"""Study folders as a researcher would make them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

SYSTEMS = ("fine", "fair", "poor")
EFFECTS = {"fine": 2.0, "fair": 0.0, "poor": -2.0}
BASE: dict[str, Any] = {
    "title": "Which reply makes sense?",
    "raters_per_item": 3,
    "items_per_participant": 4,
    "phases": ["consent", "instructions", "tasks", "exit"],
    "consent": {"version": "1", "text": "You may leave at any time."},
    "instructions": "Read, and judge.",
    "lease_minutes": 30,
    "seed": 1,
}
CONTEXT = [{"speaker": "user", "text": 'I look for "Film"  & <more>.'}, {"speaker": "system", "text": "Which one?"}]


def situations(n: int, systems: Sequence[str] = SYSTEMS) -> list[dict[str, Any]]:
    """Situations, each with a reply of every system; no reply holds a system's name."""
    words = {system: f"Reply {place}" for place, system in enumerate(systems)}
    return [
        {
            "key": f"item{number}",
            "context": [*CONTEXT, {"speaker": "user", "text": f"Number {number}."}],
            "responses": {system: f"{words[system]} to {number}" for system in systems},
        }
        for number in range(n)
    ]


def rating(folder: Path, **changes: Any) -> Path:
    """8 situations, 3 systems, 3 raters for each, 4 items a person: 6 people are needed."""
    scale = ["Entirely meaningless", "Meaningless", "So-so", "Meaningful", "Perfectly meaningful"]
    asked = [{"name": "meaningfulness", "question": "How meaningful is it?", "scale": scale}]
    return written(folder, {"study": "rating", "type": "rating", "criteria": asked, **changes}, situations(8))


def preference(folder: Path, **changes: Any) -> Path:
    """6 pairs of replies, 2 people for each, 4 items a person: 3 people are needed."""
    messages = {"study": "preference", "type": "preference", "reason": "required", "raters_per_item": 2, **changes}
    return written(folder, messages, situations(6, ("fine", "poor")))


def labelling(folder: Path, **changes: Any) -> Path:
    """6 messages of which the researcher knows the label, 2 people for each."""
    labels = ["question", "statement", "neither"]
    items = [
        {
            "key": f"item{number}",
            "messages": [*CONTEXT, {"speaker": "system", "text": f"Message {number}"}],
            "utterance": 2,
            "meta": {"label": labels[number % 3]},
        }
        for number in range(6)
    ]
    options = [{"value": label, "label": label.capitalize()} for label in labels]
    return written(
        folder, {"study": "labelling", "type": "labelling", "labels": options, "raters_per_item": 2, **changes}, items
    )


def written(folder: Path, messages: dict[str, Any], items: list[dict[str, Any]]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(yaml.safe_dump({**BASE, **messages}, sort_keys=False), "utf-8")
    (folder / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items), "utf-8")
    return folder
