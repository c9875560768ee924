"""Scores of systems from recorded trials, beside baselines that ignore the user or do nothing.

A trial is a dialogue with a task. With a set of tasks, its recorded calls are scored anew (``outcomes.score``); without, it
has the reward that a program recorded with it. Trials that failed through no fault of the system are left out and counted.

pass^k: how often k independent trials of a task all succeed, and other means over tasks with trials nested in them.

Tasks are the sample, whatever the number of trials: every task has one value, and intervals and tests are over tasks.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import TypeVar

from trialogue.datasets.formats.tau import REWARD, USER_MODEL, succeeds_by_doing_nothing
from trialogue.errors import DataError, Problem, UsageError
from trialogue.llm.families import family_of
from trialogue.records import Dialogue, Estimate, Fault, Interval, Raters, Reason, ReasonCode
from trialogue.records.completion import UNNAMED
from trialogue.stats import cluster_sums, estimate_of_sums
from trialogue.stats.comparison.means import bounded_mean_interval
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.tasks.baselines import Baseline, BaselineResult, Expected, baselines_of
from trialogue.tasks.outcomes import ACCEPTANCE, TOLD, Ends, Outcome, Turn, score
from trialogue.tasks.scores import AgentScores, TrialScores, measure_of
from trialogue.tasks.task import TaskSet

METHOD = "score interval of bounded values"


def pass_of(successes: int, trials: int, k: int) -> Fraction:
    """Unbiased estimate for one task: the share of sets of k trials that all succeeded, C(successes, k) / C(trials, k).

    >>> pass_of(3, 4, 2)
    Fraction(1, 2)

    Yao et al. (2024), "tau-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains".
    """
    if not 1 <= k <= trials:
        raise UsageError(f"k must be between 1 and the number of trials, {trials}, got {k}.")
    return Fraction(comb(successes, k), comb(trials, k))


def pass_values(trials: Mapping[str, Sequence[bool]], k: int) -> dict[str, Fraction]:
    """pass^k of every task that has k trials."""
    return {task: pass_of(sum(each), len(each), k) for task, each in trials.items() if len(each) >= k}


def pass_k(trials: Mapping[str, Sequence[bool]], k: int, *, confidence: float = 0.95) -> Estimate:
    """pass^k over tasks, with an interval over tasks; undefined, never 0, where a task has fewer than k trials.

    For k = 1 and equally many trials of each task it is the share of trials, clustered by task. Other values are few, skewed
    and between 0 and 1: theirs is a score interval (``bounded_mean_interval``). With 4 trials of each of 20 or 50
    tasks, whose probabilities of success are from three beta distributions, intervals of pass^2 and pass^4 cover 93 to 99%
    (400 samples each); with 8 tasks 94 to 98%, and 86% where pass^4 is .02.

    Args:
        trials: whether each trial succeeded, by task.
        k: trials that all have to succeed.
        confidence: confidence level of the interval.
    """
    if short := sum(len(each) < k for each in trials.values()):
        return Estimate(value=None, why=Reason.of(ReasonCode.TOO_FEW_TRIALS, tasks=short, k=k), n=len(trials))
    sizes = {len(each) for each in trials.values()}
    if k == 1 and len(sizes) == 1:  # a share of trials, clustered by task, as ``evaluate`` has it
        sums = cluster_sums([[sum(each), len(each)] for each in trials.values()], list(trials))
        counted = replace(sums, n=sum(map(len, trials.values())))
        return estimate_of_sums(counted, mean_of, is_share=True, confidence=confidence)
    return _mean_of_bounded(pass_values(trials, k), low=0, confidence=confidence)


def mean_over_tasks(values: Mapping[str, Fraction], *, confidence: float = 0.95) -> Estimate:
    """Mean of one value from 0 on per task, with its interval over tasks; none for a single task."""
    sums = cluster_sums([[float(value), 1.0] for value in values.values()], list(values))
    return estimate_of_sums(sums, mean_of, scale=(0.0, None), confidence=confidence)


def difference_over_tasks(
    values: Mapping[str, Fraction | float], others: Mapping[str, Fraction | float], *, confidence: float = 0.95
) -> Estimate:
    """Mean difference of shares from an expectation, task by task; only tasks with both values count.

    Its score interval allows for tasks unlike any that was tried. Of systems that were the expectation itself (agents that
    ask nothing, ask everything or offer anything on tau-Rec; 12 and 30 tasks, 1 and 4 trials, 300 samples each) it lies
    above 0 in 1% at most, and below 0 in 1%; sign flips in up to 6% and 63%, as small differences that hardly vary look
    certain to them.
    """
    found = {task: float(values[task] - others[task]) for task in values if task in others}
    return _mean_of_bounded(found, low=-1, confidence=confidence)


def _mean_of_bounded(values: Mapping[str, Fraction | float], *, low: float, confidence: float) -> Estimate:
    """Mean of values from ``low`` to 1, one per task, with a score interval; none for a single task."""
    given, counts = [float(each) for each in values.values()], {"n": len(values), "clusters": len(values)}
    if not given:
        return Estimate(value=None, why=Reason.of(ReasonCode.NO_DATA), **counts)
    mean = float(sum(values.values())) / len(given)
    if len(given) == 1:
        return Estimate(value=mean, why=Reason.of(ReasonCode.ONE_CLUSTER), **counts)
    ends = bounded_mean_interval(given, low=low, high=1, confidence=confidence)
    interval = Interval(low=min(ends[0], mean), high=max(ends[1], mean), confidence=confidence, method=METHOD)
    return Estimate(value=mean, interval=interval, **counts)


T = TypeVar("T")
MOST_K = 8
NO_TASK = (
    "have no task (the id of a conversation is that of its task, with a field 'trial' beside it if there are several)"
)
NO_FAULT = "failed through no fault of the system, and are left out"
NO_REWARD = "have no recorded reward"
NO_CALLS = "have no recorded calls of tools, and cannot be scored"
OTHER_TASK = "are about tasks that are not in the set"


@dataclass(frozen=True)
class _Scored:
    """One trial with its scores; None: unknown."""

    system: str
    task: str
    success: bool | None
    turns: int
    calls: int | None
    outcome: Outcome | None = None
    """Scores by the rules of its task; None: it has a recorded reward."""


def score_trials(
    dialogues: Iterable[Dialogue], tasks: TaskSet | None = None, *, ends: Ends = Ends.RECOMMEND
) -> TrialScores:
    """Score recorded trials by system.

    Args:
        dialogues: trials, each with its task.
        tasks: what they were about, to score them anew; None: by the reward that a program recorded.
        ends: how a trial ends, if it is scored anew.

    Raises:
        DataError: no trial can be scored.
    """
    ends, given = ends if tasks is not None else Ends.RECORDED, list(dialogues)
    found = [_by_reward(each) if tasks is None else _by_rules(each, tasks, ends) for each in given]
    trials = [each for each in found if isinstance(each, _Scored)]
    notes = [f"{times} of {len(given)} trials {why}." for why, times in Counter(filter(_is_text, found)).items()]
    if not trials:
        raise DataError(Problem("no trial can be scored: " + (" ".join(notes) or "the files contain no trials.")))
    attempted = {each.task for each in trials}
    notes += sorted({note for each in given if (note := _relation(each))})
    by_system = {
        name: [each for each in trials if each.system == name] for name in sorted({each.system for each in trials})
    }
    every = sorted(attempted) if tasks is None else list(tasks.by_id)
    notes += [note for name, own in by_system.items() if (note := _lacking(name, every, {each.task for each in own}))]
    baselines, unknown = _baselines(given, tasks, attempted, ends)
    to_beat = Baseline.NON_ASKER if tasks is not None else Baseline.DO_NOTHING
    floor = next((each for each in baselines if each.baseline is to_beat), None)
    systems = tuple(_system(name, own, floor) for name, own in by_system.items())
    depth = max(len(each.passes) for each in systems)
    return TrialScores(
        ends=ends,
        measures=tuple(measure_of("pass", ends, k) for k in range(1, depth + 1)),
        systems=systems,
        baselines=tuple(_of_baseline(each, tasks, depth) for each in baselines),
        to_beat=None if floor is None else to_beat,
        unknown=unknown,
        notes=tuple(notes),
        credit="" if tasks is None else tasks.credit,
    )


def score_baselines(tasks: TaskSet, *, ends: Ends = Ends.RECOMMEND) -> TrialScores:
    """The baselines of a set of tasks, without systems."""
    rows = tuple(_of_baseline(each, tasks, 1) for each in baselines_of(tasks, ends=ends))
    return TrialScores(ends=ends, measures=(measure_of("pass", ends, 1),), baselines=rows, credit=tasks.credit)


def turns_of(dialogue: Dialogue) -> tuple[Turn, ...] | None:
    """Messages and calls of the system in a dialogue; None: no calls are recorded."""
    traces = [*(each.trace for each in dialogue.utterances), dialogue.trace]
    if all(trace is None or trace.calls is None for trace in traces):
        return None
    calls = [() if trace is None else trace.calls or () for trace in traces]
    turns: list[Turn] = []
    told: frozenset[int] | None = None
    for each, own in zip(dialogue.utterances, calls, strict=False):
        if each.speaker == "system":
            turns.append(Turn(each.text, own, told))
        elif isinstance(listed := each.meta.get(TOLD), list):
            told = (told or frozenset()) | {place for place in listed if isinstance(place, int)}
    return (*turns, Turn("", calls[-1], told)) if calls[-1] else tuple(turns)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _lacking(system: str, tasks: Sequence[str], attempted: set[str], most: int = 5) -> str:
    """Tasks that a system did not attempt, in a sentence; "": none."""
    names = [task for task in tasks if task not in attempted]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    listed = f"{', '.join(names[:most])}{more}"
    return f"{system} has no trial of {len(names)} of {len(tasks)} tasks: {listed}." if names else ""


def _relation(dialogue: Dialogue) -> str | None:
    """That a system and its simulated user are built on one family of language models; None: nobody says so."""
    family = family_of(str(dialogue.meta.get(USER_MODEL, "")))
    if family is None or family is not family_of(dialogue.system or ""):
        return None
    return f"{dialogue.system} and its simulated user are both of the family {family.value}, which may favour it."


def _why_excluded(dialogue: Dialogue) -> str | None:
    """Why a trial does not count; None: it does."""
    if dialogue.task is None:
        return NO_TASK
    return None if dialogue.fault in (None, Fault.AGENT) else NO_FAULT


def _by_reward(dialogue: Dialogue) -> _Scored | str:
    """A trial with the reward that was recorded, or why it does not count."""
    rewards = [each.value for each in dialogue.ratings if each.name == REWARD and each.raters is Raters.PROGRAM]
    if (why := _why_excluded(dialogue) or (None if rewards else NO_REWARD)) is not None:
        return why
    turns, said = turns_of(dialogue), sum(each.speaker == "system" for each in dialogue.utterances)
    calls = None if turns is None else sum(len(turn.calls) for turn in turns)
    return _Scored(dialogue.system or UNNAMED, dialogue.task or "", rewards[-1] >= 1, said, calls)


def _by_rules(dialogue: Dialogue, tasks: TaskSet, ends: Ends) -> _Scored | str:
    """A trial scored by the rules of its task, or why it does not count."""
    if dialogue.task is None and dialogue.id in tasks.by_id:  # a single trial, called by its task
        dialogue = dialogue.model_copy(update={"task": dialogue.id})
    turns, name = turns_of(dialogue), dialogue.task or ""
    if (why := _why_excluded(dialogue)) is not None:
        return why
    if name not in tasks.by_id or turns is None:
        return OTHER_TASK if name not in tasks.by_id else NO_CALLS
    accepted = {"accepted": True, "rejected": False}.get(dialogue.outcome.get(ACCEPTANCE, ""))
    found = score(tasks.by_id[name], tasks.catalogue, turns, ends=ends, accepted=accepted)
    success = False if dialogue.fault is Fault.AGENT else found.reward
    return _Scored(dialogue.system or UNNAMED, name, success, found.turns, found.calls, found)


def _baselines(
    dialogues: Sequence[Dialogue], tasks: TaskSet | None, attempted: set[str], ends: Ends
) -> tuple[list[BaselineResult], tuple[str, ...]]:
    """Baselines on the tasks that were attempted, and tasks for which there is none."""
    if tasks is not None:
        some = TaskSet(tuple(each for each in tasks.tasks if each.id in attempted), tasks.catalogue)
        return baselines_of(some, ends=ends), ()
    idle = {task: each for task, each in succeeds_by_doing_nothing(dialogues).items() if task in attempted}
    unknown = tuple(task for task, succeeds in idle.items() if succeeds is None)
    certain = {task: Expected.of(bool(succeeds), policy=True) for task, succeeds in idle.items()}
    return ([] if unknown else [BaselineResult(Baseline.DO_NOTHING, certain)]), unknown


def _of_baseline(result: BaselineResult, tasks: TaskSet | None, depth: int) -> AgentScores:
    means = [sum(each.values(), Fraction(0)) / len(each) for each in map(result.pass_k, range(1, depth + 1))]
    title = None if result.item is None or tasks is None else tasks.catalogue.items[result.item].get("title")
    return AgentScores(
        name=result.baseline.value,
        tasks=len(result.tasks),
        passes=tuple(Estimate(value=float(each)) for each in means),
        constraint=None if tasks is None else Estimate(value=float(result.mean.constraint)),
        policy=None if tasks is None else Estimate(value=float(result.mean.policy)),
        item=None if result.item is None else str(title or result.item),
    )


def _system(name: str, trials: Sequence[_Scored], floor: BaselineResult | None) -> AgentScores:
    by_task: dict[str, list[_Scored]] = {}
    for each in trials:
        by_task.setdefault(each.task, []).append(each)
    rewards = {task: [each.success is True for each in own] for task, own in by_task.items()}
    passes = [pass_k(rewards, k) for k in range(1, min(max(map(len, rewards.values())), MOST_K) + 1)]
    above = None if floor is None else difference_over_tasks(pass_values(rewards, 1), floor.pass_k(1))
    if unknown := sum(each.success is None for each in trials):
        why = Reason.of(ReasonCode.ACCEPTANCE_NOT_RECORDED, trials=unknown)
        passes, above = [Estimate(value=None, why=why)] * len(passes), None
    broken = Counter(policy.value for each in trials if each.outcome for policy in each.outcome.violations)
    return AgentScores(
        name=name,
        tasks=len(by_task),
        trials=len(trials),
        passes=tuple(passes),
        constraint=_share(by_task, lambda outcome: outcome.constraint),
        policy=_share(by_task, lambda outcome: outcome.policy),
        turns=_mean(by_task, lambda each: each.turns),
        calls=_mean(by_task, lambda each: each.calls),
        knew=_mean(by_task, lambda each: None if each.outcome is None else each.outcome.knew),
        above=above,
        violations=dict(sorted(broken.items())),
    )


def _values(
    by_task: Mapping[str, Sequence[_Scored]], value_of: Callable[[_Scored], T | None]
) -> dict[str, list[T]] | None:
    """Values of trials by task; None where a trial lacks it."""
    values = {task: [each for each in map(value_of, own) if each is not None] for task, own in by_task.items()}
    return values if all(len(values[task]) == len(own) for task, own in by_task.items()) else None


def _share(by_task: Mapping[str, Sequence[_Scored]], value_of: Callable[[Outcome], bool | None]) -> Estimate | None:
    values = _values(by_task, lambda each: None if each.outcome is None else value_of(each.outcome))
    return None if values is None else pass_k(values, 1)


def _mean(
    by_task: Mapping[str, Sequence[_Scored]], value_of: Callable[[_Scored], Fraction | int | None]
) -> Estimate | None:
    values: dict[str, list[Fraction | int]] | None = _values(by_task, value_of)
    if values is None:
        return None
    means = {task: sum((Fraction(each) for each in own), Fraction(0)) / len(own) for task, own in values.items()}
    return mean_over_tasks(means)
