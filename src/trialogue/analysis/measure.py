"""Pipeline step ``measure``: turn records into scores, with the facts needed to interpret them."""

import pickle
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import Any

from trialogue.analysis.alignment_baselines import with_baselines
from trialogue.analysis.default_metrics import BASELINES, LEARNED, default_metrics, with_leaders
from trialogue.analysis.domains import domain_fits
from trialogue.analysis.shared_situations import on_shared_situations, other_situations, shared_situations
from trialogue.analysis.system_facts import (
    FaultsOfUsers,
    facts_of,
    faults_of_users,
    people_among,
    tallies_of,
    wordings_by_system,
)
from trialogue.analysis.training_data import TrainedMetric, unknown_training_lines
from trialogue.dask_cluster import ALONE, Workers
from trialogue.errors import DataError, Problem
from trialogue.findings import Measure, SharedSituations, SystemFacts
from trialogue.findings.label_origins import LabelCounts
from trialogue.findings.languages import LanguageSurvey, screen, shown_mismatches
from trialogue.fingerprints import TrainingExposure
from trialogue.inputs.inputs import InputRecords
from trialogue.inputs.label_origins import label_counts
from trialogue.inputs.populations import measured_units, populations_of
from trialogue.long_work import OnePass, few_collections, with_progress
from trialogue.metrics import (
    AnyMetric,
    Conversation,
    Settings,
    all_variants,
    get_metrics,
    offline_conversations,
)
from trialogue.metrics.base import needs_offline
from trialogue.metrics.engine.conversations import (
    ConversationStream,
    Joined,
    answered_conversations,
    conversations_by_role,
    conversations_of,
    dialogues_in,
)
from trialogue.metrics.engine.engine import BATCH, Measurement
from trialogue.metrics.engine.unit_scores import UnitTable
from trialogue.metrics.failure_sensitivity import FailureSensitivity, failure_sensitivity, was_failed_by_its_system
from trialogue.metrics.gates.detect import Vocabulary
from trialogue.metrics.human_ratings import (
    FiledAnswers,
    HumanRating,
    answers_among,
    filed_scores,
    rating_scores,
    ratings_among,
    undeclared_scales,
)
from trialogue.records import (
    Dialogue,
    DistinctCounts,
    DomainFit,
    FailurePolicy,
    LanguageFinding,
    LanguageMismatch,
    Manifest,
    MeasureSums,
    Population,
    Role,
    Score,
    StoredParts,
    completion_counts,
)
from trialogue.records.files.dialogue_store import as_stored
from trialogue.records.kinds.suspicions import Gate
from trialogue.records.scores.score_table import ScoreTable
from trialogue.simulation.source import users_of_source

Tell = Callable[[str], None]
OF_USERS = frozenset({"need", "acts", "user_acts"})
"""Data needs of measures of users' success; measures with other needs, such as latency, describe the system."""


@dataclass(frozen=True)
class Choice:
    """Metrics to measure, and those to show."""

    shown: tuple[AnyMetric, ...]
    """Columns of the league table."""
    families: Mapping[str, Sequence[AnyMetric]] = field(default_factory=dict)
    """Metrics under every variant, to see whether the order of systems depends on it."""
    references: tuple[AnyMetric, ...] = ()
    """Not shown, but agreement with people is held against them."""
    are_named: bool = False
    """Whether the metrics were asked for by name; else they are those that suit the data."""
    baselines: bool = True
    """Whether to add context-free baselines to measures of alignment."""
    any_language: bool = False
    """Whether metrics that are not made for the language of a system are kept."""

    @property
    def all_metrics(self) -> list[AnyMetric]:
        """Distinct metrics to measure."""
        extra = [metric for family in self.families.values() for metric in family]
        return list({metric.measure: metric for metric in (*self.shown, *extra, *self.references)}.values())


@dataclass(frozen=True)
class AnswersInFiles:
    """Use of human answers from separate files."""

    given: int = 0
    """Number of answers in the files, including the unmatched ones."""
    unmatched: int = 0
    """Number of answers about units that are not among the records; they are excluded."""
    of_replies: tuple[Score, ...] = ()
    """Answers about single replies of dialogues, which the records do not contain; shown in examples."""


@dataclass(frozen=True)
class Measurements:
    """Scores, with the data they were computed from."""

    material: InputRecords
    offline: tuple[Conversation, ...]
    """Replies to situations, by system and dialogue."""
    choice: Choice
    scores: tuple[Score, ...]
    """People's single ratings, systems and differences; p-values are not corrected yet."""
    units: ScoreTable
    """Unit scores of the metrics."""
    measures: tuple[Measure, ...]
    """Measures of the scores, people's first."""
    systems: tuple[SystemFacts, ...]
    """Amount of data and endings by system."""
    dialogues: int
    """Different dialogues in all."""
    training_data: tuple[TrainingExposure, ...]
    """Training data of measures among the dialogues."""
    domains: tuple[DomainFit, ...]
    """Fit of the dialogues to the domains of measures, including excluded dialogues."""
    languages: tuple[LanguageFinding, ...]
    """Languages of systems, users and references."""
    language_mismatches: tuple[LanguageMismatch, ...]
    """Measures among those shown that do not fit these languages, left out or kept."""
    failure_sensitivity: tuple[FailureSensitivity, ...]
    """Values and differences with failed dialogues as the worst outcome, and without them; () where none failed."""
    settings: Settings
    manifest: Manifest
    counts: tuple[StoredParts, ...] = ()
    """Units, sums and counts of each system, for comparisons with other runs."""
    people: int | None = None
    """Different people who took part; None: unknown, or simulated users alone."""
    wordings: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """How a model's wordings of users' messages turned out, by system."""
    populations: tuple[Population, ...] = ()
    """What each system was evaluated on."""
    labels: tuple[LabelCounts, ...] = ()
    """Labellers of the compared strategies."""
    shared_situations: tuple[SharedSituations, ...] = ()
    """Pairs of systems that answered different situations."""
    unanswered: tuple[str, ...] = ()
    """A line for each system that did not answer all the situations that some system answered."""
    answers: AnswersInFiles = AnswersInFiles()
    """People's answers that came in files of their own; they are among the scores."""
    notes: tuple[str, ...] = ()
    """Caveats of the measurement."""
    faults: FaultsOfUsers = field(default_factory=dict)
    """Faults of users, by (system, dialogue)."""


def choose(
    material: InputRecords,
    metrics: Sequence[str] | None = None,
    *,
    variants_of: Sequence[str] = (),
    baselines: bool = True,
    any_language: bool = False,
) -> Choice:
    """Requested metrics, or the default ones that the records allow, one variant each.

    Raises:
        UsageError: an unknown metric, variant or parameter.
    """
    conversations = Joined(
        material.online(),
        offline_conversations(material.situations, material.responses),
    )
    look, keep = partial(_look, material), material.keep_domains
    shown = with_leaders(get_metrics(metrics)) if metrics else default_metrics(conversations, look, keep)
    families = {name: [each for each in all_variants(name) if each.card.extra is None] for name in variants_of}
    references = get_metrics(BASELINES) if _has_judgements(material, conversations) else []
    return Choice(
        tuple(shown),
        families,
        tuple(references),
        are_named=bool(metrics),
        baselines=baselines,
        any_language=any_language,
    )


def _look(material: InputRecords, conversations: Iterable[Conversation]) -> None:
    """Note on the way what ``measure`` would go through the dialogues for."""
    with_dialogue = (each for each in conversations if each.dialogue is not None)
    uses = [material.look_for_wishes]
    if as_stored(material.dialogues).are_rated and not answers_among(material.scores):
        uses.append(material.look_for_ratings)
    with OnePass(with_dialogue) as once:
        looks = [once.use(each) for each in uses]
    for look in looks:
        look.result()


def measure(
    material: InputRecords,
    choice: Choice,
    *,
    manifest: Manifest,
    settings: Settings | None = None,
    tell: Tell = lambda _line: None,
    workers: Workers = ALONE,
) -> Measurements:
    """Compute all scores of the records.

    Metrics that need a reference or targets are for replies to situations. The others take the dialogues that a system
    had, and its replies to situations only where it had no dialogues: of one system the two are never pooled. Systems that
    answered different situations are compared on those that both answered.

    Args:
        material: the records.
        choice: metrics to compute.
        manifest: says what the scores were made of.
        settings: seed, resamples, confidence.
        tell: called with progress lines.
        workers: they measure dialogues and check their users, where no system that only answered situations is measured
            with those that had dialogues.

    Raises:
        DataError: ids that clash, ratings on several scales, or one name for a system and a baseline.
    """
    settings = settings or Settings()
    material, promoted = with_own_roles(material)
    online = material.online()
    is_beside = len(online) < len(material.dialogues)
    beside = conversations_by_role(material.dialogues, Role.BASELINE) if is_beside else []
    offline = offline_conversations(material.situations, material.responses)
    met = systems_of(online)
    # A system with whole dialogues is described by these alone: pooling its replies to situations with them would mix two
    # designs. A system that only answered situations is described by its answers.
    alone = [conversation for conversation in offline if conversation.system not in met]
    metrics = choice.all_metrics
    answered = [] if online or offline else answered_conversations(answers_among(material.scores))
    of_dialogues = [each for each in answered if each.dialogue is not None]
    filed = FiledAnswers.select(material.scores, Joined(online, offline, answered))
    humans: Sequence[HumanRating] | None = [] if not as_stored(material.dialogues).are_rated else material.rated
    if humans is None or filed.by_unit or material.wishes is None:
        with OnePass(online) as once:
            rated = once.use(lambda items: ratings_among(items, filed)) if humans is None or filed.by_unit else None
            wishes = once.use(material.look_for_wishes)
        wishes.result()
        humans = humans or [] if rated is None else rated.result()
    found = _Found(settings, manifest.data_hash, tell)

    def own(items: Iterable[Conversation]) -> Iterable[Conversation]:
        """Those of evaluated systems."""
        return (each for each in items if each.role is Role.SYSTEM) if is_beside else items

    # Baselines of simulated users serve as yardsticks for outcomes only; on other metrics they would be noise.
    fitting = [metric for metric in metrics if not needs_offline(metric)] if online or alone else []
    outcomes = [metric for metric in fitting if is_beside and is_outcome(metric)]
    others = [metric for metric in fitting if metric not in outcomes]
    size = len(online) + len(beside) + len(alone)
    task = PartTask(
        tuple(metric.measure for metric in outcomes),
        tuple(metric.measure for metric in others),
        settings,
        manifest.data_hash,
        material.catalogue,
        material.wishes or {},
        is_beside=is_beside,
    )
    with OnePass(Joined(online, beside)) as once:
        add_ratings = found.people_in(once, humans, filed, own, len(online))
        if workers and not alone:
            whole = once.use(lambda items: measure_parts(dialogues_in(items), task, workers, tell, size))
        else:
            whole = once.use(lambda items: measure_alone(chain(items, alone), (outcomes, others), task, tell, size))
        failed = once.use(lambda items: any(map(was_failed_by_its_system, chain(own(items), alone, answered))))
        survey = once.use(lambda items: LanguageSurvey.from_conversations(chain(own(items), offline)))
        replied = [*offline, *(each for each in answered if each.dialogue is None)]
        audited = once.use(
            lambda items: tuple(
                measured_units(chain(items, of_dialogues), replied, material.situations, material.chances)
            )
        )
        tallies = once.use(lambda items: tallies_of(chain(own(items), alone, answered)))
        completed = once.use(
            lambda items: completion_counts(
                dialogues_in(items), situations=material.situations, responses=material.responses
            )
        )
        people = once.use(lambda items: people_among(dialogues_in(items)))
        wordings = once.use(lambda items: wordings_by_system(dialogues_in(items)))
        populations = once.use(
            lambda items: populations_of(dialogues_in(own(items)), material.situations, material.responses)
        )
        exposures = [
            once.use(partial(_exposures, metric, own)) for metric in choice.shown if isinstance(metric, TrainedMetric)
        ]
        if choice.are_named:
            domains = once.use(lambda items: domain_fits(choice.shown, own(items), are_measured=True)).result
        elif material.domains is None:
            domains = once.use(lambda items: domain_fits(get_metrics(LEARNED), own(items))).result
        else:
            domains = partial(tuple, material.domains)
    add_ratings()
    for conversations in (offline, answered):
        found.add_people(conversations, ratings_among(conversations, filed), filed)
    for total, units in whole.result().groups:
        total.finish(units)
        found.add_totals(total, units)
    found.measures.extend(_measure(metric, by_people=False) for metric in fitting)
    if offline and (on_replies := [metric for metric in metrics if needs_offline(metric)]):
        total, units = found.totals(on_replies, offline, len(offline))
        total.finish(units)
        found.add_totals(total, units)
        found.measures.extend(_measure(metric, by_people=False) for metric in on_replies)
    scores, notes = found.scores, list[str]()
    if choice.baselines:
        scores, notes = with_baselines(scores, offline, material.situations, choice.shown, settings=settings)
    on_situations = [metric for metric in metrics if needs_offline(metric) or not met]
    scores = on_shared_situations(scores, offline, on_situations, settings=settings, tell=tell)
    shown = [metric for metric in choice.shown if not needs_offline(metric) or not met]
    everything = Joined(online, alone, answered)
    failures = failure_sensitivity(everything, shown, settings=settings) if failed.result() else []
    screened = screen(
        scores,
        metrics,
        survey.result(),
        labels_made_for=material.labels_made_for,
        any_language=choice.any_language,
    )
    return Measurements(
        material=material,
        offline=tuple(offline),
        choice=choice,
        scores=tuple(screened.scores),
        units=found.units.drop(screened.left_out) if screened.left_out else found.units,
        counts=(
            *audited.result(),
            *(each for each in found.counts if (each.measure, each.system) not in screened.left_out),
        ),
        measures=tuple(found.measures),
        systems=facts_of(tallies.result(), completed.result(), whole.result().faults, seeds=material.seeds),
        faults=whole.result().faults,
        dialogues=len(online) or len({conversation.cluster for conversation in (*offline, *answered)}),
        people=people.result(),
        wordings=wordings.result(),
        populations=populations.result(),
        labels=label_counts(offline),
        shared_situations=shared_situations(offline),
        training_data=tuple(exposure for own in exposures for exposure in own.result() or ()),
        domains=domains(),
        languages=screened.findings,
        language_mismatches=shown_mismatches(screened.mismatches, [metric.measure for metric in choice.shown]),
        failure_sensitivity=tuple(failures),
        answers=AnswersInFiles(
            filed.given,
            filed.unmatched,
            tuple(score for each in online for score in filed_scores(each, filed)) if filed.by_unit else (),
        ),
        settings=settings,
        manifest=manifest,
        unanswered=tuple(other_situations(offline)),
        notes=(*promoted, *unknown_training_lines(choice.shown), *notes, *found.undeclared),
    )


def with_own_roles(material: InputRecords) -> tuple[InputRecords, list[str]]:
    """Records with the roles that they can have, and a line on each system whose role was another one.

    Who is a baseline, a simulation decides, and no file of people's dialogues: a competitor that one calls so would vanish.
    """
    dialogues = as_stored(material.dialogues)
    declared = dialogues.of_roles(Role.BASELINE)
    promoted = Counter(each.system or "" for each in declared if users_of_source(each) is None)
    if not promoted:
        return material, []
    dialogues = dialogues.with_change(
        lambda each: each.model_copy(update={"role": Role.SYSTEM}) if users_of_source(each) is None else each
    )
    lines = [
        f"{count:,} dialogues of {system} are marked as a baseline's, but no simulated user had them: {system} is evaluated "
        "as a system."
        for system, count in promoted.items()
    ]
    return replace(material, dialogues=dialogues), lines


def _has_judgements(material: InputRecords, conversations: Collection[Conversation]) -> bool:
    """Whether there is anything that agreement with people could be computed on."""
    filed = FiledAnswers.select(material.scores, conversations)
    return bool(
        material.preferences
        or filed.by_unit
        or any(response.utterance.ratings for response in material.responses)
        or as_stored(material.dialogues).are_rated
    )


def _exposures(
    metric: TrainedMetric,
    own: Callable[[Iterable[Conversation]], Iterable[Conversation]],
    items: Iterable[Conversation],
) -> tuple[TrainingExposure, ...] | None:
    return metric.training_exposure(dialogues_in(own(items)))


@dataclass(frozen=True)
class PartTask:
    """What is done with dialogues, wherever they are."""

    outcomes: tuple[str, ...]
    """Measures of all of them."""
    others: tuple[str, ...]
    """Measures of those of evaluated systems."""
    settings: Settings
    data_hash: str
    catalogue: str | None
    vocabulary: Vocabulary
    is_beside: bool
    """Whether some are of baselines."""


@dataclass(frozen=True)
class DialoguePart:
    """Some dialogues. They travel as bytes: pickled by cloudpickle, each record would take a call of Python."""

    dialogues: tuple[Dialogue, ...]
    first: int

    @property
    def given(self) -> str:
        """Which ones, for messages."""
        return f"dialogues {self.first:,} to {self.first + len(self.dialogues) - 1:,}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickle_part, (pickle.dumps(self.dialogues, pickle.HIGHEST_PROTOCOL), self.first)


def _unpickle_part(content: bytes, first: int) -> DialoguePart:
    return DialoguePart(pickle.loads(content), first)


@dataclass
class PartTotals:
    """Totals and unit scores of outcomes and of other metrics, and the faults of users."""

    groups: "_Groups"
    faults: dict[tuple[str, str], Sequence[Gate]]


def measure_parts(
    dialogues: Iterable[Dialogue], task: PartTask, workers: Workers, tell: Tell, count: int
) -> PartTotals:
    """What ``measure`` computes of dialogues alone, by several workers: the same, for any number of them.

    Args:
        dialogues: of evaluated systems, then of baselines.
        task: what is done with them.
        workers: do it.
        tell: called with progress lines.
        count: number of dialogues.

    Raises:
        DataError: one name of a system and a baseline, or dialogues at which every worker was killed.
    """
    stream = iter(dialogues)
    groups = iter(lambda: tuple(islice(stream, BATCH)), ())
    parts = (DialoguePart(group, 1 + place * BATCH) for place, group in enumerate(groups))
    whole = PartTotals(_empty_groups(task, (get_metrics(task.outcomes), get_metrics(task.others))), {})
    problems = list[Problem]()
    results = workers.map(measure_part, parts, task, purpose="evaluate on a Dask cluster")
    for _, found in with_progress(results, tell, f"times {BATCH} dialogues measured", -(-count // BATCH)):
        if not isinstance(found, PartTotals):
            problems += found
            continue
        for (total, units), (further, more) in zip(whole.groups, found.groups, strict=True):
            total.merge(further)
            units.extend(more)
        whole.faults |= found.faults
    if problems:
        raise DataError(problems)
    return whole


def measure_alone(
    conversations: Iterable[Conversation],
    metrics: tuple[Sequence[AnyMetric], Sequence[AnyMetric]],
    task: PartTask,
    tell: Tell,
    count: int,
) -> PartTotals:
    """What ``measure_parts`` computes, by this process: what one metric finds in a dialogue serves the others.

    Args:
        conversations: with dialogues or without, those of baselines among them.
        metrics: outcomes and others, as in the task; they may be of somebody's own.
        task: what is done with the dialogues.
        tell: called with progress lines.
        count: number of conversations.
    """
    tell(f"{sum(map(len, metrics))} metrics over {count} conversations")
    whole = PartTotals(_empty_groups(task, metrics), {})
    stream = iter(with_progress(conversations, tell, "conversations measured", count))
    while batch := list(islice(stream, BATCH)):
        _add(batch, task, whole)
    return whole


_Groups = tuple[tuple[Measurement, UnitTable], tuple[Measurement, UnitTable]]


def _empty_groups(task: PartTask, metrics: tuple[Sequence[AnyMetric], Sequence[AnyMetric]]) -> _Groups:
    first, second = (
        (Measurement(each, settings=task.settings, data_hash=task.data_hash), UnitTable()) for each in metrics
    )
    return first, second


def _add(conversations: Sequence[Conversation], task: PartTask, whole: PartTotals) -> None:
    """Add a batch of conversations."""
    own = [each for each in conversations if each.dialogue is None or each.role is Role.SYSTEM or not task.is_beside]
    for (total, units), measured in zip(whole.groups, (conversations, own), strict=True):
        total.add(measured, units)
    whole.faults |= faults_of_users(dialogues_in(own), task.catalogue, vocabulary=task.vocabulary)


@few_collections()
def measure_part(part: DialoguePart, task: PartTask) -> PartTotals | list[Problem]:
    """Totals and faults of some dialogues, or mistakes in them."""
    found = PartTotals(_empty_groups(task, (get_metrics(task.outcomes), get_metrics(task.others))), {})
    try:
        _add(list(conversations_of(part.dialogues)), task, found)
    except DataError as error:
        return list(error.problems)
    return found


@dataclass
class _Found:
    """What is measured, in the order of the report."""

    settings: Settings
    data_hash: str
    tell: Tell
    scores: list[Score] = field(default_factory=list)
    units: UnitTable = field(default_factory=UnitTable)
    measures: list[Measure] = field(default_factory=list)
    counts: list[MeasureSums | DistinctCounts] = field(default_factory=list)
    undeclared: list[str] = field(default_factory=list)

    def add_people(
        self, conversations: Collection[Conversation], humans: Sequence[HumanRating], filed: FiledAnswers
    ) -> None:
        """Add people's ratings of some conversations."""
        with OnePass(conversations) as once:
            add = self.people_in(once, humans, filed, lambda items: items, len(conversations))
        add()

    def people_in(
        self,
        once: OnePass[Conversation],
        humans: Sequence[HumanRating],
        filed: FiledAnswers,
        own: Callable[[Iterable[Conversation]], Iterable[Conversation]],
        count: int,
    ) -> Callable[[], None]:
        """What adds people's ratings of those conversations of a pass that are their ``own``, once it has ended."""
        if not humans:
            return lambda: None
        self.tell(f"people's ratings of {count} conversations")
        total = Measurement(humans, settings=self.settings, data_hash=self.data_hash)
        single = once.use(lambda items: [score for each in own(items) for score in rating_scores(each, filed)])
        added = once.use(lambda items: total.add(own(items)))

        def add() -> None:
            added.result()
            self.scores.extend([*single.result(), *total.scores()])
            self.measures.extend(_measure(human, by_people=True) for human in humans)
            self.undeclared.extend(undeclared_scales(humans))

        return add

    def totals(
        self, metrics: Sequence[AnyMetric], conversations: Iterable[Conversation], count: int
    ) -> tuple[Measurement, UnitTable]:
        """System totals and unit scores of some metrics."""
        found, units = Measurement(metrics, settings=self.settings, data_hash=self.data_hash), UnitTable()
        if metrics:
            self.tell(f"{len(metrics)} metrics over {count} conversations")
            what = f"conversations measured by {len(metrics)} metrics"
            found.add(with_progress(conversations, self.tell, what, count), units)
        return found, units

    def add_totals(self, totals: Measurement, units: UnitTable) -> None:
        """Add totals and unit scores."""
        self.units.extend(units)
        self.scores.extend(totals.scores())
        self.counts.extend([*totals.parts(), *totals.counts()])


def is_outcome(metric: AnyMetric) -> bool:
    """Whether systems are compared with baselines that met the same simulated users on this metric."""
    return metric.card.family == "simulation" and not OF_USERS.isdisjoint(metric.card.needs)


def _measure(metric: AnyMetric, *, by_people: bool) -> Measure:
    card = metric.card
    return Measure(
        name=metric.measure,
        title=card.title,
        by="people" if by_people else "metric",
        better=card.better,
        unit=card.unit,
        card=None if by_people else card,
        counts_failures=card.failure_policy is FailurePolicy.WORST,
        raters=metric.raters if isinstance(metric, HumanRating) else (),
        scale=metric.scale if isinstance(metric, HumanRating) else None,
    )


def systems_of(conversations: Iterable[Conversation]) -> set[str]:
    """Names of the systems."""
    if isinstance(conversations, ConversationStream):
        return conversations.systems
    return {conversation.system for conversation in conversations}
