"""ShareGPT format: ``{"conversations": [{"from": "human", "value": …}, {"from": "gpt", "value": …}]}``.

One per line or in a JSON list; ``id`` and ``model`` are optional. ``human`` and ``user`` are the user; ``gpt``,
``assistant``, ``model`` and names of chat models are the system. Everything else is as in OpenAI's format.
"""

from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.door.conversation import ChatShape, Conversations
from trialogue.datasets.json_documents import ParseReport, bare_stem
from trialogue.datasets.json_objects import first_object, read_objects
from trialogue.records import Speaker
from trialogue.records.files.jsonl import Note

_SPEAKERS: dict[str, Speaker] = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "bot", "chatgpt", "bing", "bard", "claude", "gemini"), "system"),
}
SHAPE = ChatShape(
    messages="conversations",
    role="from",
    content="value",
    speakers=_SPEAKERS,
    aside=(
        *("system", "tool", "function", "function_call", "function_response"),
        *("tool_call", "tool_response", "observation"),
    ),
)


def _recognise(head: Head) -> bool:
    if head.is_folder or not (head.is_json_object or head.is_json_list):
        return False
    entry = first_object(head.text)
    if entry is None:  # longer than the head: judge by its keys, as far as they can be seen
        return head.has_keys("conversations", "from", "value")
    messages = entry.get("conversations")
    return isinstance(messages, list) and bool(messages) and all(_is_message(message) for message in messages)


def _is_message(message: object) -> bool:
    return isinstance(message, dict) and "from" in message and "value" in message


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    report, stem = ParseReport(str(path), note), bare_stem(path)
    conversations = Conversations(SHAPE, stem, report, fallback=lambda number: f"{stem}-{number}")
    yield from conversations.read(read_objects(path, report))


FORMAT = SimpleFormat(
    name="sharegpt",
    summary="ShareGPT's format: JSON Lines or a JSON list of {conversations: [{from, value}, ...]}, model and id optional.",
    recognise=_recognise,
    reader=_read,
)
