"""DS-KL: divergence between the user-act distributions of two sets of dialogues, such as simulated and real ones."""

import hashlib
import importlib.resources
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from trialogue.errors import DataError, Problem, UnknownNameError
from trialogue.metrics.base import Array, Undefined
from trialogue.metrics.dialogue.acts import user_acts
from trialogue.metrics.dialogue.turns import KDD2020
from trialogue.metrics.names import Parameter, full_name
from trialogue.records import Card, Dialogue, FailurePolicy, Reason, ReasonCode, Variant, read_records
from trialogue.records.kinds.acts import ACCEPTABLE, CIR6

UNFIT = re.compile(r"[^\w.-]+")  # in the name of a measure
HALF = 0.5  # Krichevsky and Trofimov (1981): what is added to each count of a distribution that is to have no zeros

DS_KL = Card(
    name="ds_kl",
    title="DS-KL, dissimilarity of user acts",
    summary="How much the acts of (simulated) users differ from those of real users, in nats; 0 means the same "
    "proportions.",
    unit="nats",
    low=0,
    better="lower",
    level="dialogue",
    failed=FailurePolicy.UNDEFINED,
    needs=("user_acts",),
    variants={
        "fine": Variant(
            summary="(KL(P|Q) + KL(Q|P)) / 2 over the labels that both sides have, pooled over dialogues.",
            source="Pietquin and Hastie (2013), as cited by KDD 2020, whose own variant is unknown; a rerun of its "
            "system C gives .040 where the paper has .029 (QRFA) and .025 (CIR6-Single).",
        ),
        "fine_sum": Variant(summary="Twice @fine: KL(P|Q) + KL(Q|P).", source="Jeffreys' symmetric divergence."),
        "cir6": Variant(
            summary="As @fine, over the six actions of CIR6 and mixed initiative.", source="KDD 2020, sec. 4.2.1."
        ),
        "cir6_sum": Variant(
            summary="Twice @cir6.", source="The only other variant whose magnitude agrees with the paper's numbers."
        ),
        "smoothed": Variant(
            summary="As @fine, over the labels that either side has, with half a count added to each.",
            source="Krichevsky and Trofimov (1981). Labels that only one side has count, too.",
        ),
    },
    default="fine",
    parameters={
        "reference": (
            "real users: and-chill, kelly or jmrs1 (those of KDD 2020), or a file of dialogues in "
            "Trialogue's format (convert a corpus with: trialogue data convert); without it the value is "
            "undefined"
        )
    },
    caveats=(
        "Labels that only one side has are left out (except in @smoothed), so users with a single act score 0.",
        (
            "The reference is treated as fixed: intervals cover the variation among the measured dialogues, "
            "not within the reference."
        ),
        (
            "In small samples, the divergence is biased upwards by about (labels - 1) / (2 n), and the bootstrap "
            "adds the same bias again. Even the reference compared with itself has an interval above 0."
        ),
        "The paper's simulated dialogues were not released, so its values cannot be recomputed.",
    ),
    citation=KDD2020,
    family="simulation",
)


class DsKl:
    """Divergence of the pooled user acts from a reference."""

    card = DS_KL
    per_dialogue = False
    no_value = Reason.of(ReasonCode.STYLE_NO_COMMON_ACT)

    def __init__(self, *, variant: str = DS_KL.default, reference: str | None = None) -> None:
        """Create the metric for a reference.

        Raises:
            UnknownNameError: neither a known reference nor a file.
            DataError: a file without dialogues with user acts.
        """
        counts, name = (None, None) if reference is None else _reference(reference)
        parameters: dict[str, Parameter] = {} if name is None else {"reference": name}
        self.measure = full_name(DS_KL, variant, parameters)
        self._states = CIR6 if variant.startswith("cir6") else {}
        self._factor = 1.0 if variant.endswith("_sum") else 0.5
        self._smooth = variant == "smoothed"
        whole = self._coarse(counts or {})
        self._labels = sorted({*map(self._state, ACCEPTABLE), *whole})
        self._places = {label: place for place, label in enumerate(self._labels)}
        # one more place, for labels that neither the reference nor the action space has
        self._real = np.array([*(whole.get(label, 0.0) for label in self._labels), 0.0]) if counts else None

    def _state(self, label: str) -> str:
        return self._states.get(label, label)

    def _coarse(self, counts: Mapping[str, float]) -> dict[str, float]:
        found: Counter[str] = Counter()
        for label, count in counts.items():
            found[self._state(label)] += count  # type: ignore[assignment]
        return {label: float(count) for label, count in found.items()}

    def statistics(self, unit: Dialogue) -> Sequence[float] | Undefined:
        """Counts of the user's acts."""
        if self._real is None:
            return Undefined(Reason.of(ReasonCode.STYLE_REFERENCE_MISSING))
        acts = user_acts(unit)
        if isinstance(acts, Undefined):
            return acts
        counts = [0.0] * (len(self._labels) + 1)
        for act in acts:
            if act is not None:
                counts[self._places.get(self._state(act), -1)] += 1
        return counts

    def combine(self, sums: Array) -> Array:
        """The divergence; NaN if the two share no label."""
        real = self._real if self._real is not None else np.zeros(sums.shape[-1])
        either = (sums > 0) | (real > 0)
        shared = either if self._smooth else (sums > 0) & (real > 0)
        added = HALF if self._smooth else 0.0
        p, q = _shares(sums + added, shared), _shares(real + added, shared)
        ratio = np.where(shared, p, 1.0) / np.where(shared, q, 1.0)
        value: Array = self._factor * ((p - q) * np.log(ratio)).sum(axis=-1)
        return np.maximum(value, 0.0)  # minus what floating point left over


def _shares(counts: Array, kept: NDArray[np.bool_]) -> Array:
    """Counts as shares of those that are kept, the others 0; NaN where none is."""
    held = np.where(kept, counts, 0.0)
    shares: Array = held / held.sum(axis=-1, keepdims=True)
    return shares


def act_counts(dialogues: Iterable[Dialogue]) -> dict[str, int]:
    """User-act counts, most frequent first; dialogues without known acts do not count."""
    counts: Counter[str] = Counter()
    for dialogue in dialogues:
        acts = user_acts(dialogue)
        if not isinstance(acts, Undefined):
            counts.update(act for act in acts if act is not None)
    return dict(counts.most_common())


@cache
def load_real_users() -> Mapping[str, Mapping[str, int]]:
    """User-act counts of real users in the annotated conversations of Zhang and Balog (KDD 2020), by system.

    Counts of labels as the files have them (25 dialogues each). Only the counts are shipped; the dialogues may not be.
    """
    resource = importlib.resources.files("trialogue.metrics") / "bundled" / "real_user_acts.json"
    counts: Mapping[str, Mapping[str, int]] = json.loads(resource.read_text("utf-8"))
    return counts


def _reference(given: str) -> tuple[Mapping[str, float], str]:
    """The counts of a reference, and what it is called in the measure's name."""
    known = load_real_users()
    if given in known:
        return known[given], given
    path = Path(given)
    if not path.is_file():
        hint = "Or give a file of dialogues (see: trialogue data convert)."
        raise UnknownNameError("reference for ds_kl", given, known, hint=hint)
    counts = act_counts(read_records(path, Dialogue))
    if not counts:
        hint = "A reference needs dialogues whose user utterances have acts, such as those of kdd2020."
        raise DataError(Problem("no user utterance of these dialogues has an act.", given, hint=hint))
    digest = hashlib.sha256(json.dumps(sorted(counts.items())).encode()).hexdigest()[:8]
    return counts, f"{UNFIT.sub('-', path.stem)}-{digest}"
