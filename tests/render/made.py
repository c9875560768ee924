"""Findings made up for tests of the report: nine systems like CRSArena-Dial's, two, one, undefined values, hostile names.

The numbers follow a stated generator and stand for nothing; their shape is that of real ones.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations

import numpy as np

from trialogue.findings import (
    Contrast,
    Example,
    Findings,
    League,
    Measure,
    RankReversal,
    Sensitivity,
    Standing,
    Strength,
    SystemFacts,
    Votes,
)
from trialogue.findings.league_verdicts import count_better_and_worse, verdict
from trialogue.findings.systems.answer import answer
from trialogue.records import (
    Card,
    Dialogue,
    Estimate,
    Interval,
    Labeller,
    Manifest,
    Mention,
    Rating,
    Reason,
    ReasonCode,
    StrategyLabel,
    Utterance,
)
from trialogue.stats import bonferroni

SATISFIED = {  # system: (dialogues, share of satisfied people), after published counts of CRSArena-Dial
    "chatgpt_opendialkg": (44, 0.523),
    "chatgpt_redial": (53, 0.453),
    "barcor_redial": (47, 0.298),
    "barcor_opendialkg": (55, 0.145),
    "unicrs_redial": (49, 0.102),
    "kbrd_redial": (62, 0.081),
    "crbcrs_redial": (63, 0.079),
    "unicrs_opendialkg": (42, 0.048),
    "kbrd_opendialkg": (59, 0.017),
}
METHOD = "bootstrap of people with all their dialogues, percentile, 10000 resamples"


def measure(
    name: str,
    title: str,
    *,
    by: str = "metric",
    better: str = "higher",
    unit: str = "share",
    low: float | None = None,
    high: float | None = None,
    variants: Sequence[str] = (),
) -> Measure:
    """A measure; metrics have a card with the variants named."""
    chosen = name.partition("@")[2].partition("|")[0] or "plain"
    metric = name.partition("(")[0].partition("@")[0]
    card = Card.model_validate(
        {
            "name": metric,
            "title": title,
            "summary": f"What {title.lower()} says of the replies of a system, in one or two sentences.",
            "unit": unit,
            "low": low,
            "high": high,
            "better": better,
            "level": "response",
            "needs": ("mentions",) if "item" in metric else (),
            "variants": {
                variant: {
                    "summary": f"The formula called {variant}.",
                    "source": f"A paper, eq. {place}; code, file.py.",
                }
                for place, variant in enumerate(dict.fromkeys([chosen, *variants]), start=1)
            },
            "default": chosen,
            "parameters": {"n": "Length of the n-grams."} if "n=" in name else {},
            "caveats": (
                "It grows with the length of replies: see the baseline.",
                "It knows nothing of people's wishes.",
            ),
            "citation": "Li et al. (2016), A Diversity-Promoting Objective Function, NAACL-HLT.",
        }
    )
    return Measure.model_validate(
        {
            "name": name,
            "title": title,
            "by": by,
            "better": better,
            "unit": unit,
            "card": card if by == "metric" else None,
            "scale": {"low": low, "high": high} if by == "people" and low is not None else None,
            "signature": f"{name}|seed:7|resamples:10000|data:3f1c0a77d2be|trialogue:0.1.0" if by == "metric" else None,
        }
    )


def estimate(values: Sequence[float]) -> Estimate:
    """Mean with a normal interval."""
    if not values:
        return Estimate(value=None, why="no dialogue of this system mentions an item")
    mean, error = float(np.mean(values)), _error(values)
    if len(values) == 1:
        return Estimate(value=mean, n=1, clusters=1, why="one cluster: its spread is unknown")
    low, high = mean - 1.96 * error, mean + 1.96 * error
    if min(values) >= 0:  # as a bootstrap would have it
        low = max(low, 0.0)
        high = min(high, 1.0) if max(values) <= 1 else high
    interval = Interval(low=low, high=high, method=METHOD)
    return Estimate(value=mean, interval=interval, n=len(values), clusters=max(1, len(values) - 3))


def _error(values: Sequence[float]) -> float:
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0


def league(what: Measure, values: Mapping[str, Sequence[float]], *, skipped: int = 0) -> League:
    """Systems on a measure: normal intervals, z-tests, Bonferroni."""
    contrasts = _contrasts(what, values)
    sign = {"higher": -1, "lower": 1, "neither": 0}[what.better]
    standings = []
    for system in sorted(values):
        found = estimate(values[system])
        ranked = what.better != "neither" and found.value is not None and len(values) > 1
        above, below = count_better_and_worse(system, contrasts)
        standings.append(
            Standing(
                system=system,
                estimate=found,
                rank_low=1 + above if ranked else None,
                rank_high=len(values) - below if ranked else None,
                skipped=skipped if system == min(values) else 0,
                left_out=Reason.of(
                    ReasonCode.LEFT_OUT_FOR_ONE_REASON, Reason.of(ReasonCode.REPLY_TOO_SHORT, n=2), units=skipped
                )
                if skipped and system == min(values) and found.value is not None
                else None,
            )
        )
    order = sorted(standings, key=lambda s: (s.estimate.value is None, sign * (s.estimate.value or 0), s.system))
    shown = {system: tuple(float(value) for value in found) for system, found in sorted(values.items()) if len(found)}
    return League(measure=what, standings=tuple(order), contrasts=contrasts, values=shown)


def _contrasts(what: Measure, values: Mapping[str, Sequence[float]]) -> tuple[Contrast, ...]:
    pairs = list(combinations(sorted(values), 2))
    differences = [_difference(values[a], values[b]) for a, b in pairs]
    adjusted = bonferroni([difference.p for difference in differences])
    return tuple(
        Contrast(
            a=a,
            b=b,
            difference=difference,
            p_adjusted=p,
            verdict=verdict(difference.value, p, better=what.better, alpha=0.05),
        )
        for (a, b), difference, p in zip(pairs, differences, adjusted, strict=True)
    )


def _difference(a: Sequence[float], b: Sequence[float]) -> Estimate:
    if not a or not b:
        return Estimate(value=None, why="one of the two has no value")
    value, error = float(np.mean(a) - np.mean(b)), math.hypot(_error(a), _error(b))
    if error == 0 or len(a) < 2 or len(b) < 2:
        return Estimate(value=value, n=len(a) + len(b), why="one of the two has one dialogue only")
    interval = Interval(low=value - 1.96 * error, high=value + 1.96 * error, method=METHOD)
    p = math.erfc(abs(value) / error / math.sqrt(2))
    return Estimate(value=value, interval=interval, n=len(a) + len(b), p=p)


def _draws(rng: np.random.Generator, sizes: Mapping[str, int], kind: str, step: float) -> dict[str, list[float]]:
    """Values of single dialogues that differ between systems by multiples of ``step``, in an order of their own."""
    shifts = dict(zip(sizes, rng.permutation(len(sizes)), strict=True))
    drawn: dict[str, list[float]] = {}
    for system, n in sizes.items():
        shift = float(shifts[system]) * step
        if kind == "share":
            drawn[system] = [float(v) for v in rng.beta(6 + 3 * shift, 5, n).round(4)]
        elif kind == "count":
            drawn[system] = [float(v) for v in 2 + rng.poisson(5 + 2 * shift, n)]
        else:
            drawn[system] = [float(v) for v in rng.gamma(4, 2.5 + shift, n).round(3)]
    return drawn


def metric_leagues(sizes: Mapping[str, int], *, seed: int = 7) -> list[League]:
    """Seven metrics, among them two variants of one name and one that ranks nothing."""
    rng = np.random.default_rng(seed)
    distinct = ("ratio", "per_response", "chars")
    columns = [
        (measure("distinct(n=2)@ratio|v1", "Distinct-n", low=0, high=1, variants=distinct), "share", 0.3),
        (
            measure("distinct(n=2)@per_response|v1", "Distinct-n", unit="bigrams per response", variants=distinct),
            "size",
            1,
        ),
        (measure("item_ratio@linked|v1", "Item mention ratio", low=0, high=1), "share", 0.5),
        (measure("repetition@share|v1", "Repetition", better="lower", low=0, high=1), "share", 0.2),
        (measure("turns@pairs|v1", "Turns", better="neither", unit="turns"), "count", 0.5),
        (measure("success_rate@accepted|v1", "Success rate", low=0, high=1), "share", 0.15),
        (measure("length@words|v1", "Reply length", better="neither", unit="words per reply"), "size", 0.7),
    ]
    return [
        league(what, _draws(rng, sizes, kind, step), skipped=3 if place == 1 else 0)
        for place, (what, kind, step) in enumerate(columns)
    ]


def votes(systems: Sequence[str]) -> Votes:
    """Strengths that fall by system in the given order."""
    rng = np.random.default_rng(11)
    values = 1000 + 210 * np.linspace(1, -1, len(systems)) + rng.normal(0, 20, len(systems))
    ranked = sorted(zip(values, systems, strict=True), reverse=True)
    strengths = tuple(
        Strength(
            system=system,
            strength=Estimate(
                value=float(value),
                interval=Interval(low=float(value) - 82, high=float(value) + 88, method="resamples of raters"),
                n=36 + place,
                clusters=30,
            ),
            strength_half=float(value),
            rank_low=max(1, place - 1),
            rank_high=min(len(systems), place + 2),
            elo=1000 + (float(value) - 1000) * 0.5 + float(rng.normal(0, 12)),
            elo_rank_low=max(1, place - 1),
            elo_rank_high=min(len(systems), place + 1),
            win_rate=Estimate(value=float(np.clip(0.5 + (value - 1000) / 900, 0, 1)), n=36 + place),
        )
        for place, (value, system) in enumerate(ranked, start=1)
    )
    wins: dict[str, dict[str, float]] = {}
    for a, b in combinations(sorted(systems), 2):
        total = int(rng.integers(2, 9))
        won = float(rng.integers(0, 2 * total + 1)) / 2
        wins.setdefault(a, {})[b] = won
        wins.setdefault(b, {})[a] = total - won
    return Votes(
        strengths=strengths,
        votes=184,
        ties=71,
        raters=103,
        wins=wins,
        left_out=Reason.of(ReasonCode.DUPLICATE_VOTES, votes=1),
        method="Bradley-Terry with ties after Davidson (1970), maximum likelihood, on the scale of Elo (mean 1000); "
        "intervals and rank ranges from 2000 resamples of raters with all their votes.",
    )


def dialogue(system: str, name: str, *, satisfied: bool) -> Dialogue:
    """A conversation about films, good or bad."""
    good = "Heat (1995) is a slow, tense crime story with De Niro and Pacino. You might like The Insider (1999) too."
    said = [
        ("user", "Hi! I am in the mood for a smart thriller tonight, nothing gory please."),
        ("system", "Happy to help. Do you prefer something recent, or are classics fine?"),
        ("user", "Classics are fine. I loved Collateral (2004)."),
        ("system", good if satisfied else "I would recommend the movie Avengers: Infinity War (2018)"),
        ("user", "Oh, I have not seen that one. What makes it special?" if satisfied else "That is not a thriller."),
        (
            "system",
            "The coffee-shop scene: two rivals, one table." if satisfied else "Have you seen Black Panther (2018) ?",
        ),
        ("user", "Sold. Thank you!" if satisfied else "You are not listening."),
        ("system", "Enjoy the film!" if satisfied else "I hope you enjoy it! Good bye"),
    ]
    titles = ["Heat (1995)", "The Insider (1999)", "Collateral (2004)", "Black Panther (2018)"]
    utterances = []
    for place, (speaker, text) in enumerate(said):
        mentions = tuple(
            Mention(title=title, start=text.index(title), end=text.index(title) + len(title))
            for title in titles
            if title in text
        )
        strategies = (
            (StrategyLabel(strategy="experience_inquiry", origin="expert", by=Labeller.PERSON),) if place == 1 else None
        )
        utterances.append(
            Utterance.model_validate(
                {"speaker": speaker, "text": text, "mentions": mentions or None, "strategies": strategies}
            )
        )
    return Dialogue(
        id=name,
        utterances=tuple(utterances),
        system=system,
        user="p12",
        source="made-up/open",
        ratings=(Rating(name="satisfaction", value=1.0 if satisfied else 0.0, rater="user", low=0, high=1),),
    )


def examples(best: str, worst: str, *, name: str = "human:satisfaction") -> tuple[Example, ...]:
    """Two best dialogues, two worst."""
    facts = {"Satisfaction": "1", "Turns": "4", "Distinct-n (n=2, ratio)": "0.871", "Reply length": "11.3"}
    return tuple(
        Example(
            dialogue=dialogue(best if role == "best" else worst, f"{role}_{place}", satisfied=role == "best"),
            role="best" if role == "best" else "worst",
            measure=name,
            value=1.0 if role == "best" else 0.0,
            facts=facts,
        )
        for role in ("best", "worst")
        for place in (1, 2)
    )


def sensitivity(sizes: Mapping[str, int]) -> Sensitivity:
    """Four variants of one metric, with the pairs whose order depends on the variant."""
    rng = np.random.default_rng(3)
    names = ("ratio", "per_response", "chars", "laps")
    base = _draws(rng, sizes, "share", 0.5)
    leagues = []
    for name in names:
        noise = {system: float(rng.normal(0, 0.02)) for system in sizes}
        values = {system: [value + noise[system] for value in found] for system, found in base.items()}
        leagues.append(league(measure(f"distinct(n=2)@{name}|v1", "Distinct-n", variants=names), values))
    return Sensitivity(metric="distinct", leagues=tuple(leagues), flips=tuple(_flips(leagues)))


def _flips(leagues: Sequence[League]) -> list[RankReversal]:
    orders = {each.measure.name: [standing.system for standing in each.standings] for each in leagues}
    found: list[RankReversal] = []
    for a, b in combinations(sorted(orders[leagues[0].measure.name]), 2):
        for_a = tuple(name for name, order in orders.items() if order.index(a) < order.index(b))
        for_b = tuple(name for name in orders if name not in for_a)
        if for_a and for_b:
            found.append(RankReversal(metric="distinct", a=a, b=b, for_a=for_a, for_b=for_b, sure=len(found) % 3 == 0))
    return found


def manifest() -> Manifest:
    """Provenance."""
    return Manifest(
        command="evaluate",
        config={"inputs": ["crsarena-dial"], "metrics": ["distinct(n=2)@ratio|v1"], "resamples": 10000, "alpha": 0.05},
        seed=7,
        inputs={"crs_arena_dial_open.json": "9b" * 32, "votes_open.csv": "1f" * 32},
        versions={"trialogue": "0.1.0", "numpy": "2.4.6", "scipy": "1.17.1"},
    )


def facts(sizes: Mapping[str, int]) -> tuple[SystemFacts, ...]:
    """Counts of each system."""
    return tuple(
        SystemFacts(system=system, dialogues=n, replies=6 * n, people=max(1, n - 3))
        for system, n in sorted(sizes.items())
    )


def satisfaction(shares: Mapping[str, tuple[int, float]]) -> League:
    """People's satisfaction, 0 or 1 a dialogue, at the given shares."""
    values = {
        system: [1.0] * round(n * share) + [0.0] * (n - round(n * share)) for system, (n, share) in shares.items()
    }
    return league(
        measure("human:satisfaction", "Satisfaction", by="people", unit="share of people", low=0, high=1), values
    )


@cache
def nine() -> Findings:
    """The whole thing: nine systems, people, votes, metrics, variants, examples, warnings."""
    sizes = {system: n for system, (n, _) in SATISFIED.items()}
    return Findings(
        title="Evaluation of crsarena-dial",
        answer=(
            "On Satisfaction, chatgpt_opendialkg, chatgpt_redial and barcor_redial lead; they do not differ significantly. "
            "All of them beat crbcrs_redial, unicrs_opendialkg and kbrd_opendialkg. 14 of 36 pairs differ after correction.",
            "In 184 votes (71 ties) chatgpt_opendialkg and chatgpt_redial may come first.",
        ),
        systems=facts(sizes),
        leagues=(satisfaction(SATISFIED), *metric_leagues(sizes)),
        primary="human:satisfaction",
        votes=votes(list(SATISFIED)),
        sensitivity=(sensitivity(sizes),),
        examples=examples("chatgpt_opendialkg", "kbrd_opendialkg"),
        warnings=(
            "votes_open.csv, line 57: this vote repeats line 56 and was left out of the ranking.",
            "crs_arena_dial_open.json: 3 utterances are empty.",
            "unicrs_opendialkg rests on 9 independent clusters (people or dialogues): below 10, intervals are too narrow "
            "to trust.",
        ),
        dialogues=474,
        people=267,
        manifest=manifest(),
    )


def two() -> Findings:
    """What most engineers ask: A or B?"""
    sizes = {"baseline": 60, "with_reranker": 64}
    return Findings(
        title="Evaluation of my_systems.jsonl",
        answer=(
            "with_reranker is best on Satisfaction (0.70 [0.59, 0.82]). It beats baseline. "
            "The difference is 0.29 [0.12, 0.45], p < .001.",
        ),
        systems=facts(sizes),
        leagues=(satisfaction({"baseline": (60, 0.42), "with_reranker": (64, 0.70)}), *metric_leagues(sizes, seed=2)),
        primary="human:satisfaction",
        examples=examples("with_reranker", "baseline"),
        dialogues=124,
        manifest=manifest(),
    )


def one() -> Findings:
    """One system: values, nothing to compare."""
    sizes = {"only_system": 40}
    return Findings(
        title="Evaluation of one.jsonl",
        answer=("only_system reaches 0.55 [0.39, 0.71] on Satisfaction; with one system there is nothing to compare.",),
        systems=facts(sizes),
        leagues=(satisfaction({"only_system": (40, 0.55)}), *metric_leagues(sizes)),
        primary="human:satisfaction",
        examples=examples("only_system", "only_system")[:2],
        manifest=manifest(),
    )


def undefined() -> Findings:
    """Nobody was asked; a system without values, one with a single dialogue; nothing holds."""
    sizes = {"empty": 0, "single": 1, "usual": 30, "more": 33}
    rng = np.random.default_rng(5)
    values = {system: [float(v) for v in rng.beta(5, 5, n).round(3)] for system, n in sizes.items()}
    turns: dict[str, list[float]] = {"usual": [4.0] * 30, "more": [4.0] * 33}
    leagues = (
        league(measure("distinct(n=2)@ratio|v1", "Distinct-n", low=0, high=1), values, skipped=2),
        league(measure("turns@pairs|v1", "Turns", better="neither", unit="turns"), turns),
        league(measure("recall(k=10)@per_label|v1", "Recall", low=0, high=1), {system: [] for system in sizes}),
    )
    return Findings(
        title="Evaluation of four.jsonl",
        answer=answer(leagues, None),
        systems=facts({**sizes, "empty": 2}),
        leagues=leagues,
        primary="distinct(n=2)@ratio|v1",
        warnings=("single rests on 1 independent cluster (people or dialogues): there is no interval.",),
        manifest=manifest(),
    )


HOSTILE = (
    "<script>alert(1)</script>",
    "系统 满足度 🎬",
    "مُوصٍ بالأفلام",
    "a$b_{c}$ & \"quotes\" 'more' -->",
    '=HYPERLINK("http://example.org")\x1b[31m\ud800\u202e',
    "kbrd_redial_checkpoint_epoch_12_learning_rate_0.0005_batch_64_seed_1234567890",
)


@cache
def hostile() -> Findings:
    """Names and texts that try to break out."""
    shares = {system: (30 + place, 0.9 - 0.14 * place) for place, system in enumerate(HOSTILE)}
    sizes = {system: n for system, (n, _) in shares.items()}
    bad = Dialogue(
        id="</details><script>alert(2)</script>",
        system=HOSTILE[0],
        utterances=(
            Utterance(speaker="user", text="<img src=x onerror=alert(3)>\n\nnew line\x00\ud800 {{ 7 * 7 }} {% raw %}"),
            Utterance(
                speaker="system",
                text="]]><style>*{display:none}</style> https://example.org/" + "a" * 200,
                mentions=(
                    Mention(title='"><script>', start=0, end=3),
                    Mention(title="outside", start=5, end=9999),
                    Mention(title="overlaps", start=1, end=9),
                ),
            ),
            Utterance(speaker="user", text=""),
            Utterance(speaker="system", text="شكرا جزيلا"),
        ),
    )
    example = Example(dialogue=bad, role="worst", measure="human:satisfaction", value=0.0, facts={"<b>": "</b>"})
    return Findings(
        title="Evaluation of <b>everything</b> & more",
        answer=(f"{HOSTILE[0]} is best; {HOSTILE[3]} is not.",),
        systems=facts(sizes),
        leagues=(satisfaction(shares), *metric_leagues(sizes)[:3]),
        primary="human:satisfaction",
        votes=votes(HOSTILE),
        examples=(example,),
        warnings=("<script>alert(4)</script>",),
        manifest=manifest(),
    )


@cache
def many(systems: int = 24, *, metrics: int = 14) -> Findings:
    """More systems than colors, more metrics than columns."""
    sizes = {f"system_{place:02d}": 25 for place in range(systems)}
    shares = {system: (25, 0.95 - 0.9 * place / systems) for place, system in enumerate(sizes)}
    found = metric_leagues(sizes) + [
        each.model_copy(
            update={"measure": each.measure.model_copy(update={"name": each.measure.name.replace("|v1", "_b|v1")})}
        )
        for each in metric_leagues(sizes, seed=9)
    ]
    return Findings(
        title="Evaluation of many systems",
        answer=("On Satisfaction, many systems lead; they do not differ significantly.",),
        systems=facts(sizes),
        leagues=(satisfaction(shares), *found[:metrics]),
        primary="human:satisfaction",
        manifest=manifest(),
    )


ALL: dict[str, Callable[[], Findings]] = {
    "nine": nine,
    "two": two,
    "one": one,
    "undefined": undefined,
    "hostile": hostile,
    "many": many,
}


__all__ = ["ALL", "HOSTILE", "SATISFIED", "hostile", "many", "nine", "one", "two", "undefined"]
