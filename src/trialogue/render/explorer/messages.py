"""What the explorer writes of one utterance, whichever rows of a chunk hold it: its text, its facets, and its details."""

import json
from collections.abc import Callable
from functools import lru_cache

from trialogue.markdown import Element, Leaf, Node, markdown, may_hold_markdown
from trialogue.records import ClaimVerdict, DialogueAct, Mention, MentionedBy, Utterance
from trialogue.records.base import JsonValue
from trialogue.records.dialogue import MENTIONS
from trialogue.records.trace import Trace
from trialogue.render.explorer.chunks import plain, shown_json, texts_to_json, to_json, utf16_place

LATENCY = "latency_s"
"""Key in an utterance's ``meta`` for the seconds taken by the turn that it begins."""
LONGEST_META = 4_000  # characters of one field of meta; a corpus may keep a whole document there
MAX_RANKED = 20  # items of a ranking
FOUND_BY = {each: each.value for each in MentionedBy} | {
    MentionedBy.PRESENTED: "not in the catalogue",
    MentionedBy.NEWER: "not in the catalogue, newer than it",
    MentionedBy.LISTED: "not in the catalogue, in the list of real items",
}
"""How an item was found."""


Number = Callable[[str], int]
"""The number of a text that recurs."""


class Message:
    """An utterance as a chunk writes it."""

    __slots__ = ("_details", "acts", "said", "size", "strategies", "text")

    def __init__(self, said: Utterance) -> None:
        self.said = said
        self.text, self.size = shown_json(said.text), len(said.text)
        self.strategies = [(label.strategy,) for label in said.strategies or ()]
        self.acts = [(said.speaker, act.intent) for act in said.acts or ()]
        self._details: tuple[str, str, str] | None = None

    def details(self, number: Number, values: str, answers: str) -> str:
        """JSON of everything but its text: its own, with ``v`` its values and ``r`` the answers about it.

        Args:
            number: the number of a text, always that of one chunk.
            values: their JSON without the brackets around all; "" for none.
            answers: their JSON; "" for none.
        """
        if self._details is None:
            head, tail = _details(self.said, number)
            before, behind = fields_to_json(head)[1:-1], fields_to_json(tail)[1:-1] if tail else ""
            start, end = f"{{{before}," if before else "{", f",{behind}}}" if behind else "}"
            self._details = f"{start}{behind}}}" if behind else f"{{{before}}}", start, end
        alone, start, end = self._details
        if not answers:
            return f'{start}"v":[{values}]{end}' if values else alone
        return f'{start}"v":[{values}],"r":{answers}{end}' if values else f'{start}"r":{answers}{end}'


def fields_to_json(fields: dict[str, JsonValue]) -> str:
    """An object of this module or of ``details`` as JSON."""
    has_floats = "l" in fields or "r" in fields or "w" in fields or "c" in fields
    return to_json(fields) if has_floats else texts_to_json(fields)


def _details(said: Utterance, number: Number) -> tuple[dict[str, JsonValue], dict[str, JsonValue]]:
    """``s`` 1 for the system, ``a`` acts, ``b`` who says so, ``l`` labels, ``m`` mentions, ``k`` ranking, ``w`` seconds,
    ``c`` calls of tools; and behind its values and answers ``x`` meta, ``t`` the Markdown of what the system wrote."""
    head: dict[str, JsonValue] = {"s": 1} if said.speaker == "system" else {}
    tail: dict[str, JsonValue] = {}
    if said.acts:
        head["a"] = [_act(act, number) for act in said.acts]
        if said.acts_by is not None:
            model = "" if said.acts_labeller is None else f" by {said.acts_labeller}"
            head["b"] = plain(said.acts_by.value + model)
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
    if mentions := [each for name in MENTIONS for each in getattr(said, name) or ()]:
        head["m"] = [_mention(said.text, each, number) for each in mentions]
    if said.ranking:
        head["k"] = _ranking(said.ranking[:MAX_RANKED])
    if said.trace or said.meta or said.claims:
        if (seconds := _seconds(said)) is not None:
            head["w"] = seconds
        if calls := calls_of(said.trace):
            head["c"] = calls
        if more := _claims(said) + amounts_of(said.trace) + meta_of(said.meta, without=_time_in(said)):
            tail["x"] = more
    if said.speaker == "system" and may_hold_markdown(said.text) and (tree := _markdown(said.text)):
        tail["t"] = tree
    return head, tail


def _act(act: DialogueAct, number: Number) -> list[JsonValue]:
    values = ", ".join([slot.slot if slot.value is None else f"{slot.slot} = {slot.value}" for slot in act.slots])
    return [number(act.intent), plain(values)]


def _mention(text: str, mention: Mention, number: Number) -> list[JsonValue]:
    """[start, end, title, id, how it was found]; places are null where they are unknown or lie outside the text."""
    start, end = mention.start, mention.end
    if start is None or end is None or not 0 <= start < end <= len(text):
        start = end = None
    else:
        start, end = utf16_place(text, start), utf16_place(text, end)
    item = number(mention.item_id) if mention.item_id is not None else None
    return [start, end, number(mention.title), item, number(FOUND_BY[mention.by])]


def _ranking(items: tuple[str, ...]) -> list[JsonValue]:
    whole = "".join(items)
    return [*items] if plain(whole) is whole else [*map(plain, items)]


def _time_in(said: Utterance) -> str | None:
    """The field of ``meta`` that is the time of the turn."""
    value = said.meta.get(LATENCY)
    return LATENCY if isinstance(value, int | float) and not isinstance(value, bool) else None


def _seconds(said: Utterance) -> JsonValue:
    if said.trace is not None and said.trace.latency_s is not None:
        return said.trace.latency_s
    return None if (name := _time_in(said)) is None else said.meta[name]


def calls_of(trace: Trace | None) -> list[JsonValue]:
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
        for call in (None if trace is None else trace.calls) or ()
    ]


def amounts_of(trace: Trace | None) -> list[JsonValue]:
    """[what, text] of tokens and cost."""
    if trace is None:
        return []
    known = {"tokens read": trace.input_tokens, "tokens written": trace.output_tokens, "cost": trace.cost}
    return [
        [what, f"{value:g}" if isinstance(value, float) else str(value)]
        for what, value in known.items()
        if value is not None
    ]


def meta_of(meta: dict[str, JsonValue], *, without: str | None = None) -> list[JsonValue]:
    """[name, text] of each field but one; a text as it is, anything else as JSON."""
    return [[plain(name), text] for name, value in meta.items() if name != without and (text := _json(value))]


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
