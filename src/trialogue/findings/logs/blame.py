"""Who is to blame for a failed dialogue: the model, a tool, the user or what ran it, and the rule that decided.

A dialogue failed if a failure is recorded, if its last reply is empty or the message of a program, or if a tool failed in
its last turn and the reply says that something was not possible. Blame describes: which failures
count against a system, ``Ending.fault`` decides.

Dialogues that came to nothing although nothing broke: stopped at a limit, cut off, left by the user, or never a user's.

Typed facts decide first (why an answer or a conversation ended), then what stands last: an answer that runs in circles, or
a question that nobody answered. A dialogue in which the system put something forward was not left unserved.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from trialogue.datasets.failures import failure_in
from trialogue.findings.log_records import Blame, BlameRule, Party
from trialogue.findings.sample.failure_texts import names_something, suspicion_of
from trialogue.metrics.gates.assistant_role import is_assistant
from trialogue.records import Dialogue, Ending, Fault, JsonValue, Utterance
from trialogue.records.kinds.suspicions import Suspicion
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


_WRONG_CALL = re.compile(
    r"(?:invalid|missing|unexpected|unknown|malformed|bad|wrong|unrecogni[sz]ed)\W+(?:\w+\W+){0,2}(?:arguments?|parameters?|params?|fields?"
    r"|inputs?|propert(?:y|ies)|keywords?|tool|function)\b(?!\W+(?:service|server|backend|api)\b)"
    r"|(?:arguments?|parameters?|fields?|inputs?|propert(?:y|ies))\W+(?:\S+\W+){0,2}(?:(?:is|are|was|not) )*"
    r"(?:invalid|missing|required|unknown|valid)\b"
    r"|(?:tool|function)\W+(?:\S+\W+)?(?:which )?(?:(?:is|does|was|not) )*(?:found|defined|exist|known|registered)\b"
    r"|no such (?:tool|function)|is a required property|is not (?:of type|one of|valid under)|additional properties"
    r"|field required|input should be|ValidationError"
    r"|(?:^|http|status|code|error)\W{0,3}(?:code\W{0,3})?4(?:00|22)\b|unprocessable"
    r"|bad request|TypeError: \w+\(\)|(?:parse|decode) (?:the )?(?:tool |function )?(?:arguments|input)",
    re.IGNORECASE,
)
"""Errors that say that a tool was called wrongly."""
_OF_ANSWER = re.compile("output|response|result|returned", re.IGNORECASE)
"""Errors about what a tool answered."""
_OF_KEY = re.compile(
    r"(?:(?:http|status|code|error)\W{0,4}(?:code\W{0,4})?|^)401\b|unauthori[sz]ed|invalid_token|\bunauthenticated\b"
    r"|(?:api|access|auth\w*|secret|subscription).?(?:key|token|credential)s?\b.{0,60}\b(?:invalid|expired|missing|revoked|incorrect)"
    r"|(?:invalid|expired|missing|revoked|incorrect|wrong|bad)\b.{0,20}(?:api.?key|access.?token|credential)",
    re.IGNORECASE | re.DOTALL,
)
"""Errors that say that the key with which a tool was called is refused, which who runs it has set."""
_OF_TOOL = re.compile(
    r"\btools?\b|\btool_?call|ToolException|ToolError|\bmcp\b|\bplug-?in\b|function call(?:ing)? (?:failed|error|timed)"
    r"|\b(?:retriev(?:al|er)|search|lookup|database|vector|downstream)\W+(?:\w+\W+){0,2}"
    r"(?:failed|error|timed out|timeout|unavailable|exception|unreachable)",
    re.IGNORECASE,
)
"""Recorded errors that name a tool."""
_DENIES = re.compile(
    r"\b(?:can|could|was|is|are|were|did|does|do|wo|has|have)(?: ?not|n['’]t)\b|\bcannot\b|\b(?:un(?:able|available)"
    r"|fail(?:ed|s)|crashed|(?:is|are|currently|temporarily|went) down|lost (?:the |my |our )?connection"
    r"|no luck|nothing to (?:show|suggest|offer)"
    r"|not (?:able|available|working|permitted|allowed)|problem|trouble|try again)\b"
    r"|\bne \w+ pas\b|\bn['’]\w+ pas\b|\bdésolée?\b|\bnavrée?\b|\bleider\b"
    r"|\bkonnte\b.{0,60}\bnicht\b|\bnicht (?:möglich|erreichbar)\b",
    re.IGNORECASE,
)
"""Replies that say that something was not possible; they count only behind a call that failed."""
_RULES = {
    Fault.USER: BlameRule.USER_FAILED,
    Fault.HARNESS: BlameRule.HARNESS_STOPPED,
    Fault.JUDGE: BlameRule.HARNESS_STOPPED,
    Fault.AGENT: BlameRule.MODEL_FAILED,
}
_PARTIES = {
    BlameRule.USER_FAILED: Party.USER,
    BlameRule.HARNESS_STOPPED: Party.HARNESS,
    BlameRule.RATE_LIMITED: Party.HARNESS,
    BlameRule.TOOL_FAILED: Party.TOOL,
    BlameRule.TOOL_NAMED: Party.TOOL,
    BlameRule.KEY_REFUSED: Party.HARNESS,
    BlameRule.LIMIT_REACHED: Party.HARNESS,
    BlameRule.USER_BROKE: Party.USER,
    BlameRule.USER_LEFT: Party.USER,
    BlameRule.NOT_RECORDED: Party.UNKNOWN,
}


def blame_of(dialogue: Dialogue) -> Blame | None:
    """Who is to blame for a dialogue that failed; None if it did not fail."""
    rule, call = _rule(dialogue)
    if rule is None:
        return None
    return Blame(party=_PARTIES.get(rule, Party.MODEL), rule=rule, tool=(call.name or None) if call else None)


def _rule(dialogue: Dialogue) -> tuple[BlameRule | None, ToolCall | None]:
    """The rule that decides, and the call that it is about."""
    ending, detail = dialogue.ended_by, dialogue.ending_detail or ""
    recorded = _rule_of_ending(ending)
    turn = _last_turn(dialogue)
    text = "\n".join(said.text for said in turn if said.text.strip())
    looks = Suspicion.SILENT if not text and _waits(dialogue) else suspicion_of(text) if text else None
    calls = list(_calls(turn)) or list((dialogue.trace and dialogue.trace.calls) or ())
    broken = _broken_call(calls)
    error = None if broken is None else broken.error
    is_of_tool = bool(detail and error) and (detail in str(error) or str(error) in detail)
    is_decided = recorded in (BlameRule.USER_FAILED, BlameRule.HARNESS_STOPPED) and not is_of_tool
    is_open = broken is not None and broken.error is None and not _is_wrong(broken)
    if is_decided or (is_open and recorded is BlameRule.RATE_LIMITED):
        return recorded, None
    is_left = recorded is not None and (not text or is_of_tool)  # what a reply followed, it got over
    denies = broken is not None and _is_broken(calls[-1]) and _DENIES.search(text) is not None
    quiet = None if recorded else quiet_rule(dialogue, turn, calls)
    if broken is not None and (is_left or looks is not None or denies):
        return _rule_of_call(broken), broken
    if recorded is not None and _OF_TOOL.search(detail):
        return (BlameRule.CALL_REFUSED if _says_wrong(detail) else BlameRule.TOOL_NAMED), None
    if recorded is not None:
        return recorded, None
    if quiet is not None:
        return quiet, None
    if looks is Suspicion.SILENT:
        return BlameRule.MODEL_SILENT, None
    if looks is not Suspicion.ERROR:
        return None, None
    if _OF_TOOL.search(text):
        return (BlameRule.CALL_REFUSED if _says_wrong(text) else BlameRule.TOOL_NAMED), None
    shown = failure_in(text)
    rule = None if shown is None else _rule_of_ending(shown[0])
    return (rule if rule in (BlameRule.RATE_LIMITED, BlameRule.HARNESS_STOPPED) else BlameRule.MODEL_REPORTED), None


def _rule_of_call(call: ToolCall) -> BlameRule:
    if _is_wrong(call):
        return BlameRule.CALL_REFUSED
    answer = call.error if call.error is not None else call.result
    return BlameRule.KEY_REFUSED if _OF_KEY.search(str(answer)) else BlameRule.TOOL_FAILED


def _rule_of_ending(ending: Ending | None) -> BlameRule | None:
    """The rule by a recorded ending alone; None if it is no failure."""
    if ending is None or ending.fault is None:
        return None
    return BlameRule.RATE_LIMITED if ending is Ending.RATE_LIMITED else _RULES.get(ending.fault, BlameRule.NOT_RECORDED)


def _last_turn(dialogue: Dialogue) -> Sequence[Utterance]:
    """What the system said after the user's last message; before it, if nothing followed and its last call there failed."""
    said = dialogue.utterances
    users = [at for at, each in enumerate(said) if each.speaker == "user"]
    last = said[users[-1] + 1 :] if users else said
    before = said[users[-2] + 1 if len(users) > 1 else 0 : users[-1]] if users and not last else ()
    calls = list(_calls(before))
    return before if calls and _is_broken(calls[-1]) else last


def _waits(dialogue: Dialogue) -> bool:
    """Whether the user waits: the system said nothing at all, an empty text last, or called tools and no more."""
    said = dialogue.utterances
    is_asked = any(each.speaker == "user" for each in said)
    never = not any(each.speaker == "system" and each.text.strip() for each in said)
    return is_asked and (never or said[-1].speaker == "system" or bool(dialogue.trace and dialogue.trace.calls))


def _broken_call(calls: Sequence[ToolCall]) -> ToolCall | None:
    """The first call that failed, was refused or got no answer, and that no later one made good."""
    for at, call in enumerate(calls):
        if _is_broken(call) and not any(each.name == call.name and not _is_broken(each) for each in calls[at + 1 :]):
            return call
    return None


def _calls(turn: Sequence[Utterance]) -> Iterator[ToolCall]:
    for said in turn:
        yield from (said.trace and said.trace.calls) or ()


def _is_broken(call: ToolCall) -> bool:
    return call.error is not None or not call.has_result or _is_wrong(call) or _is_no_answer(call.result)


def _is_no_answer(result: JsonValue) -> bool:
    """Whether a result is nothing, the message of a program, or JSON that breaks off."""
    if not isinstance(result, str):
        return result is None
    if result.lstrip()[:1] in ("{", "["):
        try:
            json.loads(result)
        except (ValueError, RecursionError):
            return True
        return False
    return not result.strip() or suspicion_of(result) is Suspicion.ERROR


def _is_wrong(call: ToolCall) -> bool:
    """Whether the model called it wrongly: against its schema, with arguments that are no JSON, or as the error says."""
    is_text = isinstance(call.arguments, str) and bool(call.arguments.strip())
    return call.refused is not None or is_text or (call.error is not None and _says_wrong(call.error))


def _says_wrong(error: str) -> bool:
    return _WRONG_CALL.search(error) is not None and _OF_ANSWER.search(error) is None


def own_words(detail: str | None) -> str | None:
    """A recorded error in words of ours, which say the same of who is to blame; None where it says nothing of it."""
    if detail is None or not _OF_TOOL.search(detail):
        return None
    return "invalid tool arguments" if _says_wrong(detail) else "tool error"
