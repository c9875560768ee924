"""Details of a row besides its texts: acts, labels, items, answers, scores, timings, and other recorded data.

Every object has keys of ours alone (names from the records are values, never keys), and leaves out what is empty. Texts that
recur (names of measures, origins of labels, reasons) are numbers in the chunk's list of words.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from trialogue.findings.threats.texts import GATE_WORDS
from trialogue.markdown import Element, Leaf, Node, markdown
from trialogue.records import ClaimVerdict, Dialogue, Mention, MentionedBy, Need, Preference, Score, Utterance
from trialogue.records.base import JsonValue
from trialogue.records.dialogue import MENTIONS
from trialogue.records.kinds.suspicions import Gate
from trialogue.records.trace import Trace
from trialogue.render.explorer.chunks import plain, to_json, utf16_place
from trialogue.render.explorer.entries import Entry
from trialogue.render.explorer.unit_scores import Values

LATENCY = "latency_s"
"""Key in an utterance's ``meta`` for the seconds taken by the turn that it begins."""
LONGEST_META = 4_000  # characters of one field of meta; a corpus may keep a whole document there
MAX_RANKED = 20  # items of a ranking
MAX_LISTED = 12  # ids of a need's items
NO_TRACE = Trace()


Number = Callable[[str], JsonValue]
"""The number of a text that recurs."""
Template = tuple[str, tuple[str, ...], tuple[int, ...], str]
"""JSON of what comes before values and answers, with ``%d`` for numbers; texts that have numbers, in the order in which they
get them; the place among these of each ``%d``; JSON of what comes behind values and answers."""
BLANK = re.compile(r'"\\u0000(\d+)"')
"""The place of a text, as JSON writes it; no text that is shown holds its first character."""


class TextCodes:
    """Texts that recur, as numbers, and the JSON of what recurs."""

    def __init__(self, template: Callable[[Utterance], Template]) -> None:
        """``template``: of an utterance, the same for all chunks."""
        self._template = template
        self._numbers: dict[str, int] = {}
        self._parts: dict[int, tuple[Utterance, str, str]] = {}
        self._values: dict[Values, str] = {}

    def utterance(self, said: Utterance, values: str, answers: list[JsonValue]) -> str:
        """Everything about an utterance but its text: its own, with ``v`` its values and ``r`` the answers about it."""
        if id(said) not in self._parts:
            head, names, places, tail = self._template(said)
            numbers = [*map(self.number, names)]
            # held, so that its identity stays its own
            self._parts[id(said)] = said, head % tuple([numbers[place] for place in places]), tail
        _, head, tail = self._parts[id(said)]
        own = f'"v":[{values}]' if values else ""
        about = f'"r":{to_json(answers)}' if answers else ""
        return f"{{{','.join([each for each in (head, own, about, tail) if each])}}}"

    def values(self, rows: Iterable[Values]) -> str:
        """[column, value, why there is none] of each that says something, without the brackets around all."""
        return ",".join([text for row in rows if (text := self._values.get(row) or self._add(row))])

    def _add(self, row: Values) -> str:
        found: list[JsonValue] = [
            [
                self.number(name),
                None if value is None else round_value(value),
                None if why is None else self.number(why),
            ]
            for name, value, why in zip(*row, strict=True)
            if value is not None or why is not None
        ]
        text = self._values[row] = to_json(found)[1:-1]
        return text

    def number(self, text: str) -> int:
        """The number of a text, from 0, in the order in which they come."""
        return self._numbers.setdefault(text, len(self._numbers))

    def texts(self) -> list[JsonValue]:
        """The texts by number."""
        return [plain(text) for text in self._numbers]


def template(said: Utterance) -> Template:
    """What is known of an utterance, but for numbers that each chunk gives to its texts."""
    names: list[str] = []

    def number(text: str) -> JsonValue:
        names.append(text)
        return f"\0{len(names) - 1}"

    before, behind = _utterance(said, number)
    head, tail = to_json(before)[1:-1].replace("%", "%%"), to_json(behind)[1:-1]
    return BLANK.sub("%d", head), tuple(names), tuple(map(int, BLANK.findall(head))), tail


FOUND_BY = {
    MentionedBy.PRESENTED: "not in the catalogue",
    MentionedBy.NEWER: "not in the catalogue, newer than it",
    MentionedBy.LISTED: "not in the catalogue, in the list of real items",
}
"""How an item was found, where the word of the record does not say it."""


def detail(
    entry: Entry,
    words: TextCodes,
    *,
    values: Mapping[int | None, Sequence[Values]],
    answers: Sequence[Score],
    votes: Sequence[Preference],
    gates: Iterable[Gate],
) -> str:
    """JSON of everything about one row but its texts: ``u`` of each utterance, ``v`` values, ``r`` answers, ``f`` facts,
    ``n`` the need, ``p`` votes, ``o`` opinions on items, ``e`` the reference, ``c`` calls in turns without a reply, ``x``
    meta."""
    dialogue = entry.dialogue
    last = len(dialogue.utterances) - 1
    if entry.is_reply:  # what is said of the row is said of its last utterance
        values = {last: [each for own in values.values() for each in own]}
    answered: dict[int | None, list[Score]] = {}
    for answer in answers:
        answered.setdefault(last if entry.is_reply else answer.utterance, []).append(answer)
    own = None if not entry.is_reply else last
    said = [
        words.utterance(utterance, words.values(values.get(index, ())), _answers(answered.get(index, ()), words.number))
        for index, utterance in enumerate(dialogue.utterances)
    ]
    whole = words.values(values.get(None, ()))
    rest = _without_empty(
        r=_answers(answered.get(None, ()), words.number),
        f=_facts(entry, gates),
        n=[] if dialogue.need is None else _need(dialogue.need),
        p=_votes(dialogue, votes),
        o=_opinions(dialogue),
        e="" if entry.reference is None else plain(entry.reference.text),
        c=_calls(dialogue.trace or NO_TRACE),
        x=_amounts(dialogue.trace or NO_TRACE) + _meta(dialogue.meta),
        own=own,
    )
    parts = (f'"u":[{",".join(said)}]' if said else "", f'"v":[{whole}]' if whole else "", to_json(rest)[1:-1])
    return f"{{{','.join([each for each in parts if each])}}}"


def _without_empty(**fields: JsonValue) -> dict[str, JsonValue]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


def _utterance(said: Utterance, number: Number) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """``s`` 1 for the system, ``a`` acts, ``b`` who says so, ``l`` labels, ``m`` mentions, ``k`` ranking, ``w`` seconds,
    ``c`` calls of tools; and behind its values and answers, ``t`` the Markdown of what the system wrote."""
    latency = said.meta.get(LATENCY)
    is_time = isinstance(latency, int | float) and not isinstance(latency, bool)
    trace = said.trace or NO_TRACE
    head: dict[str, JsonValue] = {"s": 1} if said.speaker == "system" else {}
    if said.acts:
        head["a"] = [_act(act.intent, [(slot.slot, slot.value) for slot in act.slots], number) for act in said.acts]
        if origin := _origin_of_acts(said):
            head["b"] = origin
    if said.strategies:
        head["l"] = [
            [
                number(label.strategy),
                label.probability,
                number(label.origin),
                number(label.by.value if label.by is not None else ""),
            ]
            for label in said.strategies
        ]
    if mentions := [_mention(said.text, mention, number) for name in MENTIONS for mention in getattr(said, name) or ()]:
        head["m"] = [*mentions]
    if said.ranking:
        head["k"] = [plain(item) for item in said.ranking[:MAX_RANKED]]
    head |= _without_empty(
        w=trace.latency_s if trace.latency_s is not None else latency if is_time else None, c=_calls(trace)
    )
    meta = said.meta if not is_time else {name: value for name, value in said.meta.items() if name != LATENCY}
    return head, _without_empty(
        x=_claims(said) + _amounts(trace) + _meta(meta), t=_markdown(said.text) if said.speaker == "system" else None
    )


def _calls(trace: Trace) -> list[JsonValue]:
    """[name, arguments, result, error, why its schema refuses it, seconds] of each call; "" and null where there is none."""
    return [
        [
            plain(call.name),
            _json(call.arguments),
            _json(call.result) if call.has_result else "",
            plain(_cut(call.error or "")),
            plain(_cut(call.refused or "")),
            call.latency_s,
        ]
        for call in trace.calls or ()
    ]


def _amounts(trace: Trace) -> list[JsonValue]:
    """[what, text] of tokens and cost."""
    known = {"tokens read": trace.input_tokens, "tokens written": trace.output_tokens, "cost": trace.cost}
    return [
        [what, f"{value:g}" if isinstance(value, float) else str(value)]
        for what, value in known.items()
        if value is not None
    ]


def _json(value: JsonValue) -> str:
    """A text as it is, anything else as JSON; "" for nothing."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return plain(_cut(text))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_META else f"{text[:LONGEST_META]}…"


def _claims(said: Utterance) -> list[JsonValue]:
    """[what, text] of each statement about an item, contradicted ones first."""
    ordered = sorted(said.claims or (), key=lambda claim: claim.verdict is not ClaimVerdict.CONTRADICTED)
    found: list[JsonValue] = []
    for each in ordered:
        known = ", ".join(each.known) or "none"
        found.append([plain(f"{each.verdict.value}: {each.attribute}"), plain(f"“{each.said}”; catalogue: {known}")])
    return found


@lru_cache(maxsize=1024)  # simulated systems repeat themselves
def _markdown(text: str) -> list[JsonValue] | None:
    """The elements of a text by places in it: [start, end] or [tag, children, more]; None without Markdown."""
    nodes = markdown(text)
    return [_node(text, node) for node in nodes] if any(isinstance(node, Element) for node in nodes) else None


def _node(text: str, node: Node) -> list[JsonValue]:
    if isinstance(node, Leaf):
        return [utf16_place(text, node.start), utf16_place(text, node.end)]
    more: list[JsonValue] = [plain(node.address)] if node.address else [node.first] if node.tag == "ol" else []
    return [node.tag, [_node(text, child) for child in node.children], *more]


def _origin_of_acts(said: Utterance) -> str:
    """Origin of the acts, with the language model that was asked; "" without acts, or not recorded."""
    if said.acts_by is None or not said.acts:
        return ""
    return plain(said.acts_by.value if said.acts_labeller is None else f"{said.acts_by.value} by {said.acts_labeller}")


def _act(intent: str, slots: Sequence[tuple[str, str | None]], number: Number) -> list[JsonValue]:
    values = ", ".join(slot if value is None else f"{slot} = {value}" for slot, value in slots)
    return [number(intent), plain(values)]


def _mention(text: str, mention: Mention, number: Number) -> list[JsonValue]:
    """[start, end, title, id, how it was found]; places are null where they are unknown or lie outside the text."""
    start, end = mention.start, mention.end
    if start is None or end is None or not 0 <= start < end <= len(text):
        places: list[JsonValue] = [None, None]
    else:
        places = [utf16_place(text, start), utf16_place(text, end)]
    item = number(mention.item_id) if mention.item_id is not None else None
    return [*places, number(mention.title), item, number(FOUND_BY.get(mention.by, mention.by.value))]


@lru_cache(maxsize=1 << 14)
def round_value(value: float) -> float:
    """A value with six significant digits, for a file of many."""
    return float(f"{value:.6g}")


def _answers(answers: Iterable[Score], number: Number) -> list[JsonValue]:
    """[measure, value, rater, kind of rater, lowest, highest, why there is none] of each."""
    return [
        [
            number(each.measure),
            None if each.value is None else round_value(each.value),
            None if each.rater is None else number(each.rater),
            number(each.raters.value),
            None if each.scale is None else each.scale.low,
            None if each.scale is None else each.scale.high,
            None if each.why is None else number(str(each.why)),
        ]
        for each in answers
    ]


def _facts(entry: Entry, gates: Iterable[Gate]) -> list[JsonValue]:
    """[what, text] of everything that is one line."""
    dialogue, ending = entry.dialogue, entry.dialogue.ended_by
    fault = "" if dialogue.fault is None else f" (fault: {dialogue.fault.value})"
    cost = dialogue.retries
    facts = {
        "user": dialogue.user or "",
        "source": dialogue.source or "",
        "ended by": "" if ending is None else f"{ending.words}{fault}",
        "message at the end": dialogue.ending_detail or "",
        "asked again": "" if cost is None else f"{cost.count} times, {cost.waited_s:g} s waited",
        "faults of the user": ", ".join(GATE_WORDS[gate] for gate in gates),
    }
    found: list[JsonValue] = [[what, plain(text)] for what, text in facts.items() if text]
    outcome: list[JsonValue] = [[plain(what), plain(text)] for what, text in dialogue.outcome.items()]
    return [*found, *outcome]


def _need(need: Need) -> list[JsonValue]:
    rows = [
        (constraint.attribute, " or ".join(constraint.values) + (" (may be given up)" if constraint.relaxable else ""))
        for constraint in need.constraints
    ]
    ids = {"happiest with": need.targets, "satisfied by": need.acceptable, "knows": need.known}
    ids |= {"likes": need.examples, "dislikes": need.disliked, "would ask about": need.requests}
    rows += [(what, _listing(items)) for what, items in ids.items() if items]
    rows += [("persona", need.persona)] if need.persona else []
    return [[plain(what), plain(text)] for what, text in rows]


def _listing(items: Sequence[str]) -> str:
    more = len(items) - MAX_LISTED
    return ", ".join(items[:MAX_LISTED]) + (f" and {more} more" if more > 0 else "")


def _votes(dialogue: Dialogue, votes: Iterable[Preference]) -> list[JsonValue]:
    """[other system, its dialogue, won / lost / tie, rater, kind of rater, reason] of each vote between two."""
    found: list[JsonValue] = []
    for vote in votes:
        is_a = vote.a == dialogue.system and vote.dialogue_a in (None, dialogue.id)
        chosen = "tie" if vote.choice == "tie" else "won" if (vote.choice == "a") == is_a else "lost"
        other = (vote.b, vote.dialogue_b) if is_a else (vote.a, vote.dialogue_a)
        found.append(
            [
                plain(other[0]),
                plain(other[1] or ""),
                chosen,
                plain(vote.rater or ""),
                vote.raters.value,
                plain(vote.reason or ""),
            ]
        )
    return found


def _opinions(dialogue: Dialogue) -> list[JsonValue]:
    """[title, who answered, what] of each item that a party was asked about."""
    found: list[JsonValue] = []
    for each in dialogue.opinions or ():
        facts = {"suggested": each.suggested, "seen": each.seen, "liked": each.liked}
        said = ", ".join(word if is_so else f"not {word}" for word, is_so in facts.items() if is_so is not None)
        found.append([plain(each.title), each.by, said])
    return found


def _meta(meta: dict[str, JsonValue]) -> list[JsonValue]:
    """[name, text] of each field; a text as it is, anything else as JSON."""
    found: list[JsonValue] = []
    for name, value in meta.items():
        if text := _json(value):
            found.append([plain(name), text])
    return found
