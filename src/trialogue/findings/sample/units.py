"""What is suspicious in the units of one system: dialogues, or replies to situations. One pass, in any number."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from trialogue.findings.sample.copies import SHORTEST, CopyFinder, repeats_any, resembles_any
from trialogue.findings.sample.failure_texts import asks, names_something, suspicion_of_all
from trialogue.records import ClusterKind, JsonValue
from trialogue.records.kinds.suspicions import Suspicion

FEWEST_EQUAL = 3  # units with one and the same reply, from which the reply is suspected to be a failure
EQUAL = 0.05  # share of a system's units from which it is
MOST_EQUAL = 0.5  # share of all such units from which it is how the system talks, or a placeholder of the file
OPENING_WORDS = 4  # fewer are said alike by chance
OWN_WORDS = 10  # in two messages, that two people do not say alike, and get the same reply
LONGEST_EQUAL = 400  # characters of such a reply
ECHOING = 0.1  # of a system's replies repeat a reference: then those that resemble one do, too
SOURCES = ("source", "corpus", "dataset", "channel", "domain", "locale", "language", "platform", "split", "segment")
"""Fields of a dialogue that may say from where it is, if nothing else does."""


@dataclass
class UnitAudit:
    """Units of one system, added one after another."""

    clustered_by: ClusterKind
    """What their clusters are. Needs and situations that differ are different things, however alike they are put."""
    system: str = ""
    suspects: dict[str, Suspicion] = field(default_factory=dict)
    """Units that look like failures, by id."""
    unanswered: list[str] = field(default_factory=list)
    """Units that end with a question of the user."""
    echoes: list[str] = field(default_factory=list)
    """Units whose reply repeats a reference."""
    _alike: list[str] = field(default_factory=list)
    """Units whose reply may repeat one."""
    _ids: list[str] = field(default_factory=list)
    _clusters: list[str] = field(default_factory=list)
    _sources: list[str] = field(default_factory=list)
    _copies: CopyFinder = field(init=False)
    _may_be_near: bool = field(init=False)
    """Whether units that are alike may be copies: not those of needs or situations, which differ."""
    _again: dict[tuple[str, bytes], list[int]] = field(default_factory=lambda: defaultdict(list))
    """Places of short texts by what one person said and heard."""
    _heads: dict[bytes, list[int]] = field(default_factory=lambda: defaultdict(list))
    _openings: list[str] = field(default_factory=list)
    _equal: dict[str, list[tuple[str, int]]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self._may_be_near = self.clustered_by not in (ClusterKind.NEED, ClusterKind.SITUATION)
        self._copies = CopyFinder(self.system, is_near=self._may_be_near)

    def add(
        self,
        name: str,
        cluster: str,
        *,
        asked: Sequence[str],
        replies: Sequence[str],
        last: Sequence[str] = (),
        source: str = "",
        names_items: bool = False,
        is_answered: bool = True,
        content: Sequence[str] = (),
        references: Sequence[str] = (),
    ) -> None:
        """Add a unit.

        Args:
            name: id of the dialogue or situation.
            cluster: what it is drawn with.
            asked: what the user said, or the context.
            replies: what the system replied.
            last: what the user said after the last reply, if nothing else is recorded to have ended the dialogue.
            source: where it is from; "": unknown.
            names_items: whether the data annotate an item in the last reply, or a ranking.
            is_answered: whether the system was asked for a reply, and no failure was recorded.
            references: what people replied instead.
            content: texts by which copies are recognised; (): what was asked and replied.
        """
        place = len(self._ids)
        self._ids.append(name)
        self._clusters.append(cluster)
        self._sources.append(source)
        if self._may_be_near:
            first = next((said for said in asked if said.count(" ") >= OPENING_WORDS - 1), "")
            self._openings.append(first and _digest(first).hex())
        if is_answered:
            sign = suspicion_of_all(replies, names_items=names_items)
            if sign is not None:
                self.suspects[name] = sign
                return
            if any(map(asks, last)):
                self.unanswered.append(name)
            if references and repeats_any(replies[-1], references):
                self.echoes.append(name)
            elif references and resembles_any(replies[-1], references):
                self._alike.append(name)
            said = set(replies)
            if len(said) == 1 and not names_items and len(replies[0]) <= LONGEST_EQUAL:
                self._equal[" ".join(replies[0].lower().split())].append((name, hash(tuple(asked))))
        head = _head(asked, replies) if self._may_be_near else None
        if head is not None:
            self._heads[head].append(place)
        text = "\n".join(content or (*asked, *replies))
        is_long = self._copies.add(place, text, "" if content or not self._may_be_near else " ".join(asked))
        if not is_long and self.clustered_by is ClusterKind.PERSON and len(text.split()) >= OWN_WORDS:
            self._again[cluster, _digest(text)].append(place)

    def facts(self, *, are_people: bool = False) -> dict[str, Any]:
        """Fields of ``MeasuredUnits`` that say what was found; those without anything are left out.

        Args:
            are_people: whether people met the system.
        """
        self._suspect_equal_replies()
        suspects = {sign: tuple(name for name, own in self.suspects.items() if own is sign) for sign in Suspicion}
        found: dict[str, Any] = {
            "suspects": {sign: names for sign, names in suspects.items() if names},
            "unanswered": tuple(name for name in self.unanswered if name not in self.suspects),
            "echoes": (*self.echoes, *(self._alike if len(self.echoes) >= ECHOING * len(self._ids) else ())),
            "copies": self._name_units([*self._copies.exact(), *self._again.values()]),
            "sources": tuple(self._sources) if any(self._sources) else (),
        }
        if self.clustered_by is not ClusterKind.SITUATION:
            places = {place: text for text, own in self._copies.by_text().items() for place in own}
            found |= {"texts": self._hashes(places), "unnamed": self._hashes(self._copies.without_name())}
        if self._may_be_near:
            groups = (*self._copies.near(), *self._heads.values())
            apart = [group for group in groups if len({self._clusters[place] for place in group}) > 1]
            found["near_copies"] = self._name_units(apart)
            found["openings"] = tuple(self._openings) if are_people and any(self._openings) else ()
        return {name: value for name, value in found.items() if value}

    def _suspect_equal_replies(self) -> None:
        if all(self.suspects.get(name) is Suspicion.SILENT for name in self._ids):
            self.suspects.clear()  # the file holds no replies
        least, most = max(FEWEST_EQUAL, EQUAL * len(self._ids)), MOST_EQUAL * len(self._ids)
        repeated = [
            units
            for text, units in self._equal.items()
            if len(units) >= least and len({asked for _, asked in units}) >= FEWEST_EQUAL and not names_something(text)
        ]
        if sum(map(len, repeated)) <= most:  # more than that is how the system talks: "Try film 7."
            self.suspects.update((name, Suspicion.REPEATED) for units in repeated for name, _ in units)

    def _hashes(self, by_place: Mapping[int, bytes]) -> tuple[str, ...]:
        return tuple(by_place.get(place, b"").hex() for place in range(len(self._ids))) if by_place else ()

    def _name_units(self, groups: Sequence[Sequence[int]]) -> tuple[tuple[str, ...], ...]:
        """Groups by the ids of their units, without those that are suspects: failures are alike, and no copies."""
        named = [[self._ids[place] for place in group] for group in groups]
        kept = [tuple(name for name in group if name not in self.suspects) for group in named]
        return tuple(group for group in kept if len(group) > 1)


def _head(asked: Sequence[str], replies: Sequence[str]) -> bytes | None:
    """A hash of a person's first two messages and the reply to the first; None where two people may say as much.

    Dialogues that share them are one, logged after several turns, or continued in several ways.
    """
    own = " ".join(asked[:2]).split()
    words = [*own, *replies[0].split()] if len(asked) > 1 and replies else []
    if len(own) < OWN_WORDS or len(words) < SHORTEST:
        return None
    return _digest(" ".join(words).lower())


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def source_of(source: str | None, meta: Mapping[str, JsonValue]) -> str:
    """Where a dialogue is from: what the corpus says, and the first field of its own that says so.

    >>> source_of("logs", {"channel": "app"}), source_of(None, {})
    ('logs, channel app', '')
    """
    own = next((f"{name} {meta[name]}" for name in SOURCES if isinstance(meta.get(name), str | int)), "")
    return ", ".join(each for each in (source or "", own) if each)
