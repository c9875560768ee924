"""A language model that compares two dialogues, in both orders, since the one shown first is often preferred."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from trialogue.errors import UsageError
from trialogue.judges.answers import commonest, read_choices, sample_of
from trialogue.judges.asking import Answer, Cost
from trialogue.judges.judgement import Comparison, Sample, Vote, Watch
from trialogue.judges.model_judge import RubricJudge
from trialogue.judges.prompts import shown_pair
from trialogue.judges.rubric import Form, JudgedLevel
from trialogue.judges.units import need_of_pair, why_not_shown
from trialogue.llm.chat import Completion
from trialogue.records import Dialogue, Preference, Raters, Reason, Record
from trialogue.records.completion import UNNAMED
from trialogue.records.kinds.endings import Fault


class PairTally(Record):
    """Votes of one judge on two systems."""

    kind: ClassVar[str] = "pair_tally"

    judge: str
    """Name of the judge."""
    aspect: str
    """Name of the aspect of the rubric."""
    a: str
    """Name of one system."""
    b: str
    """Name of the other system."""
    a_better: int
    """Pairs of dialogues in which ``a`` is better."""
    b_better: int
    """Pairs in which ``b`` is better."""
    ties: int
    """Pairs in which neither is, contradictory answers among them."""
    contradictory: int
    """Pairs in which the dialogue shown first won in both orders, or the one shown second did."""
    first_won: int
    """Those of them in which it was the one shown first."""
    missing: int
    """Pairs without a vote."""


def tallies_of(comparisons: Sequence[Comparison], aspects: Sequence[str]) -> list[PairTally]:
    """Votes by judge, aspect and pair of systems, in order of appearance."""
    groups: dict[tuple[str, str, str, str], Counter[str]] = {}
    for each in comparisons:
        for aspect in aspects:
            counts = groups.setdefault((each.judge, aspect, each.a or UNNAMED, each.b or UNNAMED), Counter())
            counts[each.choices.get(aspect, "missing")] += 1
            first, second = set(each.first_shown.get(aspect, ())), set(each.second_shown.get(aspect, ()))
            if (first, second) in (({"a"}, {"b"}), ({"b"}, {"a"})):
                counts["contradictory"] += 1
                counts["first_won"] += first == {"a"}
    return [
        PairTally(
            judge=judge,
            aspect=aspect,
            a=a,
            b=b,
            a_better=counts["a"],
            b_better=counts["b"],
            ties=counts["tie"],
            contradictory=counts["contradictory"],
            first_won=counts["first_won"],
            missing=counts["missing"],
        )
        for (judge, aspect, a, b), counts in groups.items()
    ]


Pair = tuple[Dialogue, Dialogue]
HEARD: dict[str, tuple[Vote, Vote]] = {"A": ("a", "b"), "B": ("b", "a"), "tie": ("tie", "tie")}
"""What an answer means where ``a`` is shown first, and where ``b`` is."""


@dataclass(frozen=True)
class _Asked:
    """What a pair leads to: two texts to ask about, or a choice or a reason without asking."""

    texts: tuple[str, ...] = ()
    choice: Vote | None = None
    why: Reason | None = None


class LlmPairJudge(RubricJudge):
    """One model with one rubric, for pairs."""

    form = Form.PAIRWISE

    def check(self) -> None:
        """Raise UsageError if the rubric is not for pairs of dialogues, or expected points are asked for."""
        if not self.rubric.allows(Form.PAIRWISE) or self.rubric.level is not JudgedLevel.DIALOGUE:
            raise UsageError(
                f"The rubric {self.rubric.id} is not for pairs of dialogues. Choose another one: trialogue list rubrics"
            )
        if self.options.expected:
            raise UsageError("The option expected applies to individual conversations, not to pairs.")

    def compare(self, pairs: Sequence[Pair], *, watch: Watch | None = None) -> list[Comparison]:
        """Compare the dialogues of each pair, in both orders.

        Two equal conversations are a tie and not asked about. A dialogue that failed through its system's fault loses
        against one that did not.

        Raises:
            UsageError: the endpoint cannot be reached, or refuses the key.
        """
        asked = [self._ask_about(a, b) for a, b in pairs]
        answers = self._asker.ask((text for each in asked for text in each.texts), watch)
        return [
            self._comparison(pair, each, [answers[text] for text in each.texts])
            for pair, each in zip(pairs, asked, strict=True)
        ]

    def cost(self, pairs: Iterable[Pair]) -> Cost:
        """What comparing pairs will cost; makes no request."""
        return self._asker.cost(text for a, b in pairs for text in self._ask_about(a, b).texts)

    def _ask_about(self, a: Dialogue, b: Dialogue) -> _Asked:
        failed = (a.fault is Fault.AGENT, b.fault is Fault.AGENT)
        if any(failed):
            return _Asked(choice="tie" if all(failed) else "b" if failed[0] else "a")
        reference, lacking = need_of_pair(a, b, self.rubric)
        why = why_not_shown(a) or why_not_shown(b) or lacking
        if why is not None:
            return _Asked(why=why)
        first = self.showing.show(a.utterances, user=a.user).lines
        second = self.showing.show(b.utterances, user=b.user).lines
        if first == second:
            return _Asked(choice="tie")
        return _Asked(
            texts=(
                shown_pair(self.rubric, first, second, reference=reference),
                shown_pair(self.rubric, second, first, reference=reference),
            )
        )

    def _comparison(self, pair: Pair, asked: _Asked, answers: Sequence[Sequence[Answer]]) -> Comparison:
        a, b = pair
        samples: list[Sample] = []
        heard: list[dict[str, list[Vote]]] = []
        for order, given in enumerate(answers):
            by_aspect: dict[str, list[Vote]] = {}
            for answer in given:
                sample, choices = self._sample(answer)
                samples.append(sample)
                for aspect, choice in choices.items():
                    by_aspect.setdefault(aspect, []).append(HEARD[choice][order])
            heard.append(by_aspect)
        choices_of: dict[str, Vote] = {}
        whys: dict[str, Reason] = {}
        for aspect in (each.name for each in self.rubric.aspects):
            orders = [each[aspect] for each in heard if aspect in each]
            if asked.choice is not None:
                choices_of[aspect] = asked.choice
            elif len(orders) == 2:
                choices_of[aspect] = both_orders(*orders)
            else:  # with one order only, a preference for the first place would pass for one for a system
                whys[aspect] = asked.why or commonest(samples, aspect)
        first, second = heard if heard else ({}, {})
        return Comparison(
            judge=self.name,
            rubric=self.rubric.signature,
            a=a.system,
            b=b.system,
            dialogue_a=a.id,
            dialogue_b=b.id,
            choices=choices_of,
            whys=whys,
            first_shown={aspect: tuple(each) for aspect, each in first.items()},
            second_shown={aspect: tuple(each) for aspect, each in second.items()},
            samples=tuple(samples),
        )

    def _sample(self, answer: Answer) -> tuple[Sample, dict[str, str]]:
        if (unread := self._without_reading(answer)) is not None:
            return unread, {}
        assert isinstance(answer, Completion)
        choices, whys, reason = read_choices(self.rubric, answer.text)
        return sample_of(answer, {}, whys, reason), dict(choices)


def both_orders(first: Sequence[Vote], second: Sequence[Vote]) -> Vote:
    """The choice that both orders allow: the mean of both, each order with equal weight.

    >>> both_orders(["a"], ["a"]), both_orders(["a"], ["b"]), both_orders(["a"], ["tie"])
    ('a', 'tie', 'a')
    """
    worth = {"a": 1.0, "tie": 0.0, "b": -1.0}
    balance = sum(sum(worth[each] for each in order) / len(order) for order in (first, second))
    return "tie" if balance == 0 else "a" if balance > 0 else "b"


def preferences_of(comparisons: Sequence[Comparison], aspect: str, *, rater: str) -> list[Preference]:
    """Comparisons with a choice as votes of a model."""
    return [
        Preference(
            id=f"{rater}:{each.dialogue_a}:{each.dialogue_b}",
            a=each.a or "",
            b=each.b or "",
            choice=each.choices[aspect],
            rater=rater,
            raters=Raters.MODEL,
            dialogue_a=each.dialogue_a,
            dialogue_b=each.dialogue_b,
        )
        for each in comparisons
        if aspect in each.choices
    ]
