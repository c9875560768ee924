"""Passport part 1: behavioral similarity of simulated and real users.

Discriminators of simulated and real dialogues: a classifier, the same at equal lengths, and trivial ones.

A classifier two-sample test (Lopez-Paz and Oquab, ICLR 2017). Its success means little if a single count does as well, so
trivial discriminators are reported beside it. Two random halves of the real users give its result without a difference.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from trialogue.findings.resampling import Resampling
from trialogue.records import Estimate, Interval, Reason, ReasonCode
from trialogue.stats import auc
from trialogue.subjects.agreement.score_pairs import Floats
from trialogue.subjects.simulated_users.distances import distances_of
from trialogue.subjects.simulated_users.realism.discriminator_auc import FOLDS, discriminator_auc
from trialogue.subjects.simulated_users.realism.records import Gap
from trialogue.subjects.simulated_users.realism.two_sample import MIN_CLUSTERS, DialogueSample, gaps, new_classifier
from trialogue.subjects.simulated_users.records import Behavior, Discriminator, Folds, Sample
from trialogue.subjects.simulated_users.user_sample import UserSample

SPLITS = 20  # random halves of the real users; each is cross-validated anew
BINS = 10  # of each length that dialogues are matched by
TRIVIAL = ("words", "turns", "first_words", "letters", "capital", "stops")
"""Features that anybody could count, each of which is a discriminator by itself."""
MATCHED_BY = ("words", "turns")

Ints = npt.NDArray[np.intp]


@dataclass(frozen=True)
class _Rows:
    """Dialogues of two kinds, one below the other."""

    rows: Floats
    labels: Ints
    """1: simulated."""
    clusters: list[Hashable]
    codes: Ints
    agents: npt.NDArray[np.str_]
    shared: tuple[str, ...]
    """Agents that both kinds met."""

    @property
    def by_agent(self) -> bool:
        """Whether agents can be held out, too: two that both kinds met."""
        return len(self.shared) >= 2


def discriminators_of(
    real: UserSample, simulated: UserSample, titles: Mapping[str, str], resampling: Resampling
) -> tuple[tuple[Discriminator, ...], Folds]:
    """The classifier, the same on dialogues of equal lengths, and every trivial discriminator.

    Args:
        real: sample of real users.
        simulated: sample of simulated users.
        titles: what each feature is, in the order of the columns.
        resampling: seed, resamples, confidence.

    Undefined, with the reason, where one side has fewer than ten users.
    """
    both = _stack(real, simulated)
    found = [
        Discriminator(
            name="classifier", title="classifier, all features", auc=_auc_of_classifier(both, resampling, "all")
        )
    ]
    matched = _sides_of_equal_lengths(real, simulated, tuple(titles), resampling)
    if matched is None:
        why = Reason.of(ReasonCode.LENGTHS_DO_NOT_OVERLAP, users=0, least=MIN_CLUSTERS)
        at_equal_lengths = Estimate(value=None, why=why)
    else:
        at_equal_lengths = _auc_of_classifier(
            _stack(*matched), resampling, "matched", ReasonCode.LENGTHS_DO_NOT_OVERLAP
        )
    found.append(
        Discriminator(
            name="classifier-matched", title="classifier, dialogues of equal lengths only", auc=at_equal_lengths
        )
    )
    for place, (name, title) in enumerate(titles.items()):
        if name in TRIVIAL:
            found.append(
                Discriminator(
                    name=name,
                    title=f"{title} alone",
                    auc=_auc(both.rows[:, place], both, None, resampling),
                    is_trivial=True,
                )
            )
    return tuple(found), Folds.PERSON_AND_AGENT if both.by_agent else Folds.PERSON


def split_half(real: UserSample, resampling: Resampling) -> tuple[Estimate, bool | None]:
    """The classifier's AUC on random halves of the real users, and whether it lies within two standard errors of .5.

    The interval is that of a single split: its percentiles over the splits.
    """
    if real.people < 2 * MIN_CLUSTERS:
        why = Reason.of(ReasonCode.TOO_FEW_USERS_FOR_HALVES, users=real.people, least=2 * MIN_CLUSTERS)
        return Estimate(value=None, why=why, n=len(real), clusters=real.people), None
    rng = resampling.rng("passport", "split half")
    values = []
    for number in range(SPLITS):
        order = rng.permutation(real.people)
        second = np.isin(real.codes, order[: real.people // 2])
        both = _stack(part_of(real, ~second), part_of(real, second))
        points, folds = _held_out_points(both, resampling, f"half {number}")
        estimate = auc(points, both.labels, groups=_groups(both, folds), rng=None, method="percentile")
        if estimate.value is not None:
            values.append(estimate.value)
    drawn = np.array(values)
    mean, spread = float(drawn.mean()), float(drawn.std(ddof=1))
    tail = (1 - resampling.confidence) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    interval = Interval(
        low=float(low),
        high=float(high),
        confidence=resampling.confidence,
        method=f"percentiles over {SPLITS} random halves",
    )
    found = Estimate(value=mean, interval=interval, n=len(real), clusters=real.people)
    return found, bool(abs(mean - 0.5) <= 2 * spread)


def _stack(real: UserSample, simulated: UserSample) -> _Rows:
    clusters: list[Hashable] = [f"real:{each}" for each in real.clusters]
    clusters += [f"simulated:{each}" for each in simulated.clusters]
    return _Rows(
        np.concatenate([real.rows, simulated.rows]),
        np.concatenate([np.zeros(len(real), dtype=np.intp), np.ones(len(simulated), dtype=np.intp)]),
        clusters,
        np.concatenate([real.codes, simulated.codes + real.people]),
        np.array([*real.systems, *simulated.systems]),
        tuple(sorted(set(real.systems) & set(simulated.systems))),
    )


def part_of(side: UserSample, kept: npt.NDArray[np.bool_]) -> UserSample:
    """Some dialogues of a sample: ``kept``, shape (n,). Their counts are left out."""
    places = np.flatnonzero(kept).tolist()
    return replace(
        side,
        rows=side.rows[places],
        clusters=tuple(side.clusters[place] for place in places),
        systems=tuple(side.systems[place] for place in places),
        counts={},
    )


def _auc_of_classifier(
    both: _Rows, resampling: Resampling, name: str, few: ReasonCode = ReasonCode.TOO_FEW_USERS_FOR_HALVES
) -> Estimate:
    users = min(len(set(both.codes[both.labels == kind].tolist())) for kind in (0, 1))
    if users < MIN_CLUSTERS:
        return Estimate(value=None, why=Reason.of(few, users=users, least=MIN_CLUSTERS), n=len(both.labels))
    points, folds = _held_out_points(both, resampling, name)
    return _auc(points, both, folds, resampling)


def _held_out_points(both: _Rows, resampling: Resampling, name: str) -> tuple[Floats, Ints]:
    """The classifier's score of each dialogue by a fit that saw neither its user nor (where it can) its agent; the fold.

    An agent is held out with each fold of users in turn. Without it, a classifier could learn from the agent's own manner
    which kind of user an agent was given.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    state = int(resampling.rng("passport", "folds", name).integers(2**31))
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=state)
    points, fold_of = np.zeros(len(both.rows)), np.zeros(len(both.rows), dtype=np.intp)
    for number, (inside, outside) in enumerate(folds.split(both.rows, both.labels, both.codes)):
        fold_of[outside] = number
        parts = [outside]
        if both.by_agent:
            parts = [outside[both.agents[outside] == agent] for agent in np.unique(both.agents[outside])]
        for part in parts:
            train = inside[both.agents[inside] != both.agents[part[0]]] if both.by_agent else inside
            if len(np.unique(both.labels[train])) < 2:
                train = inside
            model = new_classifier().fit(both.rows[train], both.labels[train])
            points[part] = model.decision_function(both.rows[part])
    return points, fold_of


def _groups(both: _Rows, folds: Ints | None) -> list[Hashable]:
    """Dialogues to compare: of one fit, and of one agent if agents are held out."""
    numbers = folds if folds is not None else np.zeros(len(both.labels), dtype=np.intp)
    if not both.by_agent:
        return [int(number) for number in numbers]
    return [(int(number), str(agent)) for number, agent in zip(numbers, both.agents, strict=True)]


def _auc(points: Floats, both: _Rows, folds: Ints | None, resampling: Resampling) -> Estimate:
    return discriminator_auc(
        points,
        both.labels,
        both.clusters,
        groups=_groups(both, folds),
        is_learned=folds is not None,
        confidence=resampling.confidence,
    )


def _sides_of_equal_lengths(
    real: UserSample, simulated: UserSample, names: Sequence[str], resampling: Resampling
) -> tuple[UserSample, UserSample] | None:
    """As many dialogues of either side in every cell of lengths (coarsened exact matching); None where no cell
    has both."""
    columns = [names.index(name) for name in MATCHED_BY]
    both = np.concatenate([real.rows, simulated.rows])
    cells = np.zeros(len(both), dtype=np.intp)
    for column in columns:
        edges = np.unique(np.quantile(both[:, column], np.linspace(0, 1, BINS + 1)[1:-1]))
        cells = cells * (BINS + 1) + np.searchsorted(edges, both[:, column], side="right")
    kept = np.zeros(len(both), dtype=bool)
    rng = resampling.rng("passport", "matching")
    is_real = np.arange(len(both)) < len(real)
    for cell in np.unique(cells):
        sides = [np.flatnonzero((cells == cell) & kind) for kind in (is_real, ~is_real)]
        size = min(map(len, sides))
        for side in sides:
            kept[rng.permutation(side)[:size]] = True
    if not kept.any():
        return None
    return part_of(real, kept[: len(real)]), part_of(simulated, kept[len(real) :])


@dataclass(frozen=True)
class Copies:
    """Verbatim copies in simulated dialogues."""

    dialogues: int = 0
    """Simulated dialogues that are word for word among the real ones."""
    recognised: int = 0
    """Real dialogues that the users were fitted on."""
    is_fitted_on_known_text: bool | None = None
    """Whether it is recorded what the users were fitted on; None: they were not fitted on dialogues."""
    failed: int = 0
    """Simulated dialogues that ended in a failure."""


def behavior_of(real: UserSample, simulated: UserSample, titles: Mapping[str, str], resampling: Resampling) -> Behavior:
    """Distances, discriminators, their yardsticks, and every feature.

    Args:
        real: sample of real users.
        simulated: sample of simulated users.
        titles: what each feature is, in the order of the columns.
        resampling: seed, resamples, confidence.
    """
    found, folds = discriminators_of(real, simulated, titles, resampling)
    halves, is_fair = split_half(real, resampling)
    return Behavior(
        sample=Sample(real=len(real), people=real.people, simulated=len(simulated), cases=simulated.people),
        distances=distances_of(real, simulated, resampling),
        discriminators=found,
        folds=folds if found[0].auc.value is not None else Folds.PERSON,
        split_half=halves,
        is_fair=is_fair,
        gaps=_gaps(real, simulated, titles, resampling),
    )


def _gaps(
    real: UserSample, simulated: UserSample, titles: Mapping[str, str], resampling: Resampling
) -> tuple[Gap, ...]:
    sides = [DialogueSample(each.rows, each.clusters) for each in (real, simulated)]
    return tuple(gaps(sides[0], sides[1], titles, resampling))
