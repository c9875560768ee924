"""Build dialogues from objects that hold a list of messages, as chat formats and lists in memory do.

A format only says where things stand (``ChatShape``). What is a reply, thought, a tool's part, feedback, an id or a system
is decided here, the same for all. Messages of prompts, tools and functions, and what an assistant only says to its tools,
are not part of the dialogue: calls of tools, their results, time, tokens and cost become the ``trace`` of the turn that
they belong to (``datasets.door.traces``), prompts go to ``meta["messages"]``, each with the number of utterances ``before``
it. All other fields of an entry are kept in ``meta``; those that were not read are named.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from pydantic import ValidationError

from trialogue.datasets.door.account import FeedbackTally, FieldTally, report_unread
from trialogue.datasets.door.feedback import RATINGS, Said, feedback_under, rated_name, with_rater
from trialogue.datasets.door.traces import CALLS, RESULTS, TraceLog, amounts_in, declared_tools, is_time_without_unit
from trialogue.datasets.door.units import Clashes
from trialogue.datasets.door.values import identifier, is_absent, lost_digits, names_of
from trialogue.datasets.failures import ERRORS, FAILED_CONVERSATION, error_of, failure_in, failure_of
from trialogue.datasets.json_documents import JsonObject, ParseReport, kind_of
from trialogue.errors import Problem, Unread
from trialogue.records import Dialogue, JsonValue, Rating, Speaker, Utterance
from trialogue.records.files.jsonl import problems_of
from trialogue.records.trace import TRACE_ID

LONGEST_NAME = 100  # characters; a longer text under "system", or one of several lines, is a prompt
TEXT_PARTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
THOUGHT_PARTS = ("thinking", "reasoning", "redacted_thinking", "reasoning_text", "summary_text")
TOOL_PARTS = (*CALLS, *RESULTS)
THOUGHTS = ("reasoning_content", "reasoning", "thinking", "thought")
IDS = names_of("conversation_ids")
TRIALS = ("trial", "trial_id", "epoch", "attempt", "repetition")
USERS = names_of("people")
SYSTEMS = ("system", "model", "system_name", "model_name", "bot", "agent")
LONGEST_ANSWER = 60  # characters; a longer text under a name of feedback is a comment
LONGEST_NAME_WORDS = 6
UNIQUE = "Ids must be unique within a system; without ids, conversations are numbered."
BY_FORMAT = "feedback under {key!r} was read as people's ratings of the whole dialogue"


@dataclass(frozen=True)
class ChatShape:
    """Where things stand in a chat format."""

    messages: str
    """Field of the list of messages."""
    role: str
    """Field of a message that says whose it is."""
    content: str
    """Field of a message's text."""
    speakers: Mapping[str, Speaker]
    """Whose a role is."""
    aside: tuple[str, ...]
    """Roles of messages that are not part of the dialogue."""

    def speaker(self, role: str) -> Speaker | None:
        """Whose a role is, in any spelling; None: nobody's in the dialogue."""
        return self.speakers.get(role) or self.speakers.get(role.lower())


@dataclass
class _Message:
    """A message that was read, and what people said about it."""

    utterance: Utterance
    said: list[Said] = field(default_factory=list)


class Conversations:
    """Builds the dialogues of one file or list, one after another."""

    def __init__(
        self,
        shape: ChatShape,
        source: str,
        report: ParseReport,
        *,
        fallback: Callable[[int], str],
        place: Callable[[int, int], str] = lambda number, _line: f"conversation {number}",
    ) -> None:
        """Start a file.

        Args:
            shape: where things stand.
            source: where the dialogues come from; also the name of a system that none is given for.
            report: mistakes and repairs.
            fallback: id of the n-th conversation (from 1), where it has none.
            place: how a message refers to the n-th conversation, at a line.
        """
        self._shape, self._source, self._report = shape, source, report
        self._fallback, self._place = fallback, place
        self._feedback, self._fields = FeedbackTally(), FieldTally()
        self._first_clash = ""
        self._known: dict[tuple[str, str], tuple[int, int, int]] = {}
        self._clashes, self._rounded = Clashes(), Clashes()
        self._repeated = 0
        self._system_names: tuple[str, int] | None = None
        self._prompt_line: int | None = None
        self._system_fields: dict[str, None] = {}
        self._waiting: list[tuple[Dialogue, list[list[Said]]]] | None = []
        self._count = self._asides = 0
        self._no_unit: set[str] = set()

    def read(self, entries: Iterable[tuple[int, JsonObject]]) -> Iterator[Dialogue]:
        """Build the dialogue of every entry, with the line of each; mistakes are raised at the end, all at once.

        Raises:
            DataError: something is wrong.
        """
        for line, entry in entries:
            self._count += 1
            made = self._dialogue(entry, line)
            if made is not None:
                yield from self._pass_on(*made)
        yield from self._flush()
        self._settle()

    # What people say about single messages rates these, unless no dialogue has two values of it: then it rates dialogues,
    # as the same values in a table would. Until that is known, dialogues with such values wait.

    def _pass_on(self, dialogue: Dialogue, said: list[list[Said]]) -> Iterator[Dialogue]:
        if self._waiting is None or (not any(said) and not self._waiting):
            yield self._with_ratings(dialogue, said, as_dialogue=False)
            return
        self._waiting.append((dialogue, said))
        if _has_two_values(said):
            held, self._waiting = self._waiting, None
            yield from (self._with_ratings(*each, as_dialogue=False) for each in held)

    def _flush(self) -> Iterator[Dialogue]:
        for dialogue, said in self._waiting or ():
            yield self._with_ratings(dialogue, said, as_dialogue=True)
        self._waiting = []

    def _with_ratings(self, dialogue: Dialogue, said: list[list[Said]], *, as_dialogue: bool) -> Dialogue:
        if not any(said):
            return dialogue
        if as_dialogue:
            first = {(each.name, each.rater): each for one in reversed(said) for each in reversed(one)}
            added = tuple(self._ratings(reversed(first.values()), dialogue.system, None))
            return dialogue.model_copy(update={"ratings": dialogue.ratings + added})
        utterances = tuple(
            utterance.model_copy(update={"ratings": tuple(self._ratings(one, dialogue.system, None))})
            if one
            else utterance
            for utterance, one in zip(dialogue.utterances, said, strict=True)
        )
        return dialogue.model_copy(update={"utterances": utterances})

    def _ratings(self, said: Iterable[Said], system: str | None, line: int | None) -> Iterator[Rating]:
        for each in said:
            found = self._feedback.see(each, system, line)
            if found is not None:
                yield Rating(
                    name=each.name,
                    value=found.value,
                    rater=each.rater,
                    low=found.low,
                    high=found.high,
                    raters=each.raters,
                )

    def _dialogue(self, entry: JsonObject, line: int) -> tuple[Dialogue, list[list[Said]]] | None:
        """The dialogue of an entry, and the feedback on each of its messages; None if it is invalid or repeated."""
        report, shape = self._report, self._shape
        mistakes = len(report.problems)
        rest = {key: value for key, value in entry.items() if key not in (shape.messages, "metadata")}
        metadata = self._metadata(entry, line)
        name = self._name(rest, metadata, IDS, line) or self._fallback(self._count)
        trial = self._name(rest, metadata, TRIALS, line)
        system = self._system(rest, metadata, line)
        user = self._name(rest, metadata, USERS, line) or None
        log = TraceLog(declared_tools(entry))
        own = amounts_in(rest, metadata, wrong=partial(self._wrong_amount, line))
        log.add(own, before=-1)
        messages, aside = self._messages(entry.get(shape.messages), line, log)
        if own and own.latency_s is not None and sum(each.utterance.speaker == "system" for each in messages) > 1:
            report.mend("a time of a whole conversation is the latency of no reply, and is not shown", line=line)
        failure = failure_of(entry, entry.get(shape.messages), shape.speakers)
        if failure is not None:
            report.mend(FAILED_CONVERSATION, shape.messages, line=line)
        self._asides += len(aside)
        if len(report.problems) > mistakes or self._is_known(name, trial, system, entry, line):
            return None
        if not messages:
            report.mend("a conversation has no text by the user or assistant", shape.messages, line=line)
        ratings = tuple(self._ratings(self._dialogue_feedback(rest, metadata, line), system, line))
        traces, open_trace = log.settle([each.utterance.speaker == "system" for each in messages])
        fields = (rest, metadata, *(each.utterance.meta for each in messages))
        self._no_unit |= {key for own in fields for key, value in own.items() if is_time_without_unit(key, value)}
        for _ in range(log.orphans):
            report.mend("a tool's result belongs to no recorded call", shape.messages, line=line)
        for place, trace in traces.items():
            messages[place].utterance = messages[place].utterance.model_copy(update={"trace": trace})
        for key, value in {**metadata, **rest}.items():
            if (key != "tools" or log.tools is None) and (key.lower() not in ERRORS or failure is None):
                self._fields.see(key, value, system)
        try:
            dialogue = Dialogue(
                id=f"{name}/{trial}" if trial else name,
                utterances=tuple(each.utterance for each in messages),
                system=system,
                user=user,
                task=name if trial else None,
                source=self._source,
                ratings=ratings,
                ended_by=None if failure is None else failure[0],
                ending_detail=None if failure is None else failure[1],
                trace=open_trace,
                meta=metadata | rest | ({"messages": aside} if aside else {}),
            )
        except ValidationError as error:
            report.problems += problems_of(error, report.file, line)
            return None
        return dialogue, [each.said for each in messages]

    def _wrong_amount(self, line: int, path: str) -> None:
        self._report.mend("an amount is negative or no number, and was not read", path, line=line)

    def _metadata(self, entry: JsonObject, line: int) -> JsonObject:
        given = entry.get("metadata")
        if given is not None and not isinstance(given, dict):
            self._report.wrong(f"expected an object, got {kind_of(given)}.", "metadata", line=line)
        return dict(given) if isinstance(given, dict) else {}

    def _name(self, rest: JsonObject, metadata: JsonObject, keys: tuple[str, ...], line: int) -> str:
        """The first name under one of these keys, taken out of its object; "" if there is none."""
        for fields in (rest, metadata):
            for key in keys:
                value = fields.get(key)
                if is_absent(value):
                    if value is None or value == "":
                        fields.pop(key, None)
                    continue
                del fields[key]
                if isinstance(value, bool) or not isinstance(value, str | int | float):
                    self._report.wrong(f"expected a string, got {kind_of(value)}.", key, line=line)
                elif keys is IDS and lost_digits(value):
                    self._rounded.add(identifier(value), line)
                return identifier(value)
        return ""

    def _system(self, rest: JsonObject, metadata: JsonObject, line: int) -> str:
        """The name of the system; a prompt under ``system`` stays."""
        value = rest.get("system")
        if _is_prompt(value):
            self._prompt_line = self._prompt_line or line
            self._report.mend("a text too long for a name was read as a prompt and kept in meta", "system", line=line)
        elif isinstance(value, str) and value:
            self._system_names = self._system_names or (value, line)
        places = [(rest, key, key) for key in SYSTEMS if isinstance(rest.get(key), str | int | list)]
        places += [(metadata, key, f"metadata.{key}") for key in SYSTEMS if isinstance(metadata.get(key), str | int)]
        for fields, key, path in places:
            if not _is_prompt(fields.get(key)) and (name := self._name(fields, {}, (key,), line)):
                self._system_fields[f"the field {path!r}"] = None
                return name
        self._system_fields["the file's name"] = None
        return self._source

    def _dialogue_feedback(self, rest: JsonObject, metadata: JsonObject, line: int) -> Iterator[Said]:
        """What people said about the whole dialogue, taken out of the entry."""
        for fields in (rest, metadata):
            for key in list(fields):
                name = RATINGS if key == RATINGS else rated_name(key)
                if name is None:
                    continue
                found = list(feedback_under(name, fields[key]))
                if not any(each.feedback for each in found):
                    yield from _short(found)  # counted as not understood
                    continue
                if key != RATINGS:
                    self._report.mend(BY_FORMAT.format(key=key), key, line=line)
                del fields[key]
                yield from (with_rater(each, {**metadata, **rest}) for each in found)

    def _messages(self, given: object, line: int, log: TraceLog) -> tuple[list[_Message], list[JsonValue]]:
        """Split messages into those of the dialogue and the others; what tools were asked and answered goes to ``log``."""
        shape, report = self._shape, self._report
        messages: list[_Message] = []
        aside: list[JsonValue] = []
        if not isinstance(given, list):
            what = f"expected a list of messages, got {kind_of(given)}." if given is not None else "there are none."
            report.wrong(what, shape.messages, line=line)
            given = []
        for index, message in enumerate(given):
            at = f"{shape.messages}.{index}"
            role = message.get(shape.role) if isinstance(message, dict) else None
            if not isinstance(message, dict) or not isinstance(role, str):
                report.wrong(f"expected a message {{{shape.role}, {shape.content}}}.", at, line=line)
                continue
            speaker = shape.speaker(role)
            failed = (
                speaker is not None and not message.get(shape.content) and failure_in(error_of(message)) is not None
            )
            content = message.get(shape.content)
            if role in ERRORS or failed or role in shape.aside or (speaker and self._is_for_tools(message)):
                if log.see(message, role, content, before=len(messages)):
                    log.add(amounts_in(dict(message)) if speaker == "system" else None, before=len(messages))
                else:
                    aside.append({**message, "before": len(messages)})
            elif speaker is None:
                hint = f"Known: {', '.join((*shape.speakers, *shape.aside))}."
                what = f"unknown {shape.role} {role!r}."
                report.wrong(what, f"{at}.{shape.role}", line=line, hint=hint)
            elif made := self._message(message, speaker, at, line, log, len(messages)):
                messages.append(made)
        return messages, aside

    def _is_for_tools(self, message: JsonObject) -> bool:
        """Whether a message speaks to tools, or is what they answered, and to nobody in the dialogue."""
        content = message.get(self._shape.content)
        if not content:
            return bool(message.get("tool_calls") or message.get("function_call"))
        return (
            isinstance(content, list)
            and all(_kind(part) in (*TOOL_PARTS, *THOUGHT_PARTS) for part in content)
            and bool(_tool_parts(content))
        )

    def _message(
        self, message: JsonObject, speaker: Speaker, at: str, line: int, log: TraceLog, before: int
    ) -> _Message | None:
        shape, report = self._shape, self._report
        thoughts = [text for key in THOUGHTS if isinstance(text := message.get(key), str) and text.strip()]
        text = self._content(message, at, line, thoughts)
        if text is None:
            return None
        taken = {shape.role, shape.content, "id", *(key for key in THOUGHTS if message.get(key) in (*thoughts, None))}
        meta: dict[str, Any] = {key: value for key, value in message.items() if key not in taken}
        if speaker == "system" or _tool_parts(message.get(shape.content)):
            if log.see(message, speaker, message.get(shape.content), before=before):
                meta = {key: value for key, value in meta.items() if key not in ("tool_calls", "function_call")}
            log.add(amounts_in(meta, wrong=partial(self._wrong_amount, line)), before=before)
        said: list[Said] = []
        for key in list(meta):
            name = RATINGS if key == RATINGS else rated_name(key)
            found = list(feedback_under(name, meta[key])) if name else []
            if any(each.feedback for each in found):
                said += [with_rater(each, meta) for each in found]
                del meta[key]
            elif key != TRACE_ID:
                self._fields.see(f"{shape.messages}.{key}", meta[key])
        if not text and not thoughts:
            report.mend("an empty message; kept", f"{at}.{shape.content}", line=line)
        try:
            utterance = Utterance(
                speaker=speaker,
                text=text,
                thought="\n".join(each.strip() for each in thoughts) or None,
                id=self._name(dict(message), {}, ("id",), line) or None,
                meta=meta,
            )
        except ValidationError as error:
            report.problems += problems_of(error, report.file, line)
            return None
        return _Message(utterance, said)

    def _content(self, message: JsonObject, at: str, line: int, thoughts: list[str]) -> str | None:
        """The text of a message; its parts are joined by line breaks, those of thought added to ``thoughts``."""
        content, at, report = message.get(self._shape.content), f"{at}.{self._shape.content}", self._report
        if isinstance(content, str):
            return content
        if content is None and isinstance(message.get("refusal"), str):
            return str(message["refusal"])
        if content is None and (thoughts or self._shape.speaker(str(message.get(self._shape.role))) == "system"):
            return ""
        if not isinstance(content, list):
            report.wrong(f"expected a string or a list of parts, got {kind_of(content)}.", at, line=line)
            return None
        texts = []
        for index, part in enumerate(content):
            kind = _kind(part)
            text = part.get(TEXT_PARTS.get(str(kind), "")) if isinstance(part, dict) else part
            if isinstance(text, str):
                texts.append(text)
            elif kind in THOUGHT_PARTS:
                thoughts += [
                    value for key in ("thinking", "text", "summary") if isinstance(value := part.get(key), str)
                ]
            elif isinstance(kind, str) and kind not in TEXT_PARTS:
                if kind not in TOOL_PARTS:
                    report.mend(f"a part of type {kind!r} has no text and was left out", at, line=line)
            else:
                report.wrong(f"expected a part {{type, text}}, got {kind_of(part)}.", f"{at}.{index}", line=line)
        return "\n".join(texts)

    def _is_known(self, name: str, trial: str, system: str, entry: JsonObject, line: int) -> bool:
        """Whether a conversation repeats an earlier one; one with its id and another content is a mistake."""
        key = (system, f"{name}/{trial}")
        own = {key: value for key, value in entry.items() if key not in (*IDS, *TRIALS)}
        content = hash(json.dumps(own, sort_keys=True, default=str))
        number, known, _ = self._known.setdefault(key, (self._count, content, line))
        if number == self._count:
            return False
        if known == content:
            self._repeated += 1
            return True
        if not self._clashes.ids:
            self._first_clash = f"duplicate id {name!r} (first used by {self._place(number, line)})."
        self._clashes.add(name, line)
        return True

    def _settle(self) -> None:
        report = self._report
        if self._clashes.ids:
            more = len(self._clashes.ids) - 1
            others = f" {more} further duplicate ids: {Clashes(self._clashes.ids[1:]).id_list()}." if more else ""
            hint = f"{others} {UNIQUE}".strip()
            report.wrong(self._first_clash, "id", line=self._clashes.line, hint=hint)
        if self._rounded.ids:
            what = f"ids have lost digits, as long numbers do in a spreadsheet: {self._rounded.id_list()}."
            report.wrong(what, "id", line=self._rounded.line, hint="Write ids as text.")
        if self._repeated:
            report.mend(
                f"{self._repeated} conversations repeat earlier ones (same id, same content) and were left out", "id"
            )
        if self._system_names is not None and self._prompt_line is not None:
            what = (
                f"'system' names the system in other conversations ({self._system_names[0]!r}); here it holds a text of "
                f"more than {LONGEST_NAME} characters or several lines, as prompts do."
            )
            hint = "Put the names under 'model' and the prompts under 'metadata', or shorten the names."
            report.wrong(what, "system", line=self._prompt_line, hint=hint)
        self._feedback.settle(report)
        report.settle()
        if self._asides:
            apart = ("messages of prompts",)
            report.note(Unread(f"{self._asides} {apart[0]} are kept apart.", report.file, columns=apart))
        if self._no_unit:
            names, hint = ", ".join(sorted(self._no_unit)), "Name them latency_s or latency_ms."
            report.note(Problem(f"times without a unit are not read: {names}.", report.file, hint=hint))
        systems = " and ".join(self._system_fields) or "the file's name"
        report_unread(self._fields.fields(units=self._count), report, system_from=systems)


def _has_two_values(said: list[list[Said]]) -> bool:
    values: dict[tuple[str, str | None], set[str]] = {}
    for each in (each for one in said for each in one):
        values.setdefault((each.name, each.rater), set()).add(repr(each.raw))
    return any(len(found) > 1 for found in values.values())


def _short(found: Iterable[Said]) -> Iterator[Said]:
    """What is no comment."""
    return (each for each in found if not isinstance(each.raw, str) or len(each.raw) <= LONGEST_ANSWER)


def _kind(part: object) -> object:
    return part.get("type") if isinstance(part, dict) else None


def _tool_parts(content: object) -> list[JsonObject]:
    return [part for part in content if _kind(part) in TOOL_PARTS] if isinstance(content, list) else []


def _is_prompt(value: object) -> bool:
    """Whether a text under ``system`` instructs a model, and does not name it: it is long, or a sentence."""
    if not isinstance(value, str):
        return False
    words = len(value.split())
    is_sentence = words > LONGEST_NAME_WORDS or (words > 2 and value.rstrip()[-1:] in ".!?:")
    return len(value) > LONGEST_NAME or "\n" in value or is_sentence
