"""What an exported study holds: people, what they were shown, their answers, and whose answers count."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar, Literal, TypeAlias, get_args

from trialogue.records import Dialogue, Preference, Raters, Record, Score
from trialogue.records.scale import Scale as ScaleEnds

Stage = Literal["arrived", "consented", "screened", "active", "completed"]


State = Literal[
    "arrived", "consented", "screened", "active", "completed", "failed", "withdrew", "returned", "timed_out"
]


STAGES: tuple[Stage, ...] = get_args(Stage)


BY_HAND = "excluded by hand"
"""Name of manual exclusion among exclusion rules; rule names contain no spaces, so it is unique."""


class Participant(Record):
    """One participant, identified by code."""

    kind: ClassVar[str] = "participant"

    participant: str
    """The code that is ``rater`` elsewhere."""
    state: State
    """Last state on record, such as ``completed`` or ``withdrew``."""
    reached: Stage | None = None
    """The furthest stage; None: as the state says, or ``active`` for those with answers, else ``arrived``."""
    reason: str | None = None
    """Why a failed participant failed, such as ``screened_out`` or ``attention``; None: did not fail."""
    flags: tuple[str, ...] = ()
    """Exclusion rules that it hits."""
    by_hand: str | None = None
    """Why those who ran the study excluded this participant by hand, whatever the rules say; None: they did not."""
    started_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def hits(self) -> tuple[str, ...]:
        """Reasons for exclusion: rules, and ``BY_HAND``."""
        return self.flags if self.by_hand is None else (*self.flags, BY_HAND)

    def furthest(self, answered: Collection[str]) -> Stage:
        """Furthest stage reached, given the participants with answers."""
        if self.reached is not None:
            return self.reached
        if self.state in STAGES:
            return self.state
        return "active" if self.participant in answered else "arrived"


class Presentation(Record):
    """Position and duration of what a participant was shown."""

    position: int | None = None
    """Display position, from 1."""
    trial: int | None = None
    """Page of the session, from 1."""
    seconds: float | None = None
    """Time on the page."""


Rules = Mapping[str, str]
"""Planned exclusion rules: name to meaning."""


def countable_participants(
    people: Sequence[Participant], rules: Rules | None, *, only: Collection[str] | None = None, unfinished: bool = False
) -> frozenset[str] | None:
    """Codes of participants whose answers count; None without a participants table: all.

    Args:
        people: the table.
        rules: planned rules; None: every flag counts. Exclusions by hand always do.
        only: rules (and ``BY_HAND``) to apply instead of all planned ones and those by hand.
        unfinished: also take those who did not complete (never those who withdrew).
    """
    if not people:
        return None
    return frozenset(
        person.participant
        for person in people
        if (person.state == "completed" or (unfinished and person.state != "withdrew"))
        and not any(_applies(flag, rules, only) for flag in person.hits)
    )


def _applies(flag: str, rules: Rules | None, only: Collection[str] | None) -> bool:
    if only is not None:
        return flag in only
    return rules is None or flag in rules or flag == BY_HAND


class InterimLook(Record):
    """Interim look at results before the planned number of answers."""

    done: int
    """Answers that there were."""
    needed: int
    """Answers that were planned."""
    at: str = ""
    """When it was taken, ISO 8601; "": not recorded."""


Key = tuple[str | None, str | None, str | None, str | None, int | None]
"""Rater, system, situation, dialogue, utterance: what a presentation belongs to."""


def key_of(score: Score) -> Key:
    """Key of the presentation of a rated item."""
    return (score.rater, score.system, score.situation_id, score.dialogue_id, score.utterance)


@dataclass(frozen=True)
class Code:
    """Code assigned to an explanation by a coder; None: no code fits."""

    preference_id: str
    coder: str
    code: str | None


OptionKind: TypeAlias = Literal["ranking", "best_worst", "choices", "choice"]


@dataclass(frozen=True)
class OptionValue:
    """One answer's value for one option."""

    rater: str
    step: str
    """Key of the page that was answered."""
    question: str
    kind: OptionKind
    option: str
    value: float
    """``ranking``: its rank from 1. ``best_worst``: 1, -1 or 0. ``choices``, ``choice``: 1 or 0."""
    system: str = ""
    """System that the question was about; "": one question about the item, or about none."""
    situation_id: str = ""
    """The item; "": none."""


@dataclass(frozen=True)
class Label:
    """One annotator's label of one utterance."""

    dialogue_id: str
    utterance: int
    rater: str
    label: str
    role: Literal["annotator", "adjudicator"] = "annotator"


@dataclass(frozen=True)
class Scale:
    """Title and points of a criterion."""

    title: str
    better: Literal["higher", "lower"] = "higher"
    labels: Mapping[float, str] = field(default_factory=dict)
    """Every point with its words; empty: the points that occur."""
    question: str = ""


@dataclass(frozen=True)
class StudyData:
    """Data collected in a study."""

    title: str = "Human study"
    scores: Sequence[Score] = ()
    dialogues: Sequence[Dialogue] = ()
    """Dialogues that participants had, where they rate their own."""
    preferences: Sequence[Preference] = ()
    labels: Sequence[Label] = ()
    people: Sequence[Participant] = ()
    rules: Rules | None = None
    """Planned exclusion rules; None: every flag excludes."""
    presentations: Mapping[Key, Presentation] = field(default_factory=dict)
    """Presentations of ratings."""
    shown: Mapping[str, Presentation] = field(default_factory=dict)
    """Presentations of preferences, by id."""
    codes: Sequence[Code] = ()
    options: Sequence[OptionValue] = ()
    """Rankings, best–worst choices and multiple choices, one row per option."""
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of questions with options, by name."""
    option_labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What options are called, by question and option."""
    scales: Mapping[str, Scale] = field(default_factory=dict)
    task: Literal["choice", "realism"] = "choice"
    primary: str | None = None
    """The criterion that the answer rests on; None: none was declared, and p-values are corrected over all."""
    raters_per_item: int | None = None
    study_hash: str | None = None
    early_looks: tuple[InterimLook, ...] = ()
    """Looks at results before the planned number of answers was there."""
    model_scores: Sequence[Score] = ()
    """Scores by language models; in no other field."""
    model_preferences: Sequence[Preference] = ()
    """The same of choices."""
    raters: Raters = Raters.PEOPLE
    """Participants, needed for labels; ratings and choices name their raters themselves."""
    notes: Sequence[str] = ()
    """Repairs made while reading."""

    @property
    def counted_labels(self) -> list[Label]:
        """Labels of those who count, and of adjudicators."""
        counted = self.countable_people
        return [one for one in self.labels if counted is None or one.role == "adjudicator" or one.rater in counted]

    @property
    def countable_people(self) -> frozenset[str] | None:
        """Participants who completed and hit no pre-launch exclusion rule; None: no participants table."""
        return countable_participants(self.people, self.rules)

    @property
    def system_ratings(self) -> list[Score]:
        """All ratings of systems, including excluded participants', with the scales that the study declares."""
        rated = (score for score in self.scores if score.system is not None)
        return [_with_scale(score, self.scales.get(score.measure)) for score in rated]

    @property
    def votes(self) -> Sequence[Preference]:
        """All choices between systems, including excluded participants'; realism judgements are not votes."""
        return () if self.task == "realism" else self.preferences


def _with_scale(score: Score, scale: Scale | None) -> Score:
    """An answer with the ends and the direction of the scale that the study declares."""
    if scale is None:
        return score
    points = sorted(scale.labels)
    declared = score.scale or (ScaleEnds.of(points[0], points[-1]) if len(points) > 1 else None)
    return score.model_copy(update={"scale": declared, "better": scale.better})
