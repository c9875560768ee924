"""OpenAI chat format: ``{"messages": [{"role": …, "content": …}, …]}``, one per line or in a JSON list.

``user`` is the user, ``assistant`` the system. The system's name is ``system``, else ``model``, else ``metadata.system``,
else the file's stem; the user's is ``user`` or ``user_id``. Feedback in any of its usual forms (``datasets.door.feedback``)
under ``rating``, ``feedback``, ``thumbs`` and similar keys, and under an object ``ratings``, is people's; beside a message
it rates the message. Content blocks of Anthropic's messages are read as the same log in OpenAI's form would be. An ``error``
of the entry, or of a message after which the assistant says nothing more, is how the dialogue failed.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.door.conversation import ChatShape, Conversations
from trialogue.datasets.json_documents import ParseReport, bare_stem
from trialogue.datasets.json_objects import first_object, read_objects
from trialogue.records.files.jsonl import Note

SHAPE = ChatShape(
    messages="messages",
    role="role",
    content="content",
    speakers={"user": "user", "assistant": "system"},
    aside=("system", "developer", "tool", "function"),
)


def _recognise(head: Head) -> bool:
    if head.is_folder or not (head.is_json_object or head.is_json_list):
        return False
    entry = first_object(head.text)
    if entry is None:  # longer than the head: judge by its keys, as far as they can be seen
        ours = re.match(r'\s*\{\s*"kind"', head.text)
        return ours is None and head.has_keys("messages", "role", "content")
    messages = entry.get("messages")
    return isinstance(messages, list) and bool(messages) and all(isinstance(m, dict) and "role" in m for m in messages)


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    report, stem = ParseReport(str(path), note), bare_stem(path)
    conversations = Conversations(SHAPE, stem, report, fallback=lambda number: f"{stem}-{number}")
    yield from conversations.read(read_objects(path, report))


FORMAT = SimpleFormat(
    name="openai-chat",
    summary="OpenAI's chat format: JSON Lines or a JSON list of {messages: [{role, content}, ...]}, model and id optional.",
    recognise=_recognise,
    reader=_read,
)
