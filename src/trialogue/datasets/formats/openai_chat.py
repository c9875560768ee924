"""OpenAI chat format: ``{"messages": [{"role": …, "content": …}, …]}``, one per line or in a JSON list.

``user`` is the user, ``assistant`` the system. The system's name is ``system``, else ``model``, else ``metadata.system``,
else the file's stem; the user's is ``user`` or ``user_id``. Feedback in any of its usual forms (``datasets.door.feedback``)
under ``rating``, ``feedback``, ``thumbs`` and similar keys, and under an object ``ratings``, is people's; beside a message
it rates the message. Content blocks of Anthropic's messages are read as the same log in OpenAI's form would be. An ``error``
of the entry, or of a message after which the assistant says nothing more, is how the dialogue failed.

ShareGPT's ``{"conversations": [{"from": "human", "value": …}, {"from": "gpt", "value": …}]}`` is the same under other names:
``human`` and ``user`` are the user; ``gpt``, ``assistant``, ``model`` and names of chat models the system.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.door.conversation import ChatShape, Conversations
from trialogue.datasets.json_documents import ParseReport, bare_stem
from trialogue.datasets.json_objects import first_object, read_objects
from trialogue.records import Speaker
from trialogue.records.files.jsonl import Note

SHAPE = ChatShape(
    messages="messages",
    role="role",
    content="content",
    speakers={"user": "user", "assistant": "system"},
    aside=("system", "developer", "tool", "function"),
)


_SPEAKERS: dict[str, Speaker] = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "model", "bot", "chatgpt", "bing", "bard", "claude", "gemini"), "system"),
}
SHAREGPT_SHAPE = ChatShape(
    messages="conversations",
    role="from",
    content="value",
    speakers=_SPEAKERS,
    aside=(
        *("system", "tool", "function", "function_call", "function_response"),
        *("tool_call", "tool_response", "observation"),
    ),
)


def _format(name: str, summary: str, shape: ChatShape, *keys: str) -> SimpleFormat:
    """A format of this shape, recognised by keys that every message has."""

    def recognise(head: Head) -> bool:
        if head.is_folder or not (head.is_json_object or head.is_json_list):
            return False
        entry = first_object(head.text)
        if entry is None:  # longer than the head: judge by its keys, as far as they can be seen
            ours = re.match(r'\s*\{\s*"kind"', head.text)
            return ours is None and head.has_keys(shape.messages, shape.role, shape.content)
        messages = entry.get(shape.messages)
        return isinstance(messages, list) and bool(messages) and all(map(is_message, messages))

    def is_message(message: object) -> bool:
        return isinstance(message, dict) and all(key in message for key in keys)

    def read(path: Path, note: Note) -> Iterator[AnyRecord]:
        report, stem = ParseReport(str(path), note), bare_stem(path)
        conversations = Conversations(shape, stem, report, fallback=lambda number: f"{stem}-{number}")
        yield from conversations.read(read_objects(path, report))

    return SimpleFormat(name=name, summary=summary, recognise=recognise, reader=read)


FORMAT = _format(
    "openai-chat",
    "OpenAI's chat format: JSON Lines or a JSON list of {messages: [{role, content}, ...]}, model and id optional.",
    SHAPE,
    "role",
)
SHAREGPT = _format(
    "sharegpt",
    "ShareGPT's format: JSON Lines or a JSON list of {conversations: [{from, value}, ...]}, model and id optional.",
    SHAREGPT_SHAPE,
    "from",
    "value",
)
