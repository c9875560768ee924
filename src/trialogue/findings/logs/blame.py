"""Who is to blame for a failed dialogue: the model, a tool, the user or what ran it, and the rule that decided.

A dialogue failed if a failure is recorded, if its last reply is empty or the message of a program, or if a tool failed in
its last turn and the reply says that something was not possible. Blame describes: which failures
count against a system, ``Ending.fault`` decides.
"""

import json
import re
from collections.abc import Iterator, Sequence

from trialogue.datasets.failures import failure_in
from trialogue.findings.log_records import Blame, BlameRule, Party
from trialogue.findings.logs.quiet_endings import quiet_rule
from trialogue.findings.sample.failure_texts import suspicion_of
from trialogue.records import Dialogue, Ending, Fault, JsonValue, Utterance
from trialogue.records.kinds.suspicions import Suspicion
from trialogue.records.trace import ToolCall

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
