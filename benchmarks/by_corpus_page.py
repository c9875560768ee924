"""The section of ``ENCODERS.md`` on ensembles chosen by corpus: what was compared, the tables, and what follows."""

from collections.abc import Iterable, Sequence

import numpy as np

from benchmarks.by_corpus import (
    CRITERIA,
    LINEAR,
    RESAMPLES,
    SHIPPED,
    Field,
    gain,
    mean_gain,
    redrawn,
)
from benchmarks.left_out import DOMAINS, HALVES, INSPIRED, NETWORKS, REDIAL, SHOP, Trial
from benchmarks.pooling import Candidate
from benchmarks.strategies import table


def by_corpus_part(trials: Iterable[Trial], commit: str) -> str:
    """The section of the page."""
    field = Field(trials)
    corpora = field.corpora()
    rows: list[str] = []
    decided: list[bool] = []
    seen = [at for at, each in enumerate(field.candidates) if each.weights.keys() & LINEAR]
    without = mean_gain(
        {
            name: gain(field, name, [field.unseen_by(at).best("labels", seen) for at in field.of(name)])
            for name in corpora
        }
    )
    for criterion in CRITERIA:
        gains = {}
        for corpus in corpora:
            gains[corpus] = gain(field, corpus, [field.unseen_by(at).best(criterion) for at in field.of(corpus)])
            names = dict.fromkeys(shown(field.candidates[each]) for each in gains[corpus].chosen)
            rows.append(f"| {corpus} | {criterion} | {'; '.join(names)} | {' | '.join(gains[corpus].cells())} |")
            print(rows[-1], flush=True)
        mean = mean_gain(gains)
        rows.append(f"| mean | {criterion} | | {' | '.join(mean.cells())} |")
        low, high = np.quantile(mean.replicates, [0.025, 0.975], axis=0)
        decided.append(bool(low[0] > 0 and high[2] >= 0))
    return f"""{TITLE}

After commit {commit}. {about(field)}
The shipped ensemble, where it was left out ("models": training sets, whose scores are averaged):

{table(SCORE_HEAD, [score_row(field, corpus) for corpus in corpora])}
What was chosen on the others, above the shipped one:

{table(GAIN_HEAD, rows)}
By the rule above another ensemble is {"" if decided[0] else "not "}adopted. Networks alone were made candidates after
ReDial's 60 labels had been seen to favor them, so these labels had two parts in a choice of one. Without them labels choose
among {len(seen)}, with a mean gain of {without.cells()[0]} in log-likelihood, {without.cells()[1]} in accuracy and
{without.cells()[2]} in AUC. The intervals hold choices, models and temperatures fixed.

Every set of members above the shipped ensemble, mean of the {len(corpora)} corpora; each by the mean of probabilities and
the temperature that labels of the other corpora favor:

{table(SETS_HEAD, set_rows(field, corpora))}
{on_all(field, corpora)}"""


def about(field: Field) -> str:
    """What was compared, and what was not."""
    have = {(each.corpus, each.half) for each in field.trials}
    names = {
        **{
            (INSPIRED, half): f"INSPIRED {other} by models of {half}"
            for half, other in zip(HALVES, HALVES[::-1], strict=True)
        },
        **{(name, half): f"{name}, by models of {half}" for name in (REDIAL, *DOMAINS) for half in HALVES},
        (SHOP, ""): SHOP,
    }
    kinds = sum(each.corpus == SHOP for each in field.trials)
    missing = [name for key, name in names.items() if key not in have]
    missing += [f"the candidates with {name}" for name in NETWORKS if name not in field.members]
    return ABOUT.format(
        candidates=len(field.candidates),
        resamples=RESAMPLES,
        measured="; ".join(name for key, name in names.items() if key in have)
        + (f" ({kinds} kinds of goods)" if kinds else ""),
        missing="; ".join(missing) or "nothing",
    )


TITLE = "## Chosen by corpus"
ABOUT = """One corpus is left out, the best of {candidates} ensembles is chosen on the others, and that choice is scored
on the one left out beside the shipped ensemble (G above). No label that a choice is scored on was looked at in choosing or
learned by any model that is compared there. Two criteria, set before any score was seen: the mean log-likelihood of labels,
which is that of "chosen" above, and the mean AUC of pairs; corpora count alike (our domains as one). Temperatures of
ensembles are fitted to the labels of the others, too. Another ensemble would be adopted if what labels choose had a mean
gain in log-likelihood with an interval above zero, and none in AUC with one below.

Corpora: INSPIRED (a half by models of the other half; choices are made for each by models that have not seen it); ReDial's
sample (60 labels and 400 pairs); our general sentences that speak of films, and those that do not (the other domain stays in
the training, and is not chosen on); MG-ShopDial by kind of goods, where models are trained on the assistants' intents for
other goods and have no sentences of ours. Our domains were written by the authors of the other bundled sentences, and say
less about transfer than the rest. Our sentences with INSPIRED's habits are in every training set but MG-ShopDial's; dev
was in view when they were written. The shipped ensemble was composed on INSPIRED's folds and with ReDial's pairs in view,
which favors it on these two.

- Measured: {measured}.
- Not measured, since networks were not trained: {missing}.

Candidates are the sets of members, means and temperatures of networks of "chosen" above, and networks alone. Letters:
network (n), with smoothed labels (s), with context (h), with general sentences (g); linear models with context of TF-IDF (t)
and the encoder (e); weights before letters. "Arithmetic, 1.5" is a mean of probabilities after networks were flattened by
1.5. Gains are in nats a sentence, and shares; intervals are 95%, paired, of {resamples:,} draws of dialogues or (ReDial,
ours) different sentences; those of the mean take the corpora as given.
"""
SCORE_HEAD = "| left out | sentences | pairs | models | log-likelihood | accuracy | AUC of pairs |\n"
GAIN_HEAD = "| left out | chosen by | chosen on the others | log-likelihood | accuracy | AUC of pairs |\n"
SETS_HEAD = "| members | best mean | log-likelihood | accuracy | AUC of pairs |\n"


def shown(candidate: Candidate) -> str:
    """A candidate in a word."""
    parts = " ".join(name if weight == 1 else f"{weight:g}{name}" for name, weight in candidate.weights.items())
    return parts if len(candidate.weights) == 1 else f"{parts}, {candidate.mean}, {candidate.temperature:g}"


def score_row(field: Field, corpus: str) -> str:
    """How good the shipped ensemble is where it was left out."""
    places = field.of(corpus)
    said = [field.scored(at, field.shipped) for at in places]
    trials = [each.trial for each in said]
    texts = {id(each.truth): len(each.labelled) for each in trials}
    distinct = sum(texts.values()) if corpus in (INSPIRED, SHOP) else len(trials[0].labelled)
    pairs = sum(len(each.pairs.same) for each in trials) if corpus in (INSPIRED, SHOP) else len(trials[0].pairs.same)
    values = [np.mean([each.likelihoods.mean() for each in said]), np.mean([each.right.mean() for each in said])]
    values.append(np.mean([each.area for each in said]))
    return f"| {corpus} | {distinct:,} | {pairs:,} | {len(places)} | {' | '.join(f'{each:.3f}' for each in values)} |"


def set_rows(field: Field, corpora: Sequence[str]) -> list[str]:
    """Every set of members above the shipped ensemble, by the mean and temperature that labels elsewhere favor."""
    sets = dict.fromkeys(tuple(each.weights.items()) for each in field.candidates)
    rows = []
    for members in sets:
        own = [at for at, each in enumerate(field.candidates) if tuple(each.weights.items()) == members]
        gains = {}
        for corpus in corpora:
            favored = [field.unseen_by(place).labels for place in field.of(corpus)]
            gains[corpus] = gain(field, corpus, [max(own, key=labels.__getitem__) for labels in favored])
        kinds = dict.fromkeys(
            shown(field.candidates[each]).partition(", ")[2] for one in gains.values() for each in one.chosen
        )
        names = shown(field.candidates[own[0]]).partition(",")[0]
        rows.append(f"| {names} | {'; '.join(kinds)} | {' | '.join(mean_gain(gains).cells())} |")
        print(rows[-1], flush=True)
    return rows


def on_all(field: Field, corpora: Sequence[str]) -> str:
    """What would be chosen on all corpora, and how firmly."""
    places = [at for corpus in corpora for at in field.of(corpus)]
    compared = field.compared(places)
    above = redrawn(field, corpora, compared)
    wins = np.bincount(above.argmax(axis=1), minlength=len(field.candidates)) / len(above)
    low, high = np.quantile(above, [0.025, 0.975], axis=0)
    by = {criterion: shown(field.candidates[compared.best(criterion)]) for criterion in CRITERIA}
    often = [f"{shown(field.candidates[at])} ({wins[at]:.0%})" for at in np.argsort(-wins)[:3] if wins[at] > 0]
    better = ", ".join(shown(field.candidates[at]) for at in np.flatnonzero(low > 0)) or "none"
    above_zero, below_zero = int((low > 0).sum()), int((high < 0).sum())
    return f"""On all {len(corpora)} corpora labels choose "{by["labels"]}" and pairs "{by["pairs"]}" (shipped:
"{shown(SHIPPED)}"). If dialogues and sentences are drawn anew, labels choose {int((wins > 0).sum())} different
ones, the shipped one in {wins[field.shipped]:.0%} of {len(above):,} draws; most often:

- {f"{chr(10)}- ".join(often)}

Above the shipped ensemble in log-likelihood, one at a time and at temperatures of all corpora, {below_zero} of the
{len(field.candidates) - 1} others have an interval below zero and {above_zero} one above ({better}); these intervals
are not corrected for their number.
"""
