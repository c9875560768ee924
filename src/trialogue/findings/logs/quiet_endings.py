"""Dialogues that came to nothing although nothing broke: stopped at a limit, cut off, left by the user, or never a user's.

Typed facts decide first (why an answer or a conversation ended), then what stands last: an answer that runs in circles, or
a question that nobody answered. A dialogue in which the system put something forward was not left unserved.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from trialogue.datasets.failures import failure_in
from trialogue.findings.log_records import BlameRule
from trialogue.findings.sample.failure_texts import names_something
from trialogue.metrics.gates.assistant_role import is_assistant
from trialogue.records import Dialogue, Ending, Utterance
from trialogue.records.trace import ToolCall

_CUT = ("length", "max_tokens", "max_output_tokens", "token_limit")
_WHY = re.compile(r"(?:finish|stop|done)_?reason", re.IGNORECASE)
"""Fields that say why an answer ended."""
_END = re.compile(
    r"(?:^|_)(?:status|state|outcome|reason|limit|close[sd]?|end(?:ed|ing)?|terminat\w+|disconnect\w*|cancel\w*"
    r"|exit|left|leave|abandon\w*|drop\w*|idle|inactiv\w*|event|action)(?:_|$)",
    re.I,
)
"""Fields that say how a conversation ended."""
_GONE = re.compile(r"abandon|left|drop|disconnect|inactiv|gone|expired|unanswered", re.IGNORECASE)
"""Fields that say it by being true."""
_LIMIT = re.compile(
    r"(?:max\w*|limit|too many)\W?(?:of\W)?(?:\w+\W)?(?:turn|step|message|iteration|round|call)"
    r"|(?:turn|step|message|iteration|round|call)s?\W?(?:limit|budget|cap\b)",
    re.I,
)
_STOPPED = re.compile(r"\b(?:cancell?ed|aborted|terminated|stopped|expired)\b", re.I)
_BY_USER = re.compile(
    r"(?<![^\W_])(?:user|customer|client|caller|visitor|guest|shopper|browser|human)s?(?![^\W_])", re.I
)
_DONE = re.compile(
    r"success\w*|succeeded|completed?|ok|done|resolved|solved|answered|open(?:ed)?|active|ongoing|running|in.progress|pending|finished"
    r"|converted|bought|purchased|booked|ordered|sold|helpful|satisfied|true|none|stop|end_turn|beendet|abgeschlossen|erledigt"
    r"|gelöst|terminée?|résolue?|completad[oa]|resuelt[oa]|agent|assistant|bot",
    re.I,
)
"""Ends that say that somebody was served, or that nothing has ended."""
_ASKS = re.compile(r"[?？؟]")
_QUESTION = re.compile(r"[^.!?？؟\n]*[?？؟]")
_MARKED = re.compile(r"\((?:1[89]|20)\d\d\)|[\"“„«「『*][^\"”“»」』*\n]{2,60}[\"”“»」』*]")
"""A year behind a title, or a quotation."""
_TEMPLATE = re.compile(r"\{\{\s*\w[\w. ]*\}\}|\{%.*?%\}|<\|im_(?:start|end)\|>|\[/?INST\]|\$\{\w+\}")
"""A prompt that was not filled in, or its marks."""
_CIRCLES = 12  # words at the end that say the ones before them again
_LONGEST_CIRCLE = 12  # words
_MANY_CALLS = 3  # of one tool with the same arguments, behind which nothing is said
_BLANK = " \t\n.…-_*"
_REPETITIONS = 3  # of a message of at least as many words


def quiet_rule(dialogue: Dialogue, turn: Sequence[Utterance], calls: Sequence[ToolCall]) -> BlameRule | None:
    """Why a dialogue came to nothing in which no error is recorded; None: nothing speaks for that.

    Args:
        dialogue: the dialogue.
        turn: what the system said last.
        calls: the calls of tools in it.
    """
    said = dialogue.utterances
    if not any(each.speaker == "user" for each in said):
        return None
    if _is_broken_user(said):
        return BlameRule.USER_BROKE
    if any(map(_runs_in_circles, [each for each in said if each.speaker == "system"][-1:])):
        return BlameRule.MODEL_REPEATED
    is_unanswered = said[-1].speaker == "user" or any(each is said[-1] and _only_calls(each) for each in turn)
    ends = dict(_ends(dialogue))
    words = " ".join([*ends, *ends.values()])
    is_limited = dialogue.ended_by is Ending.TURN_LIMIT or _LIMIT.search(words) is not None
    if is_unanswered or not any(each.text.strip() for each in turn):
        if _is_one_call(calls):
            return BlameRule.MODEL_REPEATED
        if is_limited:
            return BlameRule.LIMIT_REACHED
        if _STOPPED.search(words) and not _BY_USER.search(words):
            return BlameRule.HARNESS_STOPPED
    if turn and _is_cut(dialogue, turn[-1]):
        return BlameRule.MODEL_CUT
    if not _is_left(dialogue, ends):
        return None
    return BlameRule.LIMIT_REACHED if is_limited else BlameRule.USER_LEFT


def _ends(dialogue: Dialogue) -> Iterator[tuple[str, str]]:
    """What is recorded of how a conversation ended, by field, in words; also a note behind its last message."""
    for name, value in dialogue.meta.items():
        given = value.get("type", value.get("reason")) if isinstance(value, dict) else value
        given = name if given is True and _GONE.search(name) else given
        is_word = isinstance(given, str) and re.search(r"[^\W\d_]{2}", given) and not re.match(r"\d{4}-\d\d", given)
        if is_word and (_END.search(name) or given is name) and not _WHY.search(name):
            yield name, str(given).strip()
    notes = dialogue.meta.get("messages")
    for note in notes if isinstance(notes, list) else ():
        if isinstance(note, dict) and note.get("before") == len(dialogue.utterances):
            failure = failure_in(note.get("content"))
            if failure is not None and failure[0] is not Ending.UNKNOWN_FAILURE:
                yield "note", str(note.get("content"))


def _is_left(dialogue: Dialogue, ends: Mapping[str, str]) -> bool:
    """Whether an end is recorded that is no success, the system's question is open, and it had put nothing forward."""
    said = dialogue.utterances
    replies = [each.text for each in said if each.speaker == "system"]
    is_over = any(not _DONE.fullmatch(value) for value in ends.values())
    if dialogue.ended_by is not None or not is_over or not replies or any(map(_names, replies)):
        return False
    asks = [text for text in replies if _ASKS.search(text)]
    if said[-1].speaker == "system":
        return bool(asks)
    return replies[-1] in asks and any(_BY_USER.search(value) for value in ends.values())


def _names(text: str) -> bool:
    """Whether a reply names something; in a question only what is marked as a name: all nouns of German are capitalised."""
    return _MARKED.search(text) is not None or names_something(_QUESTION.sub("", text))


def _is_cut(dialogue: Dialogue, last: Utterance) -> bool:
    """Whether an answer was cut off at the limit of tokens before it named anything."""
    reasons = (
        str(value).lower() for own in (last.meta, dialogue.meta) for name, value in own.items() if _WHY.search(name)
    )
    return (
        next(reasons, "") in _CUT and not names_something(f"so {last.text}") and not re.search(r"[.!?]\W*$", last.text)
    )


def _only_calls(said: Utterance) -> bool:
    """Whether a message calls tools, and neither names nor asks anything."""
    return (
        bool(said.trace and said.trace.calls) and not names_something(f"so {said.text}") and not _ASKS.search(said.text)
    )


def _is_one_call(calls: Sequence[ToolCall]) -> bool:
    return len(calls) >= _MANY_CALLS and all(
        (each.name, each.arguments) == (calls[0].name, calls[0].arguments) for each in calls
    )


def _runs_in_circles(said: Utterance) -> bool:
    """Whether the end of a text repeats a few words again and again."""
    words = said.text.lower().split()[-(_CIRCLES + 3 * _LONGEST_CIRCLE) :]
    for period in range(1, _LONGEST_CIRCLE + 1):
        pairs = zip(reversed(words), reversed(words[:-period]), strict=False)
        alike = next((at for at, (one, other) in enumerate(pairs) if one != other), len(words) - period)
        if alike >= max(_CIRCLES, 2 * period):
            return True
    return False


def _is_broken_user(said: Sequence[Utterance]) -> bool:
    """Whether the user's part is no user's: empty, a prompt that was not filled in, an assistant's, or one message."""
    texts = [each.text.strip() for each in said if each.speaker == "user"]
    answers = [each.text.strip() for each in said if each.speaker == "system" and each.text.strip()]
    blank = [not text.strip(_BLANK) for text in texts]
    if answers and (all(blank) or (len(blank) > 1 and all(blank[-2:]))):
        return True
    if any(map(_TEMPLATE.search, texts)) or is_assistant(texts[-1]):
        return True
    counts = Counter(" ".join(re.findall(r"\w+", text.lower())) for text in texts[1:] or texts)
    most, times = counts.most_common(1)[0]
    is_loop = min(counts.values()) > 1 or len(counts) == 1  # a user who says anything new is not in one
    return is_loop and times >= _REPETITIONS <= len(most.split()) and len(set(answers[-times:])) >= _REPETITIONS
