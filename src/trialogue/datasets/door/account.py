"""Count and name what a reader saw and did not use: feedback in unknown forms, fields that were not read.

Feedback of one name must share a scale: thumbs beside stars cannot be averaged, and a -1 among ratings from 1 to 5 is
more likely a missing value than the worst rating. Both are asked about, never averaged in.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from trialogue.datasets.door.feedback import Feedback, Form, Said, is_feedback_name, key_of, rated_name
from trialogue.datasets.door.units import quote_names
from trialogue.datasets.door.values import is_absent, names_of, plain_number
from trialogue.datasets.json_documents import ParseReport, kind_of
from trialogue.errors import Unread
from trialogue.records import JsonValue

SENTINELS = (-1, -9, -99, -999, 99, 999, 9999)
"""Numbers with which files say that there is no value."""
LARGEST_SCALE = 10  # of the scales on which 99 cannot be a rating
MANY_UNREAD = 0.05  # share of words beside up and down from which on there are more points than two
SEVERAL_POINTS = 2
_MAYBE = frozenset(names_of("judgements"))
"""Last words of the names of fields that may hold judgements, of people or of others; also in the plural."""
FEW = 12  # different values of a column that may hold judgements or name systems
EXAMPLES = 3
SYSTEM_NAMES = frozenset(names_of("versions"))
"""Names of fields that may say which system answered."""


@dataclass
class _OfName:
    """Feedback under one name."""

    values: Counter[float] = field(default_factory=Counter)
    forms: Counter[Form] = field(default_factory=Counter)
    examples: dict[Form, object] = field(default_factory=dict)
    numbers: set[float] = field(default_factory=set)
    tops: set[float] = field(default_factory=set)
    unread: Counter[str] = field(default_factory=Counter)
    unread_of: Counter[str] = field(default_factory=Counter)
    of_system: dict[str, set[float]] = field(default_factory=dict)
    line: int | None = None


@dataclass
class FeedbackTally:
    """Feedback of one file."""

    missing: tuple[float, ...] = ()
    """Numbers that were declared to mean that there is no value."""
    is_declared: bool = False
    """Whether the scale was declared, so that no number on it is asked about."""
    by_name: dict[str, _OfName] = field(default_factory=dict)

    def see(self, said: Said, system: str | None, line: int | None) -> Feedback | None:
        """Count one value; its meaning, or None if it is missing or not understood."""
        held = self.by_name.setdefault(said.name, _OfName(line=line))
        found = said.feedback
        if found is None:
            held.unread[kind_of(said.raw)] += 1
            held.unread_of[system or "?"] += 1
            return None
        if found.value in self.missing:
            return None
        held.values[found.value] += 1
        held.forms[found.form] += 1
        held.examples.setdefault(found.form, said.raw)
        held.of_system.setdefault(system or "?", set()).add(found.value)
        if found.form is Form.NUMBER:
            held.numbers.add(found.value)
        if found.high is not None:
            held.tops.add(found.high)
        return found

    def settle(self, report: ParseReport) -> None:
        """Report what was not understood, and ask about what cannot be averaged."""
        for name, held in self.by_name.items():
            if held.unread:
                kinds = ", ".join(f"{kind} ({times}×)" for kind, times in held.unread.most_common(EXAMPLES))
                total = held.unread.total()
                by_system = ", ".join(f"{system} {times}" for system, times in sorted(held.unread_of.items()))
                what = (
                    f"{total} of {total + held.values.total()} values are feedback in an unknown form: {kinds}; "
                    f"by system: {by_system}"
                )
                if held.values and set(held.forms) == {Form.BINARY} and total > MANY_UNREAD * held.values.total():
                    hint = "Write the points of the scale as numbers."
                    what = f"these words are points of a scale, not up or down: {kinds}."
                    report.wrong(what, name, line=held.line, hint=hint)
                else:
                    report.mend(what, name, line=held.line, hint="They count as missing.")
                if not held.values:
                    columns = Unread(what, report.file, field=name, columns=(name,), may_be_feedback=True)
                    report.note(columns)
            if self._mixes(held):
                forms = ", ".join(
                    f"{times} {form} ({held.examples[form]!r})" for form, times in held.forms.most_common()
                )
                hint = "Give one form, or map them under different names."
                report.wrong(
                    f"this feedback is given in forms that share no scale: {forms}.", name, line=held.line, hint=hint
                )
            elif not self.is_declared and (sides := _scales_of_systems(held.of_system)):
                hint = "Convert them to one scale, or map them under different names."
                report.wrong(f"systems are rated on different scales: {sides}.", name, line=held.line, hint=hint)
            elif (odd := sentinel_in(held.values)) is not None and not self.is_declared:
                others = [value for value in held.values if value != odd]
                what = (
                    f"{held.values[odd]} of {held.values.total()} ratings are {odd:g}, while the others lie between "
                    f"{min(others):g} and {max(others):g}. Is it a rating or a missing value?"
                )
                hint = f"In a mapping, declare missing: [{odd:g}], or the scale, [low, high], if it is a rating."
                report.wrong(what, name, line=held.line, hint=hint)
            elif not self.is_declared and (tops := _tops_of_systems(held.of_system)):
                hint = "If these are different scales, convert them to one: their values cannot be compared."
                report.mend(f"the highest ratings differ between systems: {tops}", name, line=held.line, hint=hint)
            elif not self.is_declared and not self.missing and (what := odd_zero_in(held.values)):
                hint = "If it means that there is no rating, map it: missing: [0]."
                report.mend(what, name, line=held.line, hint=hint)

    @staticmethod
    def _mixes(held: _OfName) -> bool:
        forms = set(held.forms)
        if len(held.tops) > 1:
            return True
        if Form.BINARY in forms:
            return bool(forms - {Form.BINARY, Form.NUMBER}) or not held.numbers <= {0, 1}
        if Form.PERCENT in forms:
            return len(forms) > 1
        return bool(held.tops) and any(number > max(held.tops) for number in held.numbers)


def sentinel_in(values: Mapping[float, int]) -> float | None:
    """A number among ratings that probably means "missing"; None if there is none.

    >>> sentinel_in({-1: 3, 4: 5, 2: 1}), sentinel_in({-1: 3, 0: 2, 1: 5}), sentinel_in({99: 1, 3: 5, 5: 2})
    (-1, None, 99)
    """
    for odd in SENTINELS:
        others = [value for value in values if value != odd]
        if odd not in values or not others:
            continue
        below = odd < 0 <= min(others) and max(others) > 1
        above = odd > LARGEST_SCALE >= max(others)
        if below or above:
            return odd
    return None


def odd_zero_in(values: Mapping[float, int]) -> str:
    """A sentence about zeros that may mean "no rating": between -1 and 1, or below ratings from 1 on; "" if there are none.

    >>> odd_zero_in({-1: 3, 0: 20, 1: 5})
    '20 of 28 ratings are 0, beside -1 and 1, and were read as neutral ones'
    >>> odd_zero_in({0: 3, 1: 5}), odd_zero_in({0: 2, 1: 3, 4: 5, 5: 2})
    ('', '2 of 12 ratings are 0, while the others lie between 1 and 5, and were read as the lowest rating')
    """
    others = [value for value in values if value]
    if 0 not in values or not others:
        return ""
    share = f"{values[0]} of {sum(values.values())} ratings are 0"
    if set(others) == {-1, 1}:
        return f"{share}, beside -1 and 1, and were read as neutral ones"
    if min(others) >= 1 and max(others) in (5, 7):
        ends = f"{min(others):g} and {max(others):g}"
        return f"{share}, while the others lie between {ends}, and were read as the lowest rating"
    return ""


def _scales_of_systems(values: Mapping[str, set[float]]) -> str:
    """What differs where some systems are rated with 0 and 1 alone, and others from 1 to more; "" if nothing does.

    >>> _scales_of_systems({"a": {1.0, 4.0, 5.0}, "b": {0.0, 1.0}})
    'a from 1 to 5, b with 0 and 1'
    >>> _scales_of_systems({"a": {0.0, 4.0, 5.0}, "b": {0.0, 1.0}})
    ''
    """
    binary = [system for system, held in values.items() if held == {0, 1}]
    wide = [system for system, held in values.items() if min(held) >= 1 and max(held) > SEVERAL_POINTS]
    if not binary or not wide:
        return ""
    low, high = min(min(values[each]) for each in wide), max(max(values[each]) for each in wide)
    return f"{', '.join(wide)} from {low:g} to {high:g}, {', '.join(binary)} with 0 and 1"


def _tops_of_systems(values: Mapping[str, set[float]]) -> str:
    """What differs where some systems never get more than 5 and others more, on what may be two scales; "" if nothing does.

    >>> _tops_of_systems({"a": {1.0, 5.0}, "b": {1.0, 9.0}})
    'a 5, b 9'
    """
    tops = {system: max(held) for system, held in values.items()}
    has_five, has_more = any(top == 5 for top in tops.values()), any(5 < top <= 10 for top in tops.values())
    return ", ".join(f"{system} {top:g}" for system, top in tops.items()) if has_five and has_more else ""


@dataclass
class FieldTally:
    """Fields or columns that a reader kept beside the conversation without reading them."""

    values: dict[str, Counter[str]] = field(default_factory=dict)
    times: Counter[str] = field(default_factory=Counter)
    numbers: dict[str, bool] = field(default_factory=dict)
    by_system: dict[tuple[str, str], str] = field(default_factory=dict)
    varies: set[str] = field(default_factory=set)

    def see(self, name: str, value: JsonValue | object, system: str | None = None) -> None:
        """Count one value, of a dialogue or reply of a system; absent ones do not count."""
        if is_absent(value) or value in ([], {}):
            return
        self.times[name] += 1
        held = self.values.setdefault(name, Counter())
        if len(held) <= FEW:
            held[str(value)[:60]] += 1
        if self.by_system.setdefault((name, system or ""), str(value)) != str(value):
            self.varies.add(name)
        is_number = isinstance(value, bool) or plain_number(value) is not None
        self.numbers[name] = self.numbers.get(name, True) and is_number

    def fields(self, *, units: int) -> list["UnreadField"]:
        """What was not read, in order.

        Args:
            units: conversations or rows of the file: what differs in all of them names no system.
        """
        return [self._field(name, units) for name in self.values]

    def _field(self, name: str, units: int) -> "UnreadField":
        held = self.values[name]
        few = 1 < len(held) <= min(FEW, max(units - 1, 1))
        leaf = name.rpartition(".")[2]
        may_judge = (
            is_feedback_name(leaf)
            or key_of(leaf).rpartition("_")[2].removesuffix("s") in _MAYBE
            or rated_name(leaf) is not None
            or (few and self.numbers[name] and _may_be_rating(held))
        )
        return UnreadField(
            name=name,
            times=self.times[name],
            examples=tuple(value for value, _ in held.most_common(EXAMPLES)),
            may_be_feedback=may_judge,
            may_be_system=few and name in self.varies and key_of(leaf) in SYSTEM_NAMES,
        )


def _may_be_rating(values: Iterable[str]) -> bool:
    found = [plain_number(value) for value in values]
    return all(value is None or 0 <= value <= LARGEST_SCALE for value in found)


@dataclass(frozen=True)
class UnreadField:
    """A field or column that was kept and not read."""

    name: str
    times: int
    """How many units have a value in it."""
    examples: tuple[str, ...]
    """Most frequent values."""
    may_be_feedback: bool = False
    """Whether it may hold judgements, by its name or its few small numbers."""
    may_be_system: bool = False
    """Whether it may say which system answered."""


def report_unread(fields: Iterable[UnreadField], report: ParseReport, *, system_from: str) -> None:
    """Report fields that were not read: by name, and first those that may name the system or hold judgements.

    Args:
        fields: what was not read.
        report: its ``note`` gets ``Unread`` problems.
        system_from: where the systems' names came from, in a message.
    """
    found = list(fields)
    for each in found:
        if each.may_be_system:
            what = (
                f"{each.name!r} has several values ({quote_names(list(each.examples))}) and may name the system; "
                f"{system_from} was taken."
            )
            hint = f"To compare its values as systems, map it: system: {each.name}."
            report.note(Unread(what, report.file, field=each.name, hint=hint, columns=(each.name,), may_be_system=True))
    judging = [each.name for each in found if each.may_be_feedback]
    if judging:
        what = f"not read, but may hold people's feedback: {quote_names(judging)}."
        hint = "To read them, map them under ratings."
        report.note(Unread(what, report.file, hint=hint, columns=tuple(judging), may_be_feedback=True))
    rest = [each.name for each in found if not each.may_be_feedback and not each.may_be_system]
    if rest:
        report.note(Unread(f"fields not read: {', '.join(rest)}.", report.file, columns=tuple(rest)))
