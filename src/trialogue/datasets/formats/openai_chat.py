"""OpenAI chat format: ``{"messages": [{"role": …, "content": …}, …]}``, one per line or in a JSON list.

``user`` is the user, ``assistant`` the system. The system's name is ``system``, else ``model``, else ``metadata.system``,
else the file's stem; the user's is ``user`` or ``user_id``. Feedback in any of its usual forms (``datasets.door.feedback``)
under ``rating``, ``feedback``, ``thumbs`` and similar keys, and under an object ``ratings``, is people's; beside a message
it rates the message. Content blocks of Anthropic's messages are read as the same log in OpenAI's form would be. An ``error``
of the entry, or of a message after which the assistant says nothing more, is how the dialogue failed.

ShareGPT's ``{"conversations": [{"from": "human", "value": …}, {"from": "gpt", "value": …}]}`` is the same under other names:
``human`` and ``user`` are the user; ``gpt``, ``assistant``, ``model`` and names of chat models the system.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from trialogue.datasets.base import ZIP, AnyRecord, Head, SimpleFormat
from trialogue.datasets.door.conversation import ChatShape, Conversations
from trialogue.datasets.json_documents import (
    JsonObject,
    ParseReport,
    bare_stem,
    files_like,
    first_json,
    first_keys,
    first_object,
    read_each,
    read_objects,
)
from trialogue.records import Dialogue, Speaker
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

Entries = Iterator[tuple[int, JsonObject]]
"""Conversations as objects with a list of messages, each with its line."""


def chat_format(
    name: str,
    summary: str,
    recognise: Callable[[Head], bool],
    entries: Callable[[Path, ParseReport], Entries] = read_objects,
    *,
    shape: ChatShape = SHAPE,
    settle: Callable[[Dialogue], Dialogue] = lambda dialogue: dialogue,
    suffixes: tuple[str, ...] | None = (".json",),
    tried: str = "",
) -> SimpleFormat:
    """A format whose entries are conversations in some shape of chat.

    Args:
        name: its name.
        summary: what it is.
        recognise: whether a file, or a folder, is in it.
        entries: the conversations of a file.
        shape: where things stand in an entry.
        settle: what is known of a dialogue beyond its entry.
        suffixes: of the files in a folder, which are read one by one; None: ``entries`` reads a folder as a whole.
        tried: what the reader was tried on.
    """

    def read(path: Path, note: Note) -> Iterator[AnyRecord]:
        if path.is_dir() and suffixes is not None:
            yield from read_each(files_like(path, recognise, suffixes=suffixes), read, note)
            return
        report, stem = ParseReport(str(path), note), bare_stem(path)
        conversations = Conversations(shape, stem, report, fallback=lambda number: f"{stem}-{number}")
        yield from map(settle, conversations.read(entries(path, report)))

    return SimpleFormat(name=name, summary=summary, recognise=recognise, reader=read, tried=tried)


def has_entry(
    *alternatives: tuple[str, ...], in_folder: tuple[str, ...] = (), archive: str | None = None
) -> Callable[[Head], bool]:
    """Whether the first object of a file has all keys of one of these.

    Args:
        alternatives: keys.
        in_folder: suffixes of files in a folder, of which the first decides for the folder.
        archive: a name at the beginning of a zip archive that is recognised, too.
    """

    def recognises(head: Head) -> bool:
        if head.is_folder and in_folder:
            first = first_json(head.path, 0, suffixes=in_folder)
            return first is not None and recognises(Head(first))
        if archive is not None and head.text.startswith(ZIP):
            return archive in head.text
        if head.is_folder or not (head.is_json_object or head.is_json_list):
            return False
        found = set(first_object(head.text) or first_keys(head.text))
        return any(found >= set(keys) for keys in alternatives)

    return recognises


def _has_messages(shape: ChatShape, *keys: str) -> Callable[[Head], bool]:
    """Whether every message of the first entry has these keys."""

    def recognise(head: Head) -> bool:
        if head.is_folder or not (head.is_json_object or head.is_json_list):
            return False
        entry = first_object(head.text)
        if entry is None:  # longer than the head: judge by its keys, as far as they can be seen
            found = first_keys(head.text)
            return "kind" not in found and shape.messages in found and head.has_keys(shape.role, shape.content)
        messages = entry.get(shape.messages)
        return isinstance(messages, list) and bool(messages) and all(map(is_message, messages))

    def is_message(message: object) -> bool:
        return isinstance(message, dict) and all(key in message for key in keys)

    return recognise


FORMAT = chat_format(
    "openai-chat",
    "OpenAI's chat format: JSON Lines or a JSON list of {messages: [{role, content}, ...]}, model and id optional.",
    _has_messages(SHAPE, "role"),
)
SHAREGPT = chat_format(
    "sharegpt",
    "ShareGPT's format: JSON Lines or a JSON list of {conversations: [{from, value}, ...]}, model and id optional.",
    _has_messages(SHAREGPT_SHAPE, "from", "value"),
    shape=SHAREGPT_SHAPE,
)
