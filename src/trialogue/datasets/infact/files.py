"""Parse INFACT's text files: conversations, speakers and the replies of one system.

A dialogue file has ``USER:`` and ``CHAT-BOT:`` lines. A response file repeats the dialogues as ``SEEKER:`` and
``GROUND TRUTH:`` lines with ``<s> … </s>`` around the text; an untagged line is the system's reply to the last seeker turn
before it, either directly after that turn (the layout of RCRS) or after the ground truth (that of KBRD and KGSF).
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from trialogue.datasets.base import Head
from trialogue.datasets.json_documents import ParseReport
from trialogue.records import Speaker
from trialogue.records.files.jsonl import read_lines

CONVERSATION = re.compile(r"\s*CONVERSATION\s*:\s*(\d+)\s*$")
TAGGED = re.compile(r"\s*(USER|CHAT-BOT|SEEKER|GROUND TRUTH)\s*:(.*)$", re.DOTALL)
SPEAKERS: dict[str, Speaker] = {"USER": "user", "SEEKER": "user", "CHAT-BOT": "system", "GROUND TRUTH": "system"}
BEGINNING = re.compile(r"\s*CONVERSATION\s*:\s*\d+\s*\n\s*(USER|CHAT-BOT|SEEKER|GROUND TRUTH)\s*:")

Kind = Literal["dialogues", "responses"]

LONGEST_NUMBER = 18  # digits


@dataclass(frozen=True)
class Line:
    """One utterance in a file."""

    number: int
    speaker: Speaker
    text: str


@dataclass
class Conversation:
    """One dialogue in a file, with replies by the index of the seeker turn they answer (response files only)."""

    number: int
    line: int
    lines: list[Line] = field(default_factory=list)
    replies: dict[int, Line] = field(default_factory=dict)


def kind_of_file(head: Head) -> Kind | None:
    """Kind of an INFACT text file; None if it is neither."""
    tag = BEGINNING.match(head.text)
    if tag is None:
        return None
    return "dialogues" if tag[1] in ("USER", "CHAT-BOT") else "responses"


def is_blank(reply: str) -> bool:
    """Whether a reply is blank, which the files write as ``*`` or ``**``."""
    return not any(character.isalnum() for character in reply)


def conversations(path: Path, report: ParseReport) -> dict[int, Conversation]:
    """Parse every conversation of a file by its number, in order; problems are reported to ``report``."""
    found: dict[int, Conversation] = {}
    current: Conversation | None = None
    for number, text, tag in _split_tags(path, report):
        if tag == "CONVERSATION":
            if len(text) > LONGEST_NUMBER:
                report.wrong(f"a conversation has a number of {len(text)} digits.", line=number)
                continue
            current = Conversation(int(text), number)
            if (first := found.setdefault(current.number, current)) is not current:
                report.wrong(f"conversation {current.number} already begins in line {first.line}.", line=number)
        elif current is None:
            report.wrong("this line comes before the first CONVERSATION.", line=number)
        elif tag:
            current.lines.append(Line(number, SPEAKERS[tag], text))
        else:
            _add_reply(current, Line(number, "system", text), report)
    return found


def _split_tags(path: Path, report: ParseReport) -> Iterator[tuple[int, str, str]]:
    """(line number, text, tag) of every line; the tag is "" for a line without one."""
    for number, raw in read_lines(path, note=report.note):
        line = html.unescape(raw)
        if line != raw:
            report.mend("HTML character references (&quot;) were decoded", line=number)
        if conversation := CONVERSATION.match(line):
            yield number, conversation[1], "CONVERSATION"
        elif tagged := TAGGED.match(line):
            yield number, re.sub(r"^\s*<s>|</s>\s*$", "", tagged[2]).strip(), tagged[1]
        else:
            yield number, line.strip(), ""


def _add_reply(conversation: Conversation, line: Line, report: ParseReport) -> None:
    places = reversed(range(len(conversation.lines)))
    turn = next((index for index in places if conversation.lines[index].speaker == "user"), None)
    if turn is None:
        report.mend("a reply before the first seeker turn was left out", line=line.number)
    elif turn in conversation.replies:
        earlier = conversation.replies[turn].number
        hint = "A reply is one line, and each seeker turn has at most one."
        report.wrong(f"this turn already has a reply in line {earlier}.", line=line.number, hint=hint)
    else:
        conversation.replies[turn] = line
