"""Labels by annotators: agreement, disputed items and final labels."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from itertools import combinations

from trialogue.errors import DataError, Problem
from trialogue.inputs.study_data import Label
from trialogue.seeds import rng_for
from trialogue.stats import krippendorff_alpha
from trialogue.subjects.people.agreement import RESAMPLES, nominal_agreement, pack_ratings
from trialogue.subjects.people.records import LabelClass, LabelFindings

MAX_CONFUSIONS = 15  # pairs of labels shown; the first ones say where guidelines fail
Key = tuple[str, int]


def analyse_labels(labels: Iterable[Label], *, seed: int = 0) -> LabelFindings:
    """Agreement of annotators, overall and by label, with disputes and adjudication.

    The final label is the adjudicator's, else that of more than half of the annotators. Intervals draw dialogues.

    Raises:
        DataError: an annotator who labelled an utterance twice.
    """
    given, final = _tables(labels)
    table: Mapping[Hashable, Mapping[str, str]] = dict(given.items())
    decided = _final_by_key(given, final)
    groups: dict[Hashable, Hashable] = {key: key[0] for key in given}
    disputed = [key for key, raters in given.items() if len(set(raters.values())) > 1]
    return LabelFindings(
        utterances=len(given),
        annotators=len({rater for raters in given.values() for rater in raters}),
        disputed=len(disputed),
        adjudicated=len(final),
        undecided=sum(decided[key] is None for key in given),
        agreement=nominal_agreement(table, groups, rng=rng_for(seed, "labels")) if given else (),
        classes=_classes(given, decided, groups, seed),
        confusions=_confusions(given),
        warnings=tuple(_warnings(given)),
    )


def final_labels(labels: Iterable[Label]) -> dict[tuple[str, int], str | None]:
    """Final label by dialogue and utterance: the adjudicator's, else that of more than half of the annotators, else None.

    Raises:
        DataError: an annotator who labelled an utterance twice.
    """
    return _final_by_key(*_tables(labels))


def _final_by_key(given: Mapping[Key, Mapping[str, str]], final: Mapping[Key, str]) -> dict[Key, str | None]:
    return {key: final.get(key) or _majority(raters) for key, raters in given.items()}


def _tables(labels: Iterable[Label]) -> tuple[dict[Key, dict[str, str]], dict[Key, str]]:
    given: dict[Key, dict[str, str]] = {}
    final: dict[Key, str] = {}
    problems = []
    for one in labels:
        key = (one.dialogue_id, one.utterance)
        if one.role == "adjudicator":
            final[key] = one.label
        elif one.rater in given.setdefault(key, {}):
            what = f"{one.rater!r} labelled utterance {one.utterance} of {one.dialogue_id!r} twice."
            problems.append(Problem(what, hint="Keep the label that counts."))
        else:
            given[key][one.rater] = one.label
    if problems:
        raise DataError(problems)
    return given, {key: label for key, label in final.items() if key in given}


def _majority(raters: Mapping[str, str]) -> str | None:
    (label, count), *_ = Counter(raters.values()).most_common(1)
    return label if 2 * count > len(raters) else None


def _classes(
    given: Mapping[Key, Mapping[str, str]],
    decided: Mapping[Key, str | None],
    groups: Mapping[Hashable, Hashable],
    seed: int,
) -> tuple[LabelClass, ...]:
    times = Counter(label for raters in given.values() for label in raters.values())
    finally_given = Counter(label for label in decided.values() if label is not None)
    names = sorted(set(times) | set(finally_given), key=lambda name: (-finally_given[name], name))
    clusters = [groups[key] for key in given]
    found = []
    for name in names:
        against: dict[Hashable, dict[str, bool]] = {
            key: {rater: label == name for rater, label in raters.items()} for key, raters in given.items()
        }
        rows = pack_ratings(against)
        kappa = krippendorff_alpha(
            rows, level="nominal", clusters=clusters, rng=rng_for(seed, "label", name), resamples=RESAMPLES
        )
        found.append(LabelClass(label=name, count=finally_given[name], given=times[name], kappa=kappa))
    return tuple(found)


def _confusions(given: Mapping[Key, Mapping[str, str]]) -> tuple[tuple[str, str, int], ...]:
    counts: Counter[tuple[str, str]] = Counter()
    for raters in given.values():
        for one, other in combinations(sorted(raters.values()), 2):
            if one != other:
                counts[one, other] += 1
    return tuple(
        (a, b, count) for (a, b), count in sorted(counts.items(), key=lambda x: (-x[1], x[0]))[:MAX_CONFUSIONS]
    )


def _warnings(given: Mapping[Key, Mapping[str, str]]) -> Iterable[str]:
    alone = sum(len(raters) < 2 for raters in given.values())
    if alone:
        yield (
            f"{alone:,} of {len(given):,} utterances were labelled by a single annotator, so they do not "
            "count towards agreement."
        )
