"""Learned judges that need no calls, on systems, people and corpora that they have not seen.

``python -m benchmarks.learned_judges MIRROR > benchmarks/LEARNED_JUDGES.md``; MIRROR holds ``crsarena_eval_sample``,
``crsarena_dial``, ``uss`` and ``recllmsim`` as their publishers lay them out.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from benchmarks.rated_corpora import recllmsim, uss
from benchmarks.tables import table
from trialogue.findings.agreement.rating_agreement import inner_ranks
from trialogue.metrics.base import Array, Reply, SumMetric, Undefined, replies_of
from trialogue.metrics.impressions.fit import train_impressions
from trialogue.metrics.impressions.metric import Impression, ReplyImpression
from trialogue.metrics.satisfaction.corpora import RatedCorpus, fit_corpora
from trialogue.metrics.satisfaction.domain import domain_of
from trialogue.metrics.satisfaction.features import FEATURES
from trialogue.metrics.satisfaction.fit import matrix
from trialogue.metrics.satisfaction.metric import Satisfaction
from trialogue.records import Dialogue
from trialogue.seeds import rng_for
from trialogue.stats.ranks import midranks
from trialogue.workflows.inputs.inputs import gather

Places = NDArray[np.intp]
RESAMPLES = 500
USER_SIDE = tuple(place for place, name in enumerate(FEATURES) if name.partition("_")[0] == "user")
SIGNS = np.array([feature.sign for feature in FEATURES.values()])


HEAD = """# Learned judges that need no calls

Written by `python -m benchmarks.learned_judges MIRROR`. Intervals are 95 %, percentile bootstraps (500 resamples) of people
(dialogues where people are unknown). Every prediction about a dialogue is made without the labels of its system and of the
people who met it; the penalty and the second stage are fitted inside what is left. The choice of features and of the kernel
was made on this sample of 150 dialogues, after some forty variants had been looked at on it: expect less elsewhere.

Goals were a correlation of .40 within systems and .68 pooled for overall impression. The first is reached on this sample as
an estimate (the interval reaches below it), the second is not, nor does FACE reach it here. Only aggregated labels were
published, so the raters' ceiling cannot be computed; the users' own satisfaction with the same dialogues correlates .38
within systems and .51 pooled. People's mean relevance of the replies has .65 and .75: what is missing may be knowledge of
films (whether a film is of the genre that was asked for), which was not tried. Efficiency and explanation are not predicted
better than by length.

Not kept, measured by scripts that are not in the repository (system left out, but not its people): with vectors and cosines
of MiniLM, overall impression has .455 and .555 at best, without .461 and .528; extremely randomised trees .448 and .477.
Satisfaction per turn of new users of RecLLMSim with three past dialogues (4,241 turns of 61 people, six folds of people, two
or three draws): a ridge model of turn features, character pairs of the user's messages, the assistant and the user's past
ratings has QWK .43 and AUC .77 (3 or less against more), the user's past mean alone .32 and .71; the goals were .48 and .80.
It is no part of the product.
"""


def pooled_spearman(a: Array, b: Array, systems: Sequence[str]) -> float:
    del systems
    return _correlation(midranks(a), midranks(b))


def within_spearman(a: Array, b: Array, systems: Sequence[str]) -> float:
    return _correlation(inner_ranks(a, systems), inner_ranks(b, systems))


def _correlation(a: Array, b: Array) -> float:
    return float(np.corrcoef(a, b)[0, 1]) if a.std() > 0 and b.std() > 0 else float("nan")


def interval(statistic: object, columns: Sequence[Array], systems: Sequence[str], clusters: Sequence[str]) -> str:
    """Value and 95 % percentile interval: clusters (people, or dialogues) are drawn, systems keep their names."""
    assert callable(statistic)
    names, codes = np.unique(np.array(clusters), return_inverse=True)
    members = [np.flatnonzero(codes == code) for code in range(len(names))]
    rng, named = rng_for(0, "learned judges"), np.array(systems)

    def value(places: Places) -> float:
        first = statistic(columns[0][places], columns[-1][places], named[places].tolist())
        second = (
            statistic(columns[1][places], columns[-1][places], named[places].tolist()) if len(columns) == 3 else 0.0
        )
        return float(first - second)

    found = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([members[code] for code in rng.integers(0, len(names), len(names))])
        found.append(value(drawn))
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return f"{value(np.arange(len(codes))):.3f} [{low:.3f}, {high:.3f}]"


def impressions(mirror: Path) -> list[str]:
    given = gather([mirror / "crsarena_eval_sample"])
    dialogues = given.dialogues
    people = {
        (score.dialogue_id, score.utterance, str(score.measure)): score.value
        for score in given.scores
        if score.rater is not None and score.value is not None
    }
    face = {
        (score.dialogue_id, score.utterance, str(score.measure).rpartition(":")[2]): score.value
        for score in given.scores
        if score.rater is None and score.value is not None
    }
    model = train_impressions(dialogues, given.scores, origin="CRSArena-Eval, public sample")
    lines = ["## Impressions of dialogues", ""]
    rows = []
    for aspect in sorted(model.everything.dialogues):
        metric = Impression(model=model, aspect=aspect)
        kept = [each for each in dialogues if (each.id, None, aspect) in people]
        columns = {
            "learned": _values(metric, kept),
            "length (characters of the dialogue)": np.array(
                [sum(len(u.text) for u in d.utterances) for d in kept], float
            ),
            "distinct bigrams per reply": matrix(kept)[:, list(FEATURES).index("distinct_bigrams")],
            "estimated satisfaction": _values(Satisfaction(), kept),
        }
        if all((each.id, None, aspect) in face for each in kept):
            columns["FACE (published, LLM)"] = np.array([face[each.id, None, aspect] for each in kept], float)
        truth = np.array([people[each.id, None, aspect] for each in kept], float)
        rows += _rows(aspect, columns, truth, [d.system or "" for d in kept], [d.cluster for d in kept])
    lines += table(("question", "judge", "n", "ρ within systems", "ρ pooled", "learned less it, within"), rows)
    lines += ["## Impressions of replies, from their context alone", ""]
    rows = []
    replies = [(each, reply) for each in dialogues for reply in replies_of(each, each.system or "")]
    for aspect in sorted(model.everything.in_context.intercepts):
        judged = [(each, reply) for each, reply in replies if (each.id, reply.index, aspect) in people]
        judge = ReplyImpression(model=model, aspect=aspect)
        some = [(each, reply) for each, reply in judged if reply.text.strip()]
        columns = {
            "learned": _values(judge, [reply for _, reply in some]),
            "length (characters of the reply)": np.array([len(reply.text) for _, reply in some], float),
        }
        truth = np.array([people[each.id, reply.index, aspect] for each, reply in some], float)
        rows += _rows(aspect, columns, truth, [d.system or "" for d, _ in some], [d.cluster for d, _ in some])
    lines += table(("question", "judge", "n", "ρ within systems", "ρ pooled", "learned less it, within"), rows)
    return [*lines, *_attacks(Impression(model=model), dialogues)]


def _rows(
    aspect: str, columns: Mapping[str, Array], truth: Array, systems: list[str], clusters: list[str]
) -> list[tuple[str, ...]]:
    own = columns["learned"]
    return [
        (
            aspect,
            name,
            f"{len(truth):,}",
            interval(within_spearman, (values, truth), systems, clusters),
            interval(pooled_spearman, (values, truth), systems, clusters),
            "" if values is own else interval(within_spearman, (own, values, truth), systems, clusters),
        )
        for name, values in columns.items()
    ]


def _values(metric: SumMetric[Any], units: Sequence[Dialogue | Reply]) -> Array:
    found = [metric.statistics(each) for each in units]
    return np.array([np.nan if isinstance(each, Undefined) else each[0] for each in found])


def _attacks(metric: Impression, dialogues: Sequence[Dialogue]) -> list[str]:
    """Mean predictions for the same users' turns with replies exchanged for others."""
    systems = sorted({each.system or "" for each in dialogues})
    means = {name: float(np.mean(_values(metric, [d for d in dialogues if d.system == name]))) for name in systems}
    texts = {
        "off-topic sentences": "The moon is far away and the tea is cold today.",
        "one word": "Yes.",
        "an echo of the user": None,
        "one long list of titles, always the same": "\n".join(f"{n}: Title {n} (1999)" for n in range(1, 11)),
        "fluent praise without content": "That is a great choice. I hope you enjoy it because it is a good movie.",
        "nonsense, 300 words": "lorem ipsum dolor sit amet " * 60,
        "Chinese text": "我推荐您看这部电影，因为它很好看。",
    }
    rows = [
        ("mean of the systems as they are, lowest / highest", f"{min(means.values()):.2f} / {max(means.values()):.2f}")
    ]
    for name, text in texts.items():
        made = []
        for each in dialogues:
            said = list(each.utterances)
            for place, one in enumerate(said):
                if one.speaker == "system":
                    said[place] = one.model_copy(
                        update={"text": text if text else said[place - 1].text if place else "-"}
                    )
            made.append(each.model_copy(update={"utterances": tuple(said)}))
        rows.append((f"every reply is {name}", f"{float(np.nanmean(_values(metric, made))):.2f}"))
    return [
        "## Attacks (overall impression, 0 to 4)",
        "",
        "An echo of the user and a fixed list come out above the mean of the worst systems: a weakness.",
        "",
        *table(("replies", "mean prediction"), rows),
    ]


def satisfaction(mirror: Path) -> list[str]:
    arena = gather([mirror / "crsarena_dial"]).dialogues
    corpora = {
        "CRSArena-Dial": list(arena),
        "CCPE (USS)": uss(mirror / "uss" / "CCPE.txt"),
        "SGD (USS)": uss(mirror / "uss" / "SGD.txt"),
        "RecLLMSim": recllmsim(mirror / "recllmsim"),
    }
    rated = {name: np.array([np.mean([r.value for r in d.ratings]) for d in own]) for name, own in corpora.items()}
    ranks = {name: _rank_columns(matrix(own)) * SIGNS for name, own in corpora.items()}
    everything = tuple(range(len(FEATURES)))
    rows, risk = [], []
    for target, own in corpora.items():
        others = [name for name in corpora if name != target]
        clusters = [each.user or each.id for each in own]
        mine = ranks[target]
        by_all = mine @ _fit(ranks, rated, others, everything)
        by_user = mine[:, USER_SIDE] @ _fit(ranks, rated, others, USER_SIDE)
        kept = [RatedCorpus(n, tuple(corpora[n]), matrix(corpora[n]), _shares(rated[n])) for n in others]
        product = fit_corpora(kept).points(matrix(own))
        shipped = np.array([]) if target == "CRSArena-Dial" else _values(Satisfaction(), own)
        candidates = {
            "length (characters)": np.array([sum(len(u.text) for u in d.utterances) for d in own], float),
            "shipped `satisfaction` (trained on CRSArena-Dial)": shipped,
            "**`train-judge --satisfaction` on the other corpora**": product,
            "all features, ranks in the corpus left out": by_all,
            "the user's side alone, ranks in the corpus left out": by_user,
        }
        for name, values in candidates.items():
            if len(values):
                found = interval(pooled_spearman, (values, rated[target]), [""] * len(own), clusters)
                rows.append((target, name, f"{len(own):,}", found))
        domains = [domain_of(corpora[name]) for name in others]
        inside = np.array([any(not domain.departures(each) for domain in domains) for each in own])
        cells = []
        for mask in (inside, ~inside):
            some = [name for name, kept in zip(clusters, mask, strict=True) if kept]
            columns = (by_all[mask], rated[target][mask])
            cells.append(interval(pooled_spearman, columns, [""] * len(some), some) if len(some) >= 20 else "–")
        risk.append((target, f"{inside.mean():.2f}", *cells))
    return [
        "## Satisfaction, each corpus left out in turn",
        "",
        "`train-judge --satisfaction` on the other corpora: weights with the declared signs, fitted to ranks inside each",
        "training corpus. Beside it, a measurement that is no part of the product: the same weights for ranks inside the",
        "corpus left out, of all features and of the user's side alone (that this side transfers was seen on these",
        "corpora; so was that values in place of ranks have .12 on CCPE). The goal was .25 on films (CCPE). Halves of its",
        "raters correlate .31, so that .69 is the most that a judge could reach.",
        "",
        *table(("left out", "judge", "n", "ρ"), rows),
        "### Abstaining outside the domain of every training corpus",
        "",
        "Inside is no better than outside on CRSArena-Dial and CCPE: this domain check is no reason to trust a value.",
        "",
        *table(("left out", "inside", "ρ inside", "ρ outside"), risk),
    ]


def _shares(rated: Array) -> Array:
    """Ratings as shares of their scale: 0 and 1, or 1 to 5."""
    return rated if rated.max() <= 1 else (rated - 1) / 4


def _rank_columns(rows: Array) -> Array:
    """Midranks of each feature in a corpus, from -1/2 to 1/2: corpora differ in levels."""
    return np.column_stack([(midranks(column) - 0.5) / len(column) - 0.5 for column in rows.T])


def _fit(ranks: Mapping[str, Array], rated: Mapping[str, Array], names: Sequence[str], columns: Sequence[int]) -> Array:
    """Weights of at least 0 of signed ranks; every corpus counts the same."""
    shares = {name: np.sqrt(12 / len(rated[name]) / len(names)) for name in names}
    rows = [ranks[name][:, columns] * shares[name] for name in names]
    answers = [(_rank_columns(rated[name][:, None])[:, 0]) * shares[name] for name in names]
    penalty = np.sqrt(0.1) * np.eye(len(columns))
    weights: Array = nnls(np.vstack([*rows, penalty]), np.concatenate([*answers, np.zeros(len(columns))]))[0]
    return weights


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print("\n".join([HEAD, *impressions(folder), *satisfaction(folder)]))
