"""Let language models compare dialogues of two systems, in both orders: votes of a model, and how consistent they are."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from trialogue.dask_cluster import Workers
from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.inputs import gather
from trialogue.inputs.memory import Data, with_data_read
from trialogue.judges import (
    AnyJudgeOptions,
    Comparison,
    JudgeOptions,
    LlmPairJudge,
    LocalJudgeOptions,
    Rubric,
    judge_options,
    load_rubric,
)
from trialogue.judges.asking import Cost
from trialogue.judges.pair_judge import Pair, PairTally, preferences_of, tallies_of
from trialogue.llm.usage import Usage
from trialogue.options import Jobs, Seed
from trialogue.records import Dialogue, Manifest, Preference, write_records
from trialogue.records.completion import UNNAMED
from trialogue.records.runs import run_draft
from trialogue.seeds import rng_for
from trialogue.subjects.judging.commands.ask import JudgingLines, refuse_results, urls_of
from trialogue.subjects.judging.commands.consent import Disclosure, check_consent, disclosure_of

PREFERENCES, COMPARISONS, USAGE = "judge_preferences.jsonl", "judge_comparisons.jsonl", "judge_usage.jsonl"


@dataclass(frozen=True)
class JudgedPairs:
    """Judgements of pairs of dialogues."""

    rubric: Rubric
    """What they were asked."""
    preferences: tuple[Preference, ...]
    """Votes of every judge on the first aspect, marked as a model's."""
    comparisons: tuple[Comparison, ...]
    """Answers of every judge, with their text."""
    tallies: tuple[PairTally, ...]
    """Votes by judge, aspect and pair of systems."""
    usage: tuple[Usage, ...]
    """Requests, tokens and cost, by judge."""
    matched: bool
    """Whether the users of each pair wanted the same; else pairs were drawn at random."""

    def write(self, folder: Path | str) -> None:
        """Write votes, answers and usage as JSON Lines."""
        with run_draft(folder, Manifest(command="judge pairs")) as draft:
            write_records(draft / PREFERENCES, self.preferences)
            write_records(draft / COMPARISONS, self.comparisons)
            write_records(draft / USAGE, self.usage)


@dataclass(frozen=True)
class PairPanel:
    """Judges that are ready to compare pairs."""

    rubric: Rubric
    """What they are asked."""
    judges: tuple[LlmPairJudge, ...]
    pairs: tuple[Pair, ...]
    matched: bool
    """Whether the users of each pair wanted the same."""
    disclosure: Disclosure | None
    """What is sent to servers of others without recorded consent."""

    def costs(self) -> list[tuple[str, Cost]]:
        """(judge, cost), in advance; makes no request."""
        return [(judge.name, judge.cost(self.pairs)) for judge in self.judges]

    def ask(self, *, tell: Callable[[str], None] = lambda _line: None) -> JudgedPairs:
        """Ask all judges, one after the other.

        Raises:
            UsageError: an endpoint cannot be reached, or refuses the key; what was answered is in the cache.
        """
        comparisons: list[Comparison] = []
        votes: list[Preference] = []
        for judge in self.judges:
            watch = JudgingLines(tell, judge.name)
            try:
                answers = judge.compare(self.pairs, watch=watch)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(watch.interrupted) from None
            finally:
                judge.close()
            comparisons += answers
            votes += preferences_of(answers, self.rubric.aspects[0].name, rater=judge.name)
        return JudgedPairs(
            rubric=self.rubric,
            preferences=tuple(votes),
            comparisons=tuple(comparisons),
            tallies=tuple(tallies_of(comparisons, [each.name for each in self.rubric.aspects])),
            usage=tuple(judge.usage() for judge in self.judges),
            matched=self.matched,
        )


def judge_pairs(
    *given: str | Path | Data,
    rubric: str | Path | Rubric,
    model: str | Path | AnyJudgeOptions | Sequence[str | Path | AnyJudgeOptions],
    options: Mapping[str, Any] | None = None,
    cache: Path | None = None,
    seed: Seed = 0,
    i_may: bool = False,
    jobs: Jobs = 1,
    cluster: str | None = None,
    out: Path | str | None = None,
    progress: Callable[[str], None] | None = None,
) -> JudgedPairs:
    """Let language models compare dialogues of every two systems, in both orders.

    Dialogues whose users wanted the same (equal needs) are paired, the first of one system with the first of the other
    and so on. Surplus dialogues of one system are left out, and so are pairs of systems that share no need. If no two
    systems share a need, all pairs are drawn at random. Contradictory answers to the two orders are a tie.

    Args:
        given: dialogues: files, corpora, or data in memory, as ``evaluate`` takes them.
        rubric: a name such as ``"overall"``, a YAML file, or a ``Rubric``, about dialogues.
        model: ``"openai:MODEL"``, a YAML file of options, or options; several vote each.
        options: further options of all models.
        cache: folder of answers.
        seed: random seed for the models' draws and for random pairs.
        i_may: whether dialogues of people may be sent to other people's servers without recorded consent.
        jobs: processes that ask (or that models in this process run in); the results are the same for any number.
        cluster: address of a Dask scheduler whose workers see the same files, or ``"local"`` for one of ``jobs`` processes
            on this machine; None: no cluster.
        out: folder for votes, answers and usage; None: nothing is written.
        progress: called with progress lines.

    Raises:
        DataError: unreadable input, or fewer than two systems.
        UsageError: unknown names, impossible options, no consent, or an endpoint that cannot be reached.
    """
    panel = prepare_pairs(with_data_read(given), rubric, model, options, cache, seed, jobs, cluster)
    check_consent(panel.disclosure, i_may=i_may)
    judged = panel.ask(tell=progress or (lambda _line: None))
    if out is not None:
        judged.write(out)
    return judged


def prepare_pairs(
    given: Sequence[Any],
    rubric: str | Path | Rubric,
    model: str | Path | AnyJudgeOptions | Sequence[str | Path | AnyJudgeOptions],
    options: Mapping[str, Any] | None = None,
    cache: Path | None = None,
    seed: int = 0,
    jobs: int = 1,
    cluster: str | None = None,
) -> PairPanel:
    """Read the input, pair it, and make the judges; arguments as for ``judge_pairs``. Nobody is asked."""
    asked_rubric = rubric if isinstance(rubric, Rubric) else load_rubric(rubric)
    refuse_results(given)
    dialogues = gather(given).dialogues
    by_system: dict[str, list[Dialogue]] = defaultdict(list)
    for dialogue in dialogues:
        by_system[dialogue.system or UNNAMED].append(dialogue)
    if len(by_system) < 2:
        what = f"pairs need dialogues of at least two systems, got {len(by_system)}."
        raise DataError(Problem(what, file=", ".join(map(str, given))))
    models = [model] if isinstance(model, str | Path | JudgeOptions | LocalJudgeOptions) else list(model)
    judges = []
    for each in models:
        settings = each if isinstance(each, JudgeOptions | LocalJudgeOptions) else judge_options(each, options)
        if settings.cache is None and cache is not None:
            settings = settings.model_copy(update={"cache": cache})
        workers = Workers(jobs, cluster)
        judges.append(LlmPairJudge(asked_rubric, settings, systems=sorted(by_system), seed=seed, workers=workers))
    if len({judge.name for judge in judges}) < len(judges):
        raise UsageError("Votes are stored under the model's name, so give each model only once.")
    pairs = list(matched_pairs(by_system))
    matched = bool(pairs)
    pairs = pairs or list(random_pairs(by_system, seed))
    disclosure = disclosure_of(dialogues, [], urls_of(judges))
    return PairPanel(asked_rubric, tuple(judges), tuple(pairs), matched, disclosure)


def matched_pairs(by_system: Mapping[str, Sequence[Dialogue]]) -> list[Pair]:
    """Pairs of dialogues of two systems whose users wanted the same, the n-th of one with the n-th of the other.

    Of a need of which one system has more dialogues, the surplus is left out, so that no dialogue is judged twice against
    the same system. Two systems that share no need get no pair, even if others do: their dialogues differ by what the users
    wanted, which the vote would take for a difference of the systems.
    """
    needs: dict[str, dict[str, list[Dialogue]]] = {}
    for system, own in by_system.items():
        for each in own:
            if each.need is not None:
                needs.setdefault(system, {}).setdefault(each.need.id, []).append(each)
    return [
        pair
        for a, b in combinations(sorted(needs), 2)
        for need in sorted(needs[a].keys() & needs[b].keys())
        for pair in zip(needs[a][need], needs[b][need], strict=False)
    ]


def random_pairs(by_system: Mapping[str, Sequence[Dialogue]], seed: int) -> list[Pair]:
    """Pairs of dialogues of two systems at random, each dialogue at most once for each other system.

    Of the system with more dialogues some are left out, also at random.
    """
    pairs: list[Pair] = []
    for a, b in combinations(sorted(by_system), 2):
        rng = rng_for(seed, "pairs", a, b)
        shuffled_a, shuffled_b = (
            [own[place] for place in rng.permutation(len(own))] for own in (by_system[a], by_system[b])
        )
        pairs += zip(shuffled_a, shuffled_b, strict=False)
    return pairs
