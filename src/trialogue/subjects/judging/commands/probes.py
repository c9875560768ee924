"""Probe language-model judges for biases on some of the dialogues that they judge."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from trialogue.errors import UsageError
from trialogue.judges import LlmJudge
from trialogue.judges.asking import Cost
from trialogue.judges.probes import Probes, sample_dialogues, sample_pairs
from trialogue.llm.usage import Usage
from trialogue.records import Dialogue
from trialogue.records.completion import UNNAMED
from trialogue.subjects.judging.commands.ask import JudgingLines, Panel
from trialogue.subjects.judging.commands.pairs import matched_pairs, random_pairs
from trialogue.subjects.judging.probes import probe_findings
from trialogue.subjects.judging.records import ProbeFinding


@dataclass(frozen=True)
class PanelProbes:
    """Probes of every language model of a panel, before they are asked."""

    probes: tuple[Probes, ...]
    """Probes of each judge, in the order of the panel."""
    dialogues: int
    """Dialogues that changes are planted in."""

    def costs(self) -> list[tuple[str, Cost]]:
        """(judge, cost) of all probes, in advance; answers that the judging itself needs are among them."""
        return [(each.judge.name, _total(each.costs())) for each in self.probes]

    def usage(self) -> list[Usage]:
        """Requests, tokens and cost so far, by judge."""
        return [each.usage() for each in self.probes]

    def ask(
        self, *, confidence: float = 0.95, tell: Callable[[str], None] = lambda _line: None
    ) -> tuple[ProbeFinding, ...]:
        """Ask all judges, and estimate what their answers show.

        Raises:
            UsageError: an endpoint cannot be reached, or refuses the key; what was answered is in the cache.
        """
        found: list[ProbeFinding] = []
        for each in self.probes:
            watch = JudgingLines(tell, f"{each.judge.name}, probes")
            try:
                probed = each.ask(watch)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(watch.interrupted) from None
            finally:
                each.close()
            rubric = each.judge.rubric
            scale = rubric.scale_of(next(one for one in rubric.aspects if one.name == each.aspect))
            found += probe_findings(
                each.judge.name,
                each.aspect,
                probed,
                points=(scale.low, scale.high),
                confidence=confidence,
                seed=each.seed,
            )
        return tuple(found)


def prepare_probes(panel: Panel, aspect: str, *, count: int, seed: int = 0) -> PanelProbes:
    """Choose dialogues and pairs, and plant changes in them; nobody is asked.

    Args:
        panel: the judges and what they judge.
        aspect: aspect of the rubric.
        count: dialogues to probe with, and pairs, at most.
        seed: random seed for the choice, the places and the wordings.

    Raises:
        UsageError: there is no language model, or no dialogue with a reply.
    """
    judges = [each for each in panel.judges if isinstance(each, LlmJudge)]
    if not judges:
        raise UsageError("Probes ask a language model about changed dialogues: give one as the judge.")
    chosen = sample_dialogues(panel.material.dialogues, count, seed)
    if not chosen:
        raise UsageError("Probes need dialogues that have a reply and finished without a failure; there are none.")
    by_system: dict[str, list[Dialogue]] = defaultdict(list)
    for each in panel.material.dialogues:
        by_system[each.system or UNNAMED].append(each)
    pairs = sample_pairs(matched_pairs(by_system) or random_pairs(by_system, seed), count, seed)
    fresh = [
        LlmJudge(each.rubric, each.options, showing=each.showing, seed=each.seed, workers=each.workers)
        for each in judges
    ]
    made = tuple(Probes(judge, aspect, chosen, pairs, seed) for judge in fresh)
    return PanelProbes(made, len(chosen))


def _total(costs: list[Cost]) -> Cost:
    def sum_of(values: list[float | None]) -> float | None:
        known = [each for each in values if each is not None]
        return sum(known) if len(known) == len(values) else None

    limits = [each.most_completion_tokens for each in costs]
    return Cost(
        requests=sum(each.requests for each in costs),
        cached=sum(each.cached for each in costs),
        prompt_tokens=sum(each.prompt_tokens for each in costs),
        most_completion_tokens=None if None in limits else sum(each or 0 for each in limits),
        least=sum_of([each.least for each in costs]),
        most=sum_of([each.most for each in costs]),
        currency=costs[0].currency,
    )
