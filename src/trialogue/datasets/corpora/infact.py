"""INFACT (Manzoor & Jannach, KaRS 2022): 70 dialogues, with several systems' replies to the seeker's turns.

A folder holds one dialogue file (``dialogue_data.txt``) and any number of response files, one per system. The context of a
situation comes from the dialogue file only; replies are aligned by utterance index, and the texts are compared.
Every seeker turn that at least one system answers is a situation; ids are ``infact:{conversation}#{index of the reply}``.
A blank reply is kept as a response with an empty text and ``meta["blank"]``. Titles in quotes become mentions.

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

from trialogue.datasets.base import AnyRecord, Corpus, Head, SimpleFormat, card
from trialogue.datasets.corpora.mentions import find_quoted_titles
from trialogue.datasets.json_documents import ParseReport, bare_stem, files_like, in_file_or_folder
from trialogue.errors import DataError, Problem
from trialogue.records import Dialogue, Response, Situation, Speaker, Utterance
from trialogue.records.files.jsonl import Note, read_lines

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
                report.wrong(f"the number of the conversation has {len(text)} digits, which is too many.", line=number)
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


SYSTEMS = {"RCRS_MLE": "RCRS"}  # by file stem, where the paper has another name
MISALIGNED = 0.5  # share of utterances without a common word from which two dialogues cannot be the same


def _is_infact(head: Head) -> bool:
    return kind_of_file(head) is not None


def _read(path: Path, note: Note) -> Iterator[AnyRecord]:
    dialogue_file, response_files = _files(path)
    report = ParseReport(str(dialogue_file), note)
    found = conversations(dialogue_file, report)
    _check_dialogues(found, report)
    report.settle()
    replies: dict[str, dict[int, Conversation]] = {}
    problems: list[Problem] = []
    for file in response_files:
        of_file = ParseReport(str(file), note)
        replies[SYSTEMS.get(bare_stem(file), bare_stem(file))] = _align_responses(
            found, conversations(file, of_file), of_file
        )
        problems += of_file.problems
        of_file.problems.clear()
        of_file.settle()
    if problems:
        raise DataError(problems)
    for number, conversation in found.items():
        dialogue = _dialogue(conversation)
        yield dialogue
        yield from _answered_situations(
            dialogue, {name: of_all[number] for name, of_all in replies.items() if number in of_all}
        )


def _files(path: Path) -> tuple[Path, list[Path]]:
    """The dialogue file and the response files of a folder, or a dialogue file alone."""
    if not path.is_dir():
        return _refuse_single_file(path), []
    by_kind: dict[Kind | None, list[Path]] = {"dialogues": [], "responses": []}
    for file in files_like(path, _is_infact, suffixes=(".txt",)):
        by_kind[kind_of_file(Head(file))].append(file)
    found = by_kind["dialogues"]
    if len(found) != 1:
        which = ", ".join(file.name for file in found) or "none"
        what = f"expected exactly one dialogue file (USER: and CHAT-BOT: lines), found: {which}."
        raise DataError(Problem(what, str(path), hint="It holds the context of the situations (dialogue_data.txt)."))
    return found[0], by_kind["responses"]


def _refuse_single_file(path: Path) -> Path:
    kind = kind_of_file(Head(path))
    if kind == "responses":
        what = "this file holds only the replies of one system; the dialogue file is missing."
        hint = "Give the folder with this file and dialogue_data.txt (lines of USER: and CHAT-BOT:)."
        raise DataError(Problem(what, str(path), hint=hint))
    if kind is None:
        what = "not one of INFACT's text files."
        raise DataError(
            Problem(what, str(path), hint="Expected CONVERSATION:1 and a line of USER: or CHAT-BOT: at the beginning.")
        )
    return path


def _check_dialogues(found: dict[int, Conversation], report: ParseReport) -> None:
    for conversation in found.values():
        for reply in conversation.replies.values():
            report.wrong("the line does not begin with USER: or CHAT-BOT:.", line=reply.number)
        for line in conversation.lines:
            if not line.text:
                report.mend("an utterance is empty; kept", line=line.number)


def _align_responses(
    dialogues: dict[int, Conversation], given: dict[int, Conversation], report: ParseReport
) -> dict[int, Conversation]:
    """Conversations of a response file, checked against the dialogue file."""
    for number, conversation in given.items():
        if number not in dialogues:
            what = f"the dialogue file has no conversation {number}."
            report.wrong(what, line=conversation.line, hint="Are these files from the same study?")
        else:
            _compare(dialogues[number], conversation, report)
        for reply in conversation.replies.values():
            if is_blank(reply.text):
                report.mend("a reply is blank; kept as an empty response", line=reply.number)
    return given


def _compare(known: Conversation, given: Conversation, report: ParseReport) -> None:
    strangers = 0
    for index, line in enumerate(given.lines):
        if index >= len(known.lines):
            report.mend("an utterance after the end of the dialogue was left out", line=line.number)
            continue
        if line.speaker != known.lines[index].speaker:
            what = f"utterance {index} of conversation {known.number} is by the {line.speaker} here, and by the "
            what += f"{known.lines[index].speaker} in the dialogue file; replies cannot be aligned."
            report.wrong(what, line=line.number, hint="Is a line missing before it?")
            return
        here, there = _words(line.text), _words(known.lines[index].text)
        strangers += bool(here and there and not here & there)
        if _letters(line.text) != _letters(known.lines[index].text):
            report.mend("an utterance differs from the dialogue file, whose text was used", line=line.number)
    if strangers > MISALIGNED * len(known.lines):
        what = f"most of conversation {known.number} has no word in common with the dialogue file."
        report.wrong(what, line=given.line, hint="Are these files from the same study?")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _letters(text: str) -> str:
    return re.sub(r"\W+", "", text.lower())


def _dialogue(conversation: Conversation) -> Dialogue:
    return Dialogue(
        id=f"infact:{conversation.number}",
        utterances=tuple(
            Utterance(speaker=line.speaker, text=line.text, mentions=find_quoted_titles(line.text))
            for line in conversation.lines
        ),
        system="human",
        source="infact",
    )


def _answered_situations(dialogue: Dialogue, replies: dict[str, Conversation]) -> Iterator[Situation | Response]:
    """Every situation that a system answers, each followed by the responses to it."""
    for index, utterance in enumerate(dialogue.utterances):
        answers = {name: given.replies[index].text for name, given in replies.items() if index in given.replies}
        if utterance.speaker != "user" or not answers:
            continue
        situation = _situation(dialogue, index)
        yield situation
        for name, text in answers.items():
            yield _response(situation.id, name, text)


def _situation(dialogue: Dialogue, index: int) -> Situation:
    context, behind = dialogue.utterances[: index + 1], dialogue.utterances[index + 1 : index + 2]
    return Situation(
        id=f"{dialogue.id}#{index + 1}",
        context=context,
        reference=behind[0] if behind and behind[0].speaker == "system" else None,
        dialogue_id=dialogue.id,
        turn=sum(utterance.speaker == "system" for utterance in context),
        source=dialogue.source,
    )


def _response(situation_id: str, system: str, text: str) -> Response:
    blank = is_blank(text)
    said = "" if blank else text
    return Response(
        situation_id=situation_id,
        system=system,
        utterance=Utterance(speaker="system", text=said, mentions=find_quoted_titles(said)),
        meta={"blank": True} if blank else {},
    )


SOURCE = card("infact")

FORMAT = SimpleFormat(
    name="infact",
    summary="INFACT's text files: a folder of one dialogue file and any number of response files, in both layouts.",
    recognise=in_file_or_folder(_is_infact, suffixes=(".txt",)),
    reader=_read,
)

CORPUS = Corpus(source=SOURCE, reader=_read)
