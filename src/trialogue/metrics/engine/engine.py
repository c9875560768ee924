"""Measure all metrics in one pass over conversations: unit scores as they come, system scores and differences at the end."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, combinations, islice

from trialogue.errors import DataError, Problem, UsageError
from trialogue.metrics.base import AnyMetric, Conversation, group_by_system
from trialogue.metrics.batch import Batch
from trialogue.metrics.engine.accumulate import (
    Accumulator,
    CountedTotals,
    LiftTotals,
    Settings,
    Sink,
    SummedTotals,
    accumulator_for,
)
from trialogue.metrics.engine.text_batches import TextBatch, text_batches
from trialogue.metrics.engine.unit_scores import ColumnSink, UnitTable
from trialogue.metrics.fit_uncertainty import CALIBRATION, FittedMetric
from trialogue.metrics.strategy_sets import WEIGHT, WEIGHT_BY
from trialogue.metrics.text.word_hashes import Vocabulary
from trialogue.records import (
    ActOrigin,
    Dialogue,
    DistinctCounts,
    Estimate,
    MeasureSums,
    Reason,
    ReasonCode,
    Role,
    Score,
)
from trialogue.records.dialogue import act_labellers
from trialogue.records.files.manifest import versions_of
from trialogue.records.files.plain import PlainDialogue

__all__ = ["BATCH", "Sink", "measure"]

ACTS = frozenset({"acts", "user_acts"})
"""Data needs of measures that use acts; users' acts are answers to recognised system acts."""
MAX_COMPARED = 60  # systems; 1,770 pairs. Of more, no difference would survive correction, and nobody would read them
BATCH = 256  # conversations taken in at a time: enough for vectorised kernels, little enough to stay in the cache


def measure(
    conversations: Iterable[Conversation],
    metrics: Sequence[AnyMetric],
    *,
    settings: Settings | None = None,
    data_hash: str = "",
    sink: Sink | ColumnSink | None = None,
) -> list[Score]:
    """Compute scores of every system (level ``system``) and every pair of systems (level ``difference``).

    Systems are distinguished by ``Conversation.system`` and sorted alphabetically; a difference is first minus second
    of these. p-values are not corrected here: what is compared with what is decided where conclusions are drawn.

    Args:
        conversations: streamed; each is held only while its batch is measured.
        metrics: what to measure.
        settings: seed, resamples, confidence.
        data_hash: short hash of the inputs, for the signatures.
        sink: takes the scores of units (utterance, response, dialogue), in the order of the conversations, one by one or as
            columns.

    Returns:
        System scores, then differences; nothing for no conversations.

    Raises:
        UsageError: two of the metrics have the same full name, so their scores could not be distinguished.
    """
    found = Measurement(metrics, settings=settings, data_hash=data_hash)
    found.add(conversations, sink)
    return found.scores()


LABELLED = frozenset({WEIGHT, "strategy_distribution", "same_as_reference", "strategies", "mentions", "context"})
"""Needs of metrics that read what somebody labelled."""


class Measurement:
    """Running totals of several metrics for every system; parts of the data can be merged.

    Pickled, it leaves the metrics behind: the process that merges it has the same ones.
    """

    def __init__(self, metrics: Sequence[AnyMetric], *, settings: Settings | None = None, data_hash: str = "") -> None:
        """Create empty totals; arguments and errors as for ``measure``."""
        _check_names(metrics)
        self._metrics = metrics
        self._settings = settings or Settings()
        self._data_hash = data_hash
        self._totals: dict[str, list[Accumulator]] = {}
        self._roles: dict[str, Role] = {}
        self._origins: dict[str, set[str]] = {metric.measure: set() for metric in metrics}
        self._acts: Counter[ActOrigin | None] = Counter()
        self._act_labellers: set[str] = set()
        self._vocabulary = Vocabulary()

    def add(self, conversations: Iterable[Conversation], sink: Sink | ColumnSink | None = None) -> None:
        """Add conversations; arguments and errors as for ``measure``."""
        rests_on_acts = any(ACTS & set(metric.card.needs) for metric in self._metrics)
        for conversations_at_once in _batches(conversations):
            for system, group in group_by_system(conversations_at_once).items():
                for role in {conversation.role for conversation in group}:
                    self._declare_role(system, role)
                batch = Batch(group, self._vocabulary)
                if rests_on_acts:
                    self._acts.update(said.acts_by for said in batch.utterances if said.acts)
                    self._act_labellers |= act_labellers(batch.different_utterances)
                for metric, accumulator in zip(self._metrics, self._totals_of(system), strict=True):
                    if needs := LABELLED.intersection(metric.card.needs):
                        self._origins[metric.measure] |= batch.memoize(
                            ("origins", needs),
                            lambda: frozenset(_origins(needs, batch)),  # noqa: B023  # called at once
                        )
                    accumulator.add(batch, sink)

    def add_texts(self, dialogues: Iterable[Dialogue | PlainDialogue]) -> Iterator[TextBatch]:
        """Add the texts of dialogues to metrics that read nothing else, batch by batch as these are taken."""
        for batch in text_batches(dialogues, self._vocabulary):
            for role in batch.roles:
                self._declare_role(batch.system, role)
            for accumulator in self._totals_of(batch.system):
                accumulator.add(batch)
            yield batch

    def merge(self, other: "Measurement") -> None:
        """Add the totals of other conversations, as if they followed these.

        Raises:
            DataError: one name is a system's and a baseline's.
        """
        for system, role in other._roles.items():
            self._declare_role(system, role)
            for own, further in zip(self._totals_of(system), other._totals[system], strict=True):
                own.merge(further)
        for name, found in other._origins.items():
            self._origins[name] |= found
        self._acts.update(other._acts)
        self._act_labellers |= other._act_labellers

    def by_place(self) -> Iterator[tuple[str, int, Accumulator]]:
        """Each system, the place of a metric among all, and the running totals of both."""
        for system, totals in self._totals.items():
            yield from ((system, place, each) for place, each in enumerate(totals))

    def rest_on(self, data_hash: str) -> None:
        """Name the data in signatures, where they were not known before."""
        self._data_hash = data_hash

    def finish(self, table: UnitTable | None = None) -> None:
        """Keep only what scores and counts are made of: nothing can be added any more, and counts be taken once.

        Of a million dialogues, the places of every distinct thing are half of the memory.

        Args:
            table: takes the unit values that are known only now.
        """
        for system, totals in self._totals.items():
            for each in totals:
                if isinstance(each, CountedTotals):
                    each.finish()
                elif isinstance(each, LiftTotals) and table is not None and (values := each.of_dialogues()) is not None:
                    table.add_dialogues(system, each.metric.measure, each.dialogue_ids, values)

    def scores(self) -> list[Score]:
        """Scores of systems, then of their differences, as returned by ``measure``."""
        metrics, totals, settings = self._metrics, self._totals, self._settings
        calibrated = {
            each.measure for each in metrics if isinstance(each, FittedMetric) and each.rests_on == CALIBRATION
        }
        signatures = {
            metric.measure: _signature(
                metric,
                self._origins[metric.measure],
                settings,
                self._data_hash,
                _signature_notes(own[place] for own in totals.values()),
                _acts_signature(self._acts, self._act_labellers),
            )
            for place, metric in enumerate(metrics)
        }
        return [
            score.model_copy(
                update={
                    "role": self._roles.get(score.system or "", Role.SYSTEM),
                    "versus_role": self._roles.get(score.versus or "", Role.SYSTEM),
                    "labels_from": tuple(sorted(self._origins[score.measure])),
                    "is_calibrated": score.measure in calibrated,
                }
            )
            for score in (
                *_system_scores(totals, metrics, settings, signatures),
                *_differences(totals, metrics, settings, signatures, self._roles),
            )
        ]

    def counts(self) -> list[DistinctCounts]:
        """Counts of the distinct-type metrics by metric and system, for comparison with another run."""
        return [
            counts
            for place in range(len(self._metrics))
            for system in sorted(self._totals)
            if isinstance(totals := self._totals[system][place], CountedTotals)
            and (counts := totals.counts(system)) is not None
        ]

    def parts(self) -> list[MeasureSums]:
        """What the values of summed metrics are made of, by metric and system, for comparison with another run."""
        return [
            parts
            for place in range(len(self._metrics))
            for system in sorted(self._totals)
            if isinstance(totals := self._totals[system][place], SummedTotals | LiftTotals)
            and (parts := totals.parts(system)) is not None
        ]

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_metrics": (), "_vocabulary": Vocabulary()}

    def _totals_of(self, system: str) -> list[Accumulator]:
        if system not in self._totals:
            failed = self._settings.failed
            self._totals[system] = [accumulator_for(metric, failed=failed) for metric in self._metrics]
        return self._totals[system]

    def _declare_role(self, system: str, role: Role) -> None:
        """Keep the role of a system.

        Raises:
            DataError: one name is a system's and a baseline's.
        """
        if self._roles.setdefault(system, role) is not role:
            hint = "Give the baseline another name."
            raise DataError(Problem(f"{system!r} is the name of both a system and a baseline.", hint=hint))


def _check_names(metrics: Sequence[AnyMetric]) -> None:
    twice = [name for name, times in Counter(metric.measure for metric in metrics).items() if times > 1]
    if twice:
        raise UsageError(
            f"These metrics are given more than once, or two metrics have the same name: {', '.join(twice)}. "
            "Give each once; a metric of your own needs a unique name."
        )


def _batches(conversations: Iterable[Conversation]) -> Iterator[list[Conversation]]:
    stream = iter(conversations)
    while batch := list(islice(stream, BATCH)):
        yield batch


def _origins(needs: frozenset[str], batch: Batch) -> Iterator[str]:
    """Labellers, and sources of weights, that a metric with some needs reads; empty if it reads none."""
    replies = () if batch.is_of_dialogues else batch.replies
    references = [each.reference for each in replies if each.reference is not None]
    if WEIGHT in needs:
        yield from (f"weights={each.meta[WEIGHT_BY]}" for each in references if WEIGHT_BY in each.meta)
    if "strategy_distribution" in needs:
        beliefs = (each.strategy_distribution for each in (*batch.different_utterances, *references))
        yield from (belief.origin for belief in beliefs if belief is not None)
    if "same_as_reference" in needs:
        judged = (each.same_as_reference for each in batch.different_utterances)
        yield from (each.origin for each in judged if each is not None)
    if kinds := {"strategies", "mentions"} & needs:
        read = (said for reply in batch.replies for said in reply.context) if "context" in needs else ()
        for utterance in chain(batch.different_utterances, references, read):
            yield from (label.origin for kind in kinds for label in getattr(utterance, kind) or ())


def _signature_notes(accumulators: Iterable[Accumulator]) -> set[str]:
    """Signature entries on unusual intervals and on failed units."""
    return {part for each in accumulators if isinstance(each, SummedTotals) for part in each.signature_notes}


def _acts_signature(acts: Counter[ActOrigin | None], labellers: Collection[str] = ()) -> str:
    """Origins of the systems' dialogue acts, as shares, and language models that were asked for some; "" if not recorded.

    >>> _acts_signature(Counter({ActOrigin.RECOGNISED: 3, ActOrigin.DECLARED: 1}))
    'acts:declared=0.250+recognised=0.750'
    >>> _acts_signature(Counter({ActOrigin.RECOGNISED: 3}), {"llm|v1|tiny|0a"})
    'acts:recognised=1.000|act-labellers:llm|v1|tiny|0a'
    """
    parts = []
    if acts.keys() - {None}:
        shares = {origin or "unknown": count / acts.total() for origin, count in acts.items()}
        parts.append("acts:" + "+".join(f"{origin}={share:.3f}" for origin, share in sorted(shares.items())))
    if labellers:
        parts.append("act-labellers:" + "+".join(sorted(labellers)))
    return "|".join(parts)


def _signature(
    metric: AnyMetric, origins: set[str], settings: Settings, data_hash: str, intervals: Iterable[str], acts: str
) -> str:
    parts = [metric.measure]
    if origins:
        parts.append("labels:" + "+".join(sorted(origins)))
    parts.append(f"seed:{settings.seed}")
    parts.append(f"resamples:{settings.resamples}")
    if data_hash:
        parts.append(f"data:{data_hash}")
    parts.append(f"trialogue:{versions_of('trialogue')['trialogue']}")
    if acts and ACTS & set(metric.card.needs):
        parts.append(acts)
    parts += sorted(intervals)
    return "|".join(parts)


def _system_scores(
    totals: dict[str, list[Accumulator]], metrics: Sequence[AnyMetric], settings: Settings, signatures: dict[str, str]
) -> Iterator[Score]:
    for place, metric in enumerate(metrics):
        for system in sorted(totals):
            accumulator = totals[system][place]
            estimate = accumulator.estimate(system, settings)
            yield _score(metric, estimate, system, None, signatures, skipped=accumulator.skipped)


def _differences(
    totals: dict[str, list[Accumulator]],
    metrics: Sequence[AnyMetric],
    settings: Settings,
    signatures: dict[str, str],
    roles: dict[str, Role],
) -> Iterator[Score]:
    """Differences of all pairs, except between two baselines unless there are only baselines."""
    if len(totals) > MAX_COMPARED:
        return
    compared = {system for system in totals if roles.get(system) is not Role.BASELINE} or set(totals)
    pairs = [pair for pair in combinations(sorted(totals), 2) if not compared.isdisjoint(pair)]
    # Pair by pair: all measures of a pair have the same arrangements, of which only the last few tables are kept.
    found = {
        (first, second): [own.minus(other, settings) for own, other in zip(totals[first], totals[second], strict=True)]
        for first, second in pairs
    }
    for place, metric in enumerate(metrics):
        for first, second in pairs:
            yield _score(metric, found[first, second][place], first, second, signatures)


def _score(
    metric: AnyMetric,
    estimate: Estimate,
    system: str,
    versus: str | None,
    signatures: dict[str, str],
    *,
    skipped: Counter[Reason] | None = None,
) -> Score:
    return Score.of_estimate(
        estimate,
        measure=metric.measure,
        system=system,
        versus=versus,
        skipped=skipped.total() if skipped is not None else None,
        left_out=_left_out(skipped) if skipped and estimate.value is not None else None,
        signature=signatures[metric.measure],
    )


def _left_out(skipped: Counter[Reason]) -> Reason:
    """Number of excluded units, with the most frequent reason."""
    (reason, times), *others = skipped.most_common(2)
    if others:
        return Reason.of(ReasonCode.LEFT_OUT_FOR_SEVERAL_REASONS, reason, units=skipped.total(), times=times)
    return Reason.of(ReasonCode.LEFT_OUT_FOR_ONE_REASON, reason, units=times)
