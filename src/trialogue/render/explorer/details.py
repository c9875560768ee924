"""Details of a row besides its texts: acts, labels, items, answers, scores, timings, and other recorded data.

Every object has keys of ours alone (names from the records are values, never keys), and leaves out what is empty. Texts that
recur (names of measures, origins of labels, reasons) are numbers in the chunk's list of words.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from trialogue.findings.threats.texts import GATE_WORDS
from trialogue.records import Dialogue, Need, Preference, Score, Utterance
from trialogue.records.base import JsonValue
from trialogue.records.kinds.suspicions import Gate
from trialogue.render.explorer.chunks import plain, to_json
from trialogue.render.explorer.entries import Entry
from trialogue.render.explorer.messages import Message, Number, amounts_of, calls_of, fields_to_json, meta_of
from trialogue.render.explorer.unit_scores import Cell, Values

MAX_LISTED = 12  # ids of a need's items


class _Numbers(dict[str, int]):
    """The number of a text, from 0, in the order in which they come."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class TextCodes:
    """Texts that recur, as numbers, and the JSON of what recurs."""

    def __init__(self) -> None:
        self._numbers = _Numbers()
        self.number: Number = self._numbers.__getitem__
        self._messages: dict[int, Message] = {}
        self._values: dict[tuple[str, ...], dict[tuple[Cell, ...], str]] = {}

    def message(self, said: Utterance) -> Message:
        """An utterance as this chunk writes it."""
        known = self._messages.get(id(said))  # the message holds it, so that its identity stays its own
        if known is None:
            known = self._messages[id(said)] = Message(said)
        return known

    def values(self, rows: Sequence[Values]) -> str:
        """[column, value, why there is none] of each that says something, without the brackets around all."""
        if len(rows) == 1:
            return self._values_of(*rows[0])
        return ",".join([text for row in rows if (text := self._values_of(*row))])

    def _values_of(self, names: tuple[str, ...], cells: tuple[Cell, ...]) -> str:
        known = self._values.get(names)
        if known is None:
            known = self._values[names] = {}
        text = known.get(cells)
        if text is None:
            found = [self._cell(name, cell) for name, cell in zip(names, cells, strict=True) if cell is not None]
            text = known[cells] = ",".join(found)
        return text

    def _cell(self, name: str, cell: Cell) -> str:
        number = self.number(name)
        value, why = cell if isinstance(cell, tuple) else (cell, None)
        return f"[{number},{_value(value)},{'null' if why is None else self.number(why)}]"

    def texts(self) -> list[JsonValue]:
        """The texts by number."""
        return [plain(text) for text in self._numbers]


def detail(
    entry: Entry,
    messages: Sequence[Message],
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
        message.details(
            words.number,
            words.values(values[index]) if index in values else "",
            to_json(_answers(answered[index], words.number)) if index in answered else "",
        )
        for index, message in enumerate(messages)
    ]
    whole = words.values(values.get(None, ()))
    rest = _without_empty(
        r=_answers(answered.get(None, ()), words.number),
        f=_facts(entry, gates),
        n=[] if dialogue.need is None else _need(dialogue.need),
        p=_votes(dialogue, votes),
        o=_opinions(dialogue),
        e="" if entry.reference is None else plain(entry.reference.text),
        c=calls_of(dialogue.trace),
        x=amounts_of(dialogue.trace) + meta_of(dialogue.meta),
        own=own,
    )
    parts = (f'"u":[{",".join(said)}]' if said else "", f'"v":[{whole}]' if whole else "", fields_to_json(rest)[1:-1])
    return f"{{{','.join([each for each in parts if each])}}}"


def _without_empty(**fields: JsonValue) -> dict[str, JsonValue]:
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}


@lru_cache(maxsize=1 << 14)
def round_value(value: float) -> float:
    """A value with six significant digits, for a file of many."""
    return float(f"{value:.6g}")


@lru_cache(maxsize=1 << 14)
def _value(value: float | None) -> str:
    """JSON of a value."""
    return to_json(None if value is None else round_value(value))


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
