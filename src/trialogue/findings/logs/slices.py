"""Where is a version worse? Versions on parts of the dialogues, by what a log says of them: the new one against the old one,
and of three or more each one against all others.

Dialogues are sliced by each field of the log that has a few values, by the tools called in them, the number of the user's
messages, and the user's language. Values that too few rated dialogues of a version have are pooled, and counted. All slices
of all versions that can be tested are one family (Bonferroni): the worst slice is the worst of all of them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from trialogue.datasets.door.values import TOPICS
from trialogue.findings.log_records import Slice, SliceKind
from trialogue.languages import language_name, language_of
from trialogue.metrics.base import ratio
from trialogue.metrics.dialogue.resources import calls_of
from trialogue.records import Dialogue, Estimate, JsonValue, Reason, ReasonCode
from trialogue.stats import cluster_sums, difference
from trialogue.stats.comparison.families import bonferroni

LEAST = 10  # rated dialogues of each version, of which a slice says anything
LONGEST_VALUE = 60  # characters; longer values are texts
MANY_IDENTIFIED = 5_000  # dialogues of more than which no language is looked for, which takes a millisecond each
TURNS = ((1, 1, "1"), (2, 2, "2"), (3, 4, "3 to 4"), (5, 8, "5 to 8"), (9, 16, "9 to 16"))
"""(fewest, most, name) of numbers of the user's messages; "17 or more" is beyond."""
OTHERS = ""
"""In place of a version: all others."""
Group = tuple[SliceKind, str]
"""What is sliced by: kind, and name of the field."""


@dataclass(frozen=True)
class Rated:
    """What slices need of one rated dialogue, so that it need not stay in memory."""

    system: str
    cluster: str
    total: float
    """Sum of its values."""
    count: float
    """Number of its values."""
    fields: Mapping[str, tuple[str, ...]]
    """Values of its fields as names; () of one that holds a text or something else."""
    tools: tuple[str, ...] | None
    """Tools that were called in it; None: not recorded."""
    turns: str
    """Its number of the user's messages."""
    said: tuple[str, ...]
    """What the user said; () where languages are not looked for."""

    @classmethod
    def of(cls, dialogue: Dialogue, total: float, count: float, *, with_texts: bool = True) -> "Rated":
        """From a dialogue with the sum and the number of its values."""
        calls = calls_of(dialogue)
        texts = tuple(said.text for said in dialogue.utterances if said.speaker == "user")
        return cls(
            system=dialogue.system or "",
            cluster=dialogue.cluster,
            total=total,
            count=count,
            fields={name: _values(each) for name, each in _meta(dialogue).items() if each not in (None, "", [], {})},
            tools=None
            if calls is None
            else tuple(dict.fromkeys(call.name for call in calls if call.name)) or ("none",),
            turns=_turns(len(texts)),
            said=texts if with_texts else (),
        )


@dataclass(frozen=True)
class Question:
    """What slices compare."""

    pairs: tuple[tuple[str, str], ...]
    """What is compared: an old version, or ``OTHERS``, and the version that is asked about."""
    is_share: bool
    """Whether values are 0 and 1."""
    higher_is_better: bool
    scale: tuple[float | None, float | None]
    """Ends of the scale; None: no end."""
    seed: int
    permutations: int
    alpha: float


def pairs_of(versions: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """What is compared of versions in order: the first with the last of two, each with all others of more.

    >>> pairs_of(["v1", "v2"]), pairs_of(["v1", "v2", "v3"]), pairs_of(["v1"])
    ((('v1', 'v2'),), (('', 'v1'), ('', 'v2'), ('', 'v3')), ())
    """
    if len(versions) == 2:
        return ((versions[0], versions[1]),)
    return tuple((OTHERS, each) for each in versions) if len(versions) > 2 else ()


def slices_of(rated: Sequence[Rated], question: Question) -> tuple[Slice, ...]:
    """All slices, with p-values corrected over them; those in which a version is worst first, undefined ones last."""
    groups = _groups(rated)
    found = [
        each
        for pair in question.pairs
        for group, values in groups.items()
        for each in _of_group(group, values, rated, pair, question)
    ]
    tested = [each for each in found if each.difference.p is not None]
    adjusted = dict(zip(map(id, tested), bonferroni([each.difference.p for each in tested]), strict=True))
    sign = 1 if question.higher_is_better else -1
    done = [
        each.model_copy(
            update={
                "p_adjusted": p,
                "is_worse": p is not None and p < question.alpha and sign * (each.difference.value or 0.0) < 0,
            }
        )
        for each in found
        for p in [adjusted.get(id(each))]
    ]
    return tuple(sorted(done, key=lambda each: _order(each, sign)))


def _order(each: Slice, sign: int) -> tuple[bool, float, float, str, str, str, str]:
    """By the upper end of what the new version may be better by: a large loss in few dialogues comes after a sure one."""
    value, interval = each.difference.value, each.difference.interval
    ends = () if interval is None else (sign * interval.low, sign * interval.high)
    loss = sign * value if value is not None else 0.0
    return (value is None, max(ends, default=loss + 1), loss, each.by.value, each.field, each.value, each.system)


def _groups(rated: Sequence[Rated]) -> dict[Group, list[tuple[str, ...]]]:
    """The values of each dialogue, by what is sliced by; () where it has none."""
    found: dict[Group, list[tuple[str, ...]]] = {
        (SliceKind.FIELD, name): [each.fields.get(name, ()) for each in rated]
        for name in fields_of(each.fields for each in rated)
    }
    if any(each.tools not in (None, ("none",)) for each in rated):
        found[SliceKind.TOOL, ""] = [each.tools or () for each in rated]
    found[SliceKind.TURNS, ""] = [(each.turns,) for each in rated]
    if len(rated) <= MANY_IDENTIFIED:
        found[SliceKind.LANGUAGE, ""] = [_language(each.said) for each in rated]
    return {group: values for group, values in found.items() if len({each for own in values for each in own}) > 1}


def _meta(dialogue: Dialogue) -> dict[str, JsonValue]:
    """What is recorded of a dialogue, also beside its messages, if it is the same there."""
    found: dict[str, JsonValue] = dict(dialogue.meta)
    varying = set()
    for said in dialogue.utterances:
        varying |= {name for name, value in said.meta.items() if found.setdefault(name, value) != value}
    return {name: value for name, value in found.items() if name not in varying}


def fields_of(fields: Iterable[Mapping[str, tuple[str, ...]]]) -> list[str]:
    """Fields that say what a dialogue is about: short texts, whole numbers or truth values, most of them repeated."""
    counts: dict[str, Counter[str]] = {}
    odd: set[str] = set()
    for own in fields:
        for name, values in own.items():
            counts.setdefault(name, Counter()).update(values)
            odd |= set() if values else {name}
    return [
        name
        for name, own in counts.items()
        if name not in odd and 1 < len(own) <= own.total() / (1 if name.lower() in TOPICS else 2)
    ]


def _values(given: object) -> tuple[str, ...]:
    """The values of a field, or of a list in it, as names; () if one is a text or something else."""
    if isinstance(given, list):
        values = [_values(each) if not isinstance(each, list) else () for each in given]
        return tuple(dict.fromkeys(name for own in values for name in own)) if all(values) else ()
    if isinstance(given, bool | int) or (isinstance(given, str) and 0 < len(given.strip()) <= LONGEST_VALUE):
        return (str(given).strip(),) if "\n" not in str(given).strip() else ()
    return ()


def _turns(number: int) -> str:
    names = (name for fewest, most, name in TURNS if fewest <= number <= most)
    return next(names, "17 or more" if number else "0")


def _language(said: Sequence[str]) -> tuple[str, ...]:
    guess = language_of(said)
    return () if guess.code is None else (language_name(guess.code),)


def _of_group(
    group: Group, values: Sequence[tuple[str, ...]], rated: Sequence[Rated], pair: tuple[str, str], question: Question
) -> Iterator[Slice]:
    """Slices of one kind; values with too few dialogues of a version are pooled. None where no value has both versions,
    unless it is a topic."""
    members: dict[str, list[Rated]] = {}
    for own, each in zip(values, rated, strict=True):
        for value in own:
            members.setdefault(value, []).append(each)
    least = {value: min(map(len, _sides(of_value, pair).values())) for value, of_value in members.items()}
    if not any(least.values()) and group[1].lower() not in TOPICS:
        return  # such as the version of a prompt
    large = [value for value in members if least[value] >= LEAST]
    for value in large:
        yield _slice(group, value, 0, _sides(members[value], pair), question)
    small = [value for value in members if value not in large]
    if small:
        pooled = list({id(each): each for value in small for each in members[value]}.values())
        found = _slice(group, "", len(small), _sides(pooled, pair), question)
        nothing = Estimate(value=None, why=Reason.of(ReasonCode.SLICE_TOO_SMALL, least=LEAST))
        if large:
            yield found
        elif any(map(len, _sides(pooled, pair).values())):
            yield found.model_copy(update={"difference": nothing})


def _sides(rated: Iterable[Rated], pair: tuple[str, str]) -> dict[str, list[Rated]]:
    """Dialogues by side; those of a version that is on neither are left out."""
    old, new = pair
    found: dict[str, list[Rated]] = {old: [], new: []}
    for each in rated:
        if each.system in (old, new) or old == OTHERS:
            found[new if each.system == new else old].append(each)
    return found


def _slice(group: Group, value: str, pooled: int, sides: Mapping[str, list[Rated]], question: Question) -> Slice:
    old, new = sides
    return Slice(
        by=group[0],
        field=group[1],
        value=value,
        pooled=pooled,
        system=new,
        against=old,
        units={system: len(own) for system, own in sides.items()},
        values={
            system: sum(each.total for each in own) / sum(each.count for each in own)
            for system, own in sides.items()
            if own
        },
        difference=_difference(sides, question),
    )


def _difference(sides: Mapping[str, list[Rated]], question: Question) -> Estimate:
    absent = [system for system, own in sides.items() if not own]
    if absent:
        return Estimate(
            value=None, why=Reason.of(ReasonCode.SLICE_WITHOUT_VERSION, system=absent[0] or "another version")
        )
    if min(map(len, sides.values())) < LEAST:
        return Estimate(value=None, why=Reason.of(ReasonCode.SLICE_TOO_SMALL, least=LEAST))
    old, new = (
        cluster_sums([[each.total, each.count] for each in own], [each.cluster for each in own])
        for own in sides.values()
    )
    return difference(
        new,
        old,
        ratio,
        is_share=question.is_share,
        scale=question.scale,
        seed=question.seed,
        permutations=question.permutations,
    )
