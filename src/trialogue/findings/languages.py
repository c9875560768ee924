"""Check measures against the languages of systems and users, and drop scores of measures that do not fit.

Results are records (``LanguageFinding``, ``LanguageMismatch``); ``language_texts`` words them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Self

from trialogue.languages import ENGLISH, TextSample, language_name
from trialogue.metrics import AnyMetric, Conversation
from trialogue.metrics.base import Reply
from trialogue.records import (
    LanguageFinding,
    LanguageMismatch,
    MeasureName,
    Misfit,
    Reason,
    ReasonCode,
    Score,
    TextUse,
    Writer,
    has_ground_truth,
)

OF_MODELS = frozenset({"strategy_distribution", "same_as_reference"})
"""Needs that only a model of strategies meets."""
AT_ONCE = 256
"""Conversations that are taken in together."""
DIFFERENT = Reason.of(ReasonCode.DIFFERENT_LANGUAGES)


class LanguageSurvey:
    """Detects the languages of conversations incrementally."""

    def __init__(self) -> None:
        self._samples: defaultdict[tuple[str | None, Writer], TextSample] = defaultdict(TextSample)
        self.labelled_by_model: set[str] = set()
        """Systems of whose replies, or their references, only a model labelled strategies."""

    @classmethod
    def from_conversations(cls, conversations: Iterable[Conversation]) -> Self:
        """Survey of given conversations."""
        survey = cls()
        for conversation in conversations:
            survey.add(conversation)
        return survey

    def watch(self, conversations: Iterable[Conversation]) -> Iterator[Conversation]:
        """Pass conversations through, adding each to the survey."""
        stream = iter(conversations)
        while group := list(islice(stream, AT_ONCE)):
            self._add_all(group)
            yield from group

    def add(self, conversation: Conversation) -> None:
        """Add the texts of the system, its users and the reference in a conversation."""
        self._add_all([conversation])

    def _add_all(self, conversations: Iterable[Conversation]) -> None:
        texts: defaultdict[tuple[str | None, Writer], list[str]] = defaultdict(list)
        for conversation in conversations:
            system = conversation.system
            texts[system, "system"] += conversation.texts
            texts[system, "user"] += conversation.user_texts
            if conversation.dialogue is not None:
                continue  # its replies have no reference
            for reply in conversation.replies:
                if reply.reference is not None:
                    texts[None, "reference"].append(reply.reference.text)
                    if _labelled_by_model(reply):
                        self.labelled_by_model.add(system)
        for (name, writer), said in texts.items():
            self.add_texts(name, writer, said)

    def add_texts(self, system: str | None, writer: Writer, texts: Sequence[str]) -> None:
        """Add texts of a system, its users or the references."""
        if texts:
            self._samples[system, writer].add_all(texts)

    def merge(self, other: "LanguageSurvey") -> None:
        """Add another survey, as if its conversations followed these."""
        for key, sample in other._samples.items():
            self._samples[key].merge(sample)
        self.labelled_by_model |= other.labelled_by_model

    def findings(self) -> tuple[LanguageFinding, ...]:
        """Languages of each system, its users and references; systems in alphabetical order."""
        return tuple(
            _make_finding(system, writer, self._samples[system, writer])
            for system, writer in sorted(self._samples, key=lambda each: (each[0] is None, each))
        )


def _labelled_by_model(reply: Reply) -> bool:
    said = (reply.utterance, reply.reference)
    return any(each is not None and each.text.strip() and not has_ground_truth(each) for each in said)


def _make_finding(system: str | None, writer: Writer, sample: TextSample) -> LanguageFinding:
    guess = sample.guess()
    return LanguageFinding(
        system=system,
        writer=writer,
        language=guess.code,
        share=guess.share,
        words=guess.words,
        has_spaces=guess.has_spaces,
        is_clear=guess.is_clear,
    )


@dataclass(frozen=True)
class ScreenedScores:
    """Scores that remain after language screening."""

    scores: list[Score]
    """Without those that do not fit; differences across languages are undefined."""
    findings: tuple[LanguageFinding, ...]
    mismatches: tuple[LanguageMismatch, ...]
    """Units in an unsupported language, excluded or kept."""
    left_out: frozenset[tuple[str, str]] = frozenset()
    """(full name of a measure, system) that have no scores for this reason."""


def with_known_labels(
    conversations: Iterable[Conversation], mismatches: Iterable[LanguageMismatch]
) -> list[Conversation]:
    """Drop conversations of systems whose strategies were labelled by a model of another language."""
    unknown = {
        system for each in mismatches if each.reason == "model_labels" and not each.is_kept for system in each.systems
    }
    return [each for each in conversations if each.system not in unknown]


@dataclass(frozen=True)
class _Reason:
    """Reason why a measure does not support a speaker's language; grouped over measures and systems."""

    code: Misfit
    writer: Writer
    languages: tuple[str, ...]
    made_for: tuple[str, ...]


def screen(
    scores: Sequence[Score],
    metrics: Sequence[AnyMetric],
    survey: LanguageSurvey,
    *,
    labels_made_for: tuple[str, ...] | None = ENGLISH,
    any_language: bool = False,
) -> ScreenedScores:
    """Drop scores of measures that do not support the language of their data.

    Where there is too little text to tell a language, its measures are kept.

    Args:
        scores: scores of systems, units and differences, in any order; those of other measures stay.
        metrics: what was measured.
        survey: survey of the conversations that were measured.
        labels_made_for: languages of the model that labelled strategies where people did not; None: any.
        any_language: keep everything; the mismatches say so.
    """
    findings = survey.findings()
    known = {(each.system, each.writer): each for each in findings}
    systems = [each.system for each in findings if each.system is not None and each.writer == "system"]
    reasons = {
        (metric.measure, system): reason
        for metric in metrics
        for system in systems
        if (reason := _misfit(metric, system, known, survey, labels_made_for)) is not None
    }
    apart = {
        (metric.measure, *pair): reason
        for metric in metrics
        for pair in combinations(systems, 2)
        if (reason := _difference(metric, pair, known)) is not None
    }
    # Too little text to detect a language is a remark, not a reason to drop scores.
    left_out = frozenset() if any_language else frozenset(k for k, v in reasons.items() if v.code != "unknown")
    divided = {key: v for key, v in apart.items() if left_out.isdisjoint({(key[0], key[1]), (key[0], key[2])})}
    # A measure that supports none of the systems' languages disappears as a whole, its differences included.
    empty = {name for name, _ in left_out if all((name, system) in left_out for system in systems)}
    kept = [
        _undefine(each) if not any_language and (each.measure, each.system, each.versus) in apart else each
        for each in scores
        if each.measure not in empty and left_out.isdisjoint({(each.measure, each.system), (each.measure, each.versus)})
    ]
    mismatches = [
        *_group_mismatches(((reason, name, (system,)) for (name, system), reason in reasons.items()), any_language),
        *_of_pairs(divided, any_language),
    ]
    return ScreenedScores(kept, findings, tuple(mismatches), left_out)


def mismatches_of_pair(
    metrics: Iterable[AnyMetric], pair: tuple[str, str], findings: Iterable[LanguageFinding], *, are_kept: bool
) -> list[LanguageMismatch]:
    """Measures on which two systems of different runs are not compared, because they write in different languages."""
    known = {(each.system, each.writer): each for each in findings}
    apart = {
        (metric.measure, *pair): reason
        for metric in metrics
        if (reason := _difference(metric, pair, known)) is not None
    }
    return list(_of_pairs(apart, are_kept))


Known = dict[tuple[str | None, Writer], LanguageFinding]


def _misfit(
    metric: AnyMetric, system: str, known: Known, survey: LanguageSurvey, labels_made_for: tuple[str, ...] | None
) -> _Reason | None:
    """Why a measure does not fit what a system's conversations hold; None where it does."""
    use = _text_use(metric)
    made_for = use.languages if use is not None else None
    code: Misfit = "language"
    if use is None and _rests_on_model(metric, system, survey):
        made_for, code = labels_made_for, "model_labels"
    writers: list[Writer] = list(use.speakers) if use is not None else ["system"]
    if "reference" in metric.card.needs:
        writers.append("reference")
    unknown = None
    for writer in writers:
        text = known.get((None if writer == "reference" else system, writer))
        if text is None or not text.words:
            continue
        # The first clear mismatch decides; an undetected language is only reported if no writer has a clear one.
        languages = () if text.language is None else (text.language,)
        if made_for is not None and text.language is None:
            unknown = unknown or _Reason("unknown", writer, (), made_for)
        elif made_for is not None and not text.is_clear:
            return _Reason("several_languages", writer, languages, made_for)
        elif made_for is not None and language_name(str(text.language)) not in map(language_name, made_for):
            return _Reason(code, writer, languages, made_for)
        if made_for is None and use is not None and use.unit == "word" and not text.has_spaces:
            return _Reason("unspaced", writer, languages, ())
    return unknown


def _rests_on_model(metric: AnyMetric, system: str, survey: LanguageSurvey) -> bool:
    """Whether a measure reads strategies that a model labelled."""
    needs = set(metric.card.needs)
    return bool(needs & OF_MODELS) or ("strategies" in needs and system in survey.labelled_by_model)


def _difference(metric: AnyMetric, pair: tuple[str, str], known: Known) -> _Reason | None:
    """Why two systems are not compared on a measure: it depends on wording, and they write in different languages."""
    use = _text_use(metric)
    for writer in use.speakers if use is not None else ():
        found = [known.get((system, writer)) for system in pair]
        codes = sorted({each.language for each in found if each is not None and each.language and each.is_clear})
        if len({language_name(code) for code in codes}) > 1:  # Mandarin and Cantonese are one here
            return _Reason("across_languages", writer, tuple(codes), ())
    return None


def _undefine(score: Score) -> Score:
    return score.model_copy(update={"value": None, "interval": None, "p": None, "why": DIFFERENT})


def _group_mismatches(
    found: Iterable[tuple[_Reason, str, Iterable[str]]], any_language: bool
) -> Iterator[LanguageMismatch]:
    """One mismatch for all measures that do not fit the same systems for the same reason."""
    systems: defaultdict[tuple[_Reason, str], dict[str, None]] = defaultdict(dict)
    for reason, measure, names in found:
        systems[reason, measure].update(dict.fromkeys(names))
    measures: defaultdict[tuple[_Reason, tuple[str, ...]], list[str]] = defaultdict(list)
    for (reason, measure), names in systems.items():
        measures[reason, tuple(sorted(names))].append(measure)
    for (reason, names), group in measures.items():
        yield LanguageMismatch(
            reason=reason.code,
            measures=tuple(map(MeasureName, group)),
            systems=names,
            writer=reason.writer,
            languages=reason.languages,
            made_for=reason.made_for,
            is_kept=any_language or reason.code == "unknown",
        )


def _of_pairs(apart: Mapping[tuple[str, str, str], _Reason], any_language: bool) -> Iterator[LanguageMismatch]:
    """One mismatch for all measures on which two systems are not compared."""
    measures: defaultdict[tuple[_Reason, str, str], list[str]] = defaultdict(list)
    for (measure, a, b), reason in apart.items():
        measures[reason, a, b].append(measure)
    for (reason, a, b), group in measures.items():
        yield LanguageMismatch(
            reason=reason.code,
            measures=tuple(map(MeasureName, group)),
            systems=(a, b),
            writer=reason.writer,
            languages=reason.languages,
            is_kept=any_language,
        )


def shown_mismatches(mismatches: Iterable[LanguageMismatch], shown: Sequence[str]) -> tuple[LanguageMismatch, ...]:
    """Mismatches of the displayed measures only."""
    return tuple(
        each.model_copy(update={"measures": measures})
        for each in mismatches
        if (measures := tuple(name for name in each.measures if name in shown))
    )


def _text_use(metric: AnyMetric) -> TextUse | None:
    """Dependence of a metric on the text of replies; None: none, or not on its card.

    A metric of somebody else's whose name holds no variant of its card is taken to be of the card's default variant.
    """
    variant = MeasureName(metric.measure).variant
    return metric.card.text_use(variant if variant in metric.card.variants else metric.card.default)
