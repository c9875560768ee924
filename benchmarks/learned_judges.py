"""Learned judges that need no calls, on systems, people and corpora that they have not seen.

``python -m benchmarks.learned_judges MIRROR > benchmarks/LEARNED_JUDGES.md``; MIRROR holds ``crsarena_eval_sample``,
``crsarena_dial``, ``uss`` and ``recllmsim`` as their publishers lay them out.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.learned_satisfaction import satisfaction
from benchmarks.person_intervals import interval, pooled_spearman, within_spearman
from benchmarks.person_satisfaction import person_satisfaction
from benchmarks.tables import table
from trialogue.inputs.inputs import gather
from trialogue.metrics.base import Array, Reply, SumMetric, Undefined, replies_of
from trialogue.metrics.impressions.fit import train_impressions
from trialogue.metrics.impressions.metric import Impression, ReplyImpression
from trialogue.metrics.satisfaction.features import FEATURES
from trialogue.metrics.satisfaction.fit import matrix
from trialogue.metrics.satisfaction.metric import Satisfaction
from trialogue.records import Dialogue

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
of MiniLM, overall impression has .455 and .555 at best, without .461 and .528; extremely randomised trees .448 and .477. One
estimator for both: the satisfaction judge's own method (one sign for each feature, ranks in the corpus), trained on these
answers, has .234 [.053, .385] within systems for overall impression, .205 [.062, .340] less than the learned judge.
"""


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


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    print("\n".join([HEAD, *impressions(folder), *satisfaction(folder), *person_satisfaction(folder)]))
