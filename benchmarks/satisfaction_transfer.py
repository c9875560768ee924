"""The learned estimator of satisfaction on corpora that neither its features nor its weights have seen; a part of
``AGREEMENT.md``, and validity cards that are shipped."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.rated_corpora import recllmsim, uss
from benchmarks.tables import HOW, shown, table
from trialogue.findings.validity import Validity
from trialogue.metrics import conversations_of, get_metrics, measure
from trialogue.metrics.human_ratings import rating_scores
from trialogue.metrics.satisfaction.metric import Satisfaction
from trialogue.records import Dialogue, Estimate, Manifest, Score, sha256_of
from trialogue.records.files.manifest import versions_of
from trialogue.stats import auc
from trialogue.subjects.agreement.agreement import Plan, agreement, validity_of
from trialogue.subjects.agreement.commands.agree import baseline_names
from trialogue.subjects.agreement.records import AgreementFindings, RatingAgreement

ESTIMATOR = "satisfaction@linear"
MIDPOINT = 3  # of the scales, 1 to 5


@dataclass(frozen=True)
class Corpus:
    """A rated corpus."""

    name: str
    """What tables call it."""
    description: str
    """What validity cards call it."""
    dialogues: list[Dialogue]
    """With ratings ``satisfaction``."""
    files: dict[str, Path]
    """What they were read from, by their place in the mirror."""


def corpora(mirror: Path) -> list[Corpus]:
    """The rated corpora of a mirror that were not used to make the estimator."""
    ccpe, sgd, chinese = mirror / "uss" / "CCPE.txt", mirror / "uss" / "SGD.txt", mirror / "recllmsim"
    return [
        Corpus(
            "CCPE (USS)",
            "CCPE of USS (500 spoken dialogues that elicit preferences about films, outsiders' ratings 1 to 5)",
            uss(ccpe),
            {"CCPE.txt": ccpe},
        ),
        Corpus(
            "SGD (USS)",
            "SGD of USS (1,000 dialogues about tasks, outsiders' ratings 1 to 5)",
            uss(sgd),
            {"SGD.txt": sgd},
        ),
        Corpus(
            "RecLLMSim",
            "RecLLMSim (964 Chinese dialogues of 61 people with four language models, their own ratings 1 to 5)",
            recllmsim(chinese),
            {str(path.relative_to(chinese)): path for path in sorted(chinese.glob("human_exp_V2/*/*/*.json"))},
        ),
    ]


def transfer(mirror: Path) -> tuple[list[str], list[Validity]]:
    """The table, and a validity card for each corpus."""
    rows, cards = [], []
    for corpus in corpora(mirror):
        findings = _agreement(corpus)
        rows += [_row(corpus, findings, each) for each in findings.ratings]
        rows += [_reference_row(corpus, each) for each in findings.references]
        own = [each for each in findings.ratings if each.measure.startswith(ESTIMATOR)]
        cards += validity_of(
            own,
            (),
            data=corpus.description,
            manifest=findings.manifest,
            remarks={each.measure: _remark(corpus) for each in own},
        )
    heads = (
        "corpus",
        "measure",
        "n",
        "ρ",
        "ρ within systems",
        "ρ within users",
        f"AUC, above {MIDPOINT} against below",
        "in the domain",
    )
    return table(heads, rows), cards


def _agreement(corpus: Corpus) -> AgreementFindings:
    conversations = list(conversations_of(corpus.dialogues))
    scores: list[Score] = []
    measure(conversations, get_metrics([ESTIMATOR, *baseline_names()]), sink=scores.append)
    scores += [score for each in conversations for score in rating_scores(each)]
    hashes = {name: sha256_of(path) for name, path in corpus.files.items()}
    manifest = Manifest(command="benchmark", versions=versions_of("trialogue"), inputs=hashes)
    return agreement(
        scores,
        title="",
        data=corpus.description,
        manifest=manifest,
        plan=Plan(baselines=baseline_names(), resampling=HOW),
    )


def _row(corpus: Corpus, findings: AgreementFindings, each: RatingAgreement) -> tuple[str, ...]:
    pooled, within, users = (each.get("spearman", scope) for scope in ("pooled", "within", "within_users"))
    return (
        corpus.name,
        f"`{each.measure.partition('|')[0]}`" + (" (baseline)" if each.measure in findings.baselines else ""),
        f"{each.scored:,}",
        shown(pooled.headline if pooled else None),
        shown(within.headline if within else None),
        shown(users.headline if users else None),
        shown(_auc(corpus.dialogues, each.measure)),
        _inside(corpus) if each.measure.startswith(ESTIMATOR) else "",
    )


def _reference_row(corpus: Corpus, each: RatingAgreement) -> tuple[str, ...]:
    pooled, within = each.get("spearman"), each.get("spearman", "within")
    cells = (shown(cell.estimate if cell else None) for cell in (pooled, within))
    return (corpus.name, f"{each.measure} (reference)", f"{each.scored:,}", *cells, "", "", "")


def _auc(dialogues: Sequence[Dialogue], name: str) -> Estimate:
    """Of dialogues whose mean rating is above the midpoint against those where it is below; others are left out."""
    values: dict[str, float] = {}
    scores: list[Score] = []
    measure(list(conversations_of(dialogues)), get_metrics([name]), sink=scores.append)
    for score in scores:
        if score.level == "dialogue" and score.value is not None and score.dialogue_id is not None:
            values[score.dialogue_id] = score.value
    rated = {each.id: float(np.mean([rating.value for rating in each.ratings])) for each in dialogues}
    kept = [each for each in dialogues if each.id in values and rated[each.id] != MIDPOINT]
    return auc(
        [values[each.id] for each in kept],
        [float(rated[each.id] > MIDPOINT) for each in kept],
        clusters=[each.user or each.id for each in kept],
        rng=HOW.rng("transfer"),
        resamples=HOW.resamples,
        method="percentile",
    )


def _inside(corpus: Corpus) -> str:
    fit = Satisfaction().domain_fit(corpus.dialogues, is_measured=True)
    return f"{fit.inside / fit.dialogues:.2f}" if fit is not None else ""


def _remark(corpus: Corpus) -> str:
    return f"Never seen in training; {_inside(corpus)} of these dialogues lie in the estimator's domain."
