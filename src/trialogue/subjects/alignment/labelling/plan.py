"""Plan how many human labels would sharpen an alignment estimate, write the items to label, and use the answers.

The file is JSON Lines, one item per line, in random order: ``{"id", "situation_id", "side", "system", "stratum", "context":
[{"speaker", "text"}, ...], "text"}``. ``side`` is ``reference`` or ``reply``; annotators must not see the system.
Answers are read by ``labelling.answers``. Items are a simple random sample of the situations that count, the same for all
systems, as the prediction-powered estimate requires.
"""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trialogue.errors import DataError, Problem, UsageError
from trialogue.findings.label_origins import labeller_names
from trialogue.metrics import Conversation, Undefined, offline_conversations
from trialogue.metrics.alignment.behavior_alignment import FIRST
from trialogue.metrics.alignment.match_likelihood import likeliest_share, on_grid
from trialogue.records import Estimate, Labeller, Response, Situation, StrategyLabel, Utterance, has_ground_truth
from trialogue.records.files.jsonl import warn
from trialogue.records.files.opening import write_text
from trialogue.seeds import rng_for
from trialogue.stats import cluster_sums
from trialogue.subjects.alignment.labelling.answers import (
    read_answers as read_answers,  # reading and writing are one subject
)
from trialogue.subjects.alignment.labelling.pairs import Pair, counted_pairs

Z, TAIL = 1.959964, 0.975  # of a 95% interval
MAX_REPLIES = 10**15  # replies that a plan may ask for
EDGE = 0.02  # a rate nearer to 0 or 1 says little of its own variance
MIN_LABELLED = 50  # pairs of a system, labelled on both sides, from which the prediction-powered estimate is taken


@dataclass(frozen=True)
class LabelPlan:
    """Effect of more labels on one system's estimate."""

    system: str
    width: float
    """Width of its current 95% interval."""
    replies: int
    """Replies that count."""
    same_width: int | None
    """Labelled pairs for an interval as wide as now that does not rest on the model's calibration; None: not to be had."""
    half_width: int | None
    """Labelled pairs that would halve it; None: not even all of these replies would."""
    replies_for_half: int
    """Replies, all labelled, that would halve it."""
    labelled: int = 0
    """Pairs for which the present interval rests on labels that models are held against."""
    by: tuple[Labeller, ...] = (Labeller.PERSON,)
    """Labellers of these labels."""

    @property
    def sentence(self) -> str:
        """The plan in words."""
        start = f"{self.system}: the interval is {self.width:.2f} wide"
        if self.labelled >= self.replies:
            more = self.replies_for_half - self.replies
            takes = f"halving it takes about {self.replies_for_half} labelled pairs, so about {more} more situations"
            rest = takes if more > 0 else "only more situations can narrow it"
            return f"{start}, with labels by {labeller_names(self.by)} on all {self.replies} pairs; {rest}."
        if self.half_width is not None and self.labelled:
            there = f"with labels by {labeller_names(self.by)} on {self.labelled} of {self.replies} pairs"
            return f"{start}, {there}; {self.half_width} would halve it."
        if self.half_width is not None:
            same = (
                ""
                if self.same_width is None
                else f"; with {self.same_width} it stays as wide, but no longer rests on the model's calibration"
            )
            return f"{start}; labels by people on {self.half_width} of {self.replies} pairs would halve it{same}."
        return (
            f"{start}; even labels by people on all {self.replies} pairs would not halve it: that takes about "
            f"{self.replies_for_half} labelled pairs, so more dialogues."
        )


def label_plan(
    system: str, estimate: Estimate, conversations: Iterable[Conversation], *, labelled: int = 0
) -> LabelPlan | None:
    """Number of labels that would halve a system's interval, by the variance of PPI++; None without an interval, or for
    an estimate at an end of the scale.

    With rate m, N replies whose calibrated probabilities have correlation r with the truth, and n of them labelled, the
    variance is about m (1 - m) (d / N + (1 - r^2) (1 / n - 1 / N)), where d is the design effect of dialogues (at least 1).
    None of them is known without labels: they are taken from the model's own probabilities, so the plan is as good as
    they are. Where no probabilities are there, r is 0, and d is what makes the present interval as wide as it is. Where the
    estimate rests on labels already, r is.

    Planned intervals are as wide as they would be shown: with Student's t and sqrt(k / (k - 1)) for the k dialogues that
    would hold labels (``widened``). Those that count labels are without, now and later. Dialogues that hold labels already
    are counted, and further labels are drawn at random.

    Args:
        system: its name.
        estimate: estimate of its alignment.
        conversations: the system's replies, with beliefs; none where the estimate counts labels and asks no model.
        labelled: pairs with labels of people that a prediction-powered estimate rests on; 0 where it is another one. Which
            dialogues hold them is looked up in the conversations; where these hold none, as many as of a random draw.
    """
    if estimate.value is None or estimate.interval is None or estimate.interval.high <= estimate.interval.low:
        return None
    if not EDGE <= estimate.value <= 1 - EDGE:
        return None
    width = estimate.interval.high - estimate.interval.low
    pairs = list(counted_pairs(conversations))
    chances, clusters = _pair_probabilities(pairs)
    size = max(estimate.n, 2)
    rate, known = _rate_and_correlation(chances, estimate.value)
    effect = _design_effect(chances, clusters, rate)
    if labelled:
        rate = min(max(estimate.value, EDGE), 1 - EDGE)
    counted = not labelled and not len(chances)
    dialogues = None if counted else estimate.clusters
    spread, present = rate * (1 - rate), (width / 2 / Z) ** 2
    held = _Held(dialogues, size, labelled, _labelled_dialogues(pairs) if labelled else 0)
    if 0 < labelled < size:
        error = present / _wider(held.expected_dialogues(labelled)) ** 2
        known = 1 - min(max((error / spread - effect / size) / (1 / labelled - 1 / size), 0.01), 1.0)
    if counted:
        effect = max(1.0, present * size / spread)  # explicit: the interval itself says

    def power_with(count: int) -> float:
        """As ``present``, with labels on so many of the pairs."""
        variance = spread * (effect / size + (1 - known) * (1 / count - 1 / size))
        return variance * _wider(held.expected_dialogues(count)) ** 2

    def all_of(count: int) -> float:
        """As ``present``, with so many pairs, all labelled, in dialogues as long as these."""
        return spread * effect / count * _wider(None if dialogues is None else dialogues * count / size) ** 2

    half = None if counted else _fewest(power_with, present / 4, size)
    same = None if counted or labelled else _fewest(power_with, present, size)
    replies = _fewest(all_of, present / 4, MAX_REPLIES) or MAX_REPLIES
    return LabelPlan(
        system=system,
        width=width,
        replies=size,
        same_width=same,
        half_width=half,
        replies_for_half=replies,
        labelled=labelled,
    )


def _fewest(planned: Callable[[int], float], target: float, most: int) -> int | None:
    """The fewest labels, at least 2, with which what falls with them comes down to a target; None: the most do not."""
    found = 2 + bisect_left(range(2, most + 1), True, key=lambda count: planned(count) <= target)
    return found if found <= most else None


@dataclass(frozen=True)
class _Held:
    """Dialogues with labels: current ones, and those that random pairs would add."""

    dialogues: int | None
    """All of them; None: unknown."""
    pairs: int
    labelled: int = 0
    """Pairs with labels now."""
    now: int = 0
    """Dialogues that hold these; 0: unknown, or no labels."""

    def expected_dialogues(self, labels: int) -> float | None:
        """Expected number of dialogues, assumed of equal length, with at least one of the labels; None: unknown."""
        if self.dialogues is None:
            return None
        if not self.now or labels < self.labelled:
            return _dialogues_with_label(labels, self.pairs, self.dialogues)
        left = max(self.dialogues - self.now, 0)
        share = (labels - self.labelled) / max(self.pairs - self.labelled, 1)
        return self.now + left * _hit_probability(share, self.pairs / self.dialogues)


def _dialogues_with_label(labels: int, pairs: int, dialogues: int) -> float:
    """Expected number of k dialogues of equal length s with a label on a random pair: k (1 - (1 - labels / pairs)^s)."""
    return dialogues * _hit_probability(labels / pairs, pairs / dialogues)


def _hit_probability(share: float, length: float) -> float:
    """Probability that a random share of pairs includes one in a dialogue of this length."""
    return float(1 - (1 - min(share, 1.0)) ** length)


def _labelled_dialogues(pairs: Iterable[Pair]) -> int:
    """Number of dialogues with a pair that people labelled on both sides."""
    return len({pair.cluster for pair in pairs if pair.is_labelled})


def _wider(dialogues: float | None) -> float:
    """Factor by which an interval over k dialogues is wider than with z: t / z sqrt(k / (k - 1)); None: 1."""
    from scipy.special import stdtrit

    if dialogues is None:
        return 1.0
    if dialogues <= 1:
        return float("inf")
    return float(stdtrit(dialogues - 1, TAIL) / Z * np.sqrt(dialogues / (dialogues - 1)))


def _pair_probabilities(pairs: Iterable[Pair]) -> tuple[np.ndarray, list[str]]:
    """Calibrated probability and cluster of each pair with beliefs."""
    found = [(pair.chance, pair.cluster) for pair in pairs if not isinstance(pair.chance, Undefined)]
    return np.array([chance for chance, _ in found]), [cluster for _, cluster in found]


def _design_effect(chances: np.ndarray, clusters: Sequence[str], share: float) -> float:
    """Design effect of clustering on the variance of a share of matches, at least 1.

    Given what the model believes, matches are taken as independent; so two pairs of a dialogue go together as their
    posterior probabilities p do: 1 + (sum over dialogues of the products (p_i - m) (p_j - m), i not j) / (N m (1 - m)).
    """
    if len(chances) < 2:
        return 1.0
    gaps = _posterior(chances, share) - share
    both = float((cluster_sums(gaps, clusters).sums[:, 0] ** 2).sum() - (gaps**2).sum())
    return max(1.0, 1 + both / (len(gaps) * share * (1 - share)))


def _posterior(chances: np.ndarray, share: float) -> np.ndarray:
    """Probability of a match where a share of pairs matches, from that where half do."""
    return np.asarray(share * chances / (share * chances + (1 - share) * (1 - chances)))


def _rate_and_correlation(chances: np.ndarray, value: float) -> tuple[float, float]:
    """The rate, kept from 0 and 1, and the squared correlation of the probabilities with the truth they imply."""
    rate = min(max(value, EDGE), 1 - EDGE)
    if len(chances) < 2:
        return rate, 0.0
    share = float(likeliest_share(on_grid(chances).sum(axis=0)))
    share = min(max(share, EDGE), 1 - EDGE)
    posterior = _posterior(chances, share)
    covariance = float(np.mean(posterior * chances) - np.mean(posterior) * np.mean(chances))
    spread = float(np.var(chances)) * share * (1 - share)
    return share, min(covariance**2 / spread, 0.99) if spread > 0 else 0.0


def labelling_items(
    situations: Sequence[Situation], responses: Sequence[Response], count: int, *, seed: int = 0
) -> list[dict[str, object]]:
    """References and replies of ``count`` random situations without human labels, in random order.

    Only situations that count are drawn, not those of first turns, which Behavior Alignment leaves out (Eq. 2), unless
    there are no others.

    Raises:
        UsageError: fewer than one situation is asked for.
    """
    if count < 1:
        raise UsageError(f"at least one situation must be labelled, got {count}.")
    fit = fit_situations(situations, responses)
    rng = rng_for(seed, "labelling")
    chosen = {fit[place].id: fit[place] for place in rng.permutation(len(fit))[:count].tolist()}
    items = []
    for one in chosen.values():
        assert one.reference is not None
        if not has_ground_truth(one.reference):
            items.append(_item(one, one.reference, "reference", None))
    for response in responses:
        unlabelled = response.utterance.text.strip() and not has_ground_truth(response.utterance)
        if response.situation_id in chosen and unlabelled:
            items.append(_item(chosen[response.situation_id], response.utterance, "reply", response.system))
    return [items[place] for place in rng.permutation(len(items)).tolist()]


def fit_situations(situations: Sequence[Situation], responses: Sequence[Response]) -> list[Situation]:
    """Situations with a reference and a non-blank reply, excluding first turns (unless all are first turns)."""
    said = [one for one in responses if one.utterance.text.strip()]
    pairs = [reply for each in offline_conversations(situations, said) for reply in each.replies]
    answered = {reply.situation_id for reply in pairs}
    counted = {reply.situation_id for reply in pairs if not FIRST["exclude"](reply)} or answered
    return [one for one in situations if one.reference is not None and one.id in counted]


def _item(situation: Situation, said: Utterance, side: str, system: str | None) -> dict[str, object]:
    turn = "unknown turn" if situation.turn is None else f"turn {situation.turn + 1}"
    return {
        "id": _key(situation.id, system),
        "situation_id": situation.id,
        "side": side,
        "system": system,
        "stratum": turn,
        "context": [{"speaker": one.speaker, "text": one.text} for one in situation.context],
        "text": said.text,
    }


def _key(situation: str, system: str | None) -> str:
    return f"{situation}|reference" if system is None else f"{situation}|reply|{system}"


def write_items(path: Path, items: Sequence[Mapping[str, object]]) -> None:
    """Write the items file atomically."""
    write_text(path, "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items))


def with_answers(
    situations: Sequence[Situation],
    responses: Sequence[Response],
    answers: Mapping[str, tuple[StrategyLabel, ...]],
) -> tuple[list[Situation], list[Response]]:
    """Records with human labels added; answers to texts that differ are skipped with a note.

    Raises:
        DataError: no answer belongs to any of them.
    """
    known = {_key(one.id, None) for one in situations} | {_key(one.situation_id, one.system) for one in responses}
    if known.isdisjoint(answers):
        first = next(iter(answers))
        raise DataError(Problem(f"none of the {len(answers)} answers belongs to these situations, such as {first!r}."))
    if strays := [key for key in answers if key not in known]:
        what = (
            f"{len(strays)} of {len(answers)} answers belong to none of these situations and replies, such as "
            f"{strays[0]!r}"
        )
        warn(Problem(f"{what}; they were left out."))

    def label(said: Utterance, key: str) -> Utterance:
        return said.model_copy(update={"strategies": answers[key]}) if key in answers else said

    made = [
        one if one.reference is None else one.model_copy(update={"reference": label(one.reference, _key(one.id, None))})
        for one in situations
    ]
    replies = [
        one.model_copy(update={"utterance": label(one.utterance, _key(one.situation_id, one.system))})
        for one in responses
    ]
    return made, replies
