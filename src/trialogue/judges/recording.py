"""What is recorded of answers, the same for single conversations and for pairs."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence

from trialogue.judges.judgement import Sample
from trialogue.judges.options import AnyJudgeOptions
from trialogue.judges.prompts import signature_of
from trialogue.judges.rubric import Rubric
from trialogue.llm.chat import Completion
from trialogue.llm.models import model_identity
from trialogue.records import Reason, ReasonCode

NOT_ASKED = frozenset(
    {"url", "api_key_env", "timeout_s", "retries", "requests_at_once", "requests_per_minute", "cache", "price", "model"}
    | {"folder", "device"}
)
"""Options that do not change what is asked; the model stands in names by itself, and one in a folder by its content."""


def settings_hash(rubric: Rubric, options: AnyJudgeOptions, seed: int) -> str:
    """Eight digits that change with everything that is asked: rubric, prompt, sampling, seed, a folder's weights.

    Raises:
        UsageError: the folder holds no model.
    """
    settings = options.model_dump(mode="json", exclude=set(NOT_ASKED))
    identity = model_identity(options)
    text = json.dumps([rubric.hash, signature_of(), settings, seed, *([identity] if identity else [])], sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def sample_of(answer: Completion, values: Mapping[str, float], whys: Mapping[str, Reason], reason: str = "") -> Sample:
    """One answer with what was read in it."""
    return Sample(
        answer=answer.text,
        values=dict(values),
        whys=dict(whys),
        reason=reason,
        model=answer.model,
        system_fingerprint=answer.system_fingerprint,
    )


def commonest(samples: Sequence[Sample], aspect: str) -> Reason:
    """The commonest reason why samples lack an aspect; of equally common ones the first."""
    whys = [sample.whys[aspect] for sample in samples if aspect in sample.whys]
    return Counter(whys).most_common(1)[0][0] if whys else Reason.of(ReasonCode.JUDGE_UNREADABLE)
