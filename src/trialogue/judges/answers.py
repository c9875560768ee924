"""Read a judge's answer: points of the scale, or a reason why there is none. Nothing is guessed from prose.

An answer is one JSON object, bare, in a code fence, or at the beginning or the end of other words, if no other object with
these fields stands there: one in the middle of a sentence may be a quotation from what is judged. A single aspect may also
be answered with the bare number. Everything else ("5/5", "I'd say 4 out of 5", NaN, true, a number off the scale) has no
value.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trialogue.judges.judgement import Sample
from trialogue.judges.options import AnyJudgeOptions
from trialogue.judges.prompts import CHOICES, REASON, signature_of
from trialogue.judges.rubric import Aspect, Rubric
from trialogue.llm.chat import Completion
from trialogue.llm.models import model_identity
from trialogue.llm.tokens import Token
from trialogue.records import Reason, ReasonCode
from trialogue.records.spoken import split_channels

BARE = re.compile(r"[\s\"'*`]*(-?\d{1,4})[\s\"'*`.]*", re.ASCII)
FENCE = re.compile(r"[\s`]*(?:json)?[\s`]*", re.IGNORECASE)
MAX_OBJECTS = 50  # of braces that are tried as objects; an answer with more holds no answer
MIN_MASS = 0.5  # probability of all points together, below which the model was about to say something else


@dataclass(frozen=True)
class Reading:
    """What an answer says."""

    values: Mapping[str, float] = field(default_factory=dict)
    """Points by aspect; aspects in ``whys`` have none."""
    whys: Mapping[str, Reason] = field(default_factory=dict)
    """Why an aspect has none."""
    reason: str = ""
    """What the judge's judgement rests on, in its words."""


class _RepeatedFieldError(ValueError):
    """A field stands twice in an object."""


def read_points(rubric: Rubric, text: str, tokens: Sequence[Token] | None = None) -> Reading:
    """Points in an answer.

    Args:
        rubric: what was asked.
        text: the answer.
        tokens: its tokens with what else was likely; None: the stated point counts, not the expected one.
    """
    said, start = _answer_in(text)
    fields, where = _object_in(said, [aspect.name for aspect in rubric.aspects])
    if fields is None and len(rubric.aspects) == 1 and (bare := BARE.fullmatch(said)) is not None:
        name = rubric.aspects[0].name
        fields, where = {name: int(bare[1])}, 0
    if fields is None:
        return _empty_reading(rubric, ReasonCode.JUDGE_UNREADABLE)
    values: dict[str, float] = {}
    whys: dict[str, Reason] = {}
    for aspect in rubric.aspects:
        value = _point(rubric, aspect, fields)
        if isinstance(value, Reason):
            whys[aspect.name] = value
        elif tokens is None:
            values[aspect.name] = value
        else:
            place = start + where + _place_of(said[where:], aspect.name, int(value))
            expected = expected_point(rubric, aspect, tokens, place)
            if expected is None:
                whys[aspect.name] = Reason.of(ReasonCode.JUDGE_NO_PROBABILITIES)
            else:
                values[aspect.name] = expected
    reason = fields.get(REASON)
    return Reading(values, whys, reason if isinstance(reason, str) else "")


def read_choices(rubric: Rubric, text: str) -> tuple[Mapping[str, str], Mapping[str, Reason], str]:
    """(choice by aspect, why an aspect has none, the judge's reason) of an answer about two conversations."""
    said, _ = _answer_in(text)
    names = [aspect.name for aspect in rubric.aspects]
    fields, _ = _object_in(said, names)
    if fields is None and len(names) == 1 and (bare := said.strip(" \n\t\"'*`.")) in CHOICES:
        fields = {names[0]: bare}
    choices: dict[str, str] = {}
    whys: dict[str, Reason] = {}
    for name in names:
        given = None if fields is None else fields.get(name)
        if fields is None or name not in fields:
            whys[name] = Reason.of(ReasonCode.JUDGE_UNREADABLE)
        elif given is None:
            whys[name] = Reason.of(ReasonCode.JUDGE_NOT_APPLICABLE)
        elif given in CHOICES:
            choices[name] = given
        else:
            whys[name] = Reason.of(ReasonCode.JUDGE_OFF_SCALE)
    reason = (fields or {}).get(REASON)
    return choices, whys, reason if isinstance(reason, str) else ""


def expected_point(rubric: Rubric, aspect: Aspect, tokens: Sequence[Token], place: int) -> float | None:
    """Mean point under the probabilities of the token at a place of the answer; None if these do not say.

    Probabilities of tokens that are points are scaled to 1 (G-Eval: Liu et al. 2023, arXiv:2303.16634).
    """
    begin = 0
    for token in tokens:
        end = begin + len(token.text)
        if begin <= place < end:
            points = {str(value): float(value) for value in rubric.scale_of(aspect).values}
            chances = [(points[name], chance) for name, chance in token.chances() if name in points]
            mass = sum(chance for _, chance in chances)
            if token.text.strip() not in points or mass < MIN_MASS:
                return None
            return sum(point * chance for point, chance in chances) / mass
        begin = end
    return None


def _empty_reading(rubric: Rubric, code: ReasonCode) -> Reading:
    return Reading(whys={aspect.name: Reason.of(code) for aspect in rubric.aspects})


def empty_reading(rubric: Rubric, why: Reason) -> Reading:
    """A reading without values, all for one reason."""
    return Reading(whys={aspect.name: why for aspect in rubric.aspects})


def _answer_in(text: str) -> tuple[str, int]:
    """(the answer without the reasoning before it, where it begins)."""
    said, thought = split_channels(text)
    return (text, 0) if thought is None else (said, max(text.rfind(said), 0))


def _point(rubric: Rubric, aspect: Aspect, fields: Mapping[str, Any]) -> float | Reason:
    if aspect.name not in fields:
        return Reason.of(ReasonCode.JUDGE_UNREADABLE)
    given = fields[aspect.name]
    if given is None:
        return Reason.of(ReasonCode.JUDGE_NOT_APPLICABLE)
    if isinstance(given, str) and (bare := BARE.fullmatch(given)) is not None:
        given = int(bare[1])
    if isinstance(given, bool) or not isinstance(given, int | float):
        return Reason.of(ReasonCode.JUDGE_UNREADABLE)
    if given not in rubric.scale_of(aspect).values:  # 2.5 lies between two points, and is none
        return Reason.of(ReasonCode.JUDGE_OFF_SCALE)
    return float(given)


def _object_in(text: str, names: Sequence[str]) -> tuple[dict[str, Any] | None, int]:
    """(the only object with one of the names in a text, where it begins); None if there are none or several different."""
    found = [each for each in _objects(text) if any(name in each[0] for name in names)]
    if not found or any(fields != found[0][0] for fields, _, _ in found):
        return None, 0
    fields, start, end = found[-1]
    outside = (text[: found[0][1]], text[end:])
    return (fields, start) if any(FENCE.fullmatch(each) for each in outside) else (None, 0)


def _objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """(fields, begin, end) of outermost JSON objects of a text; those with a field twice, NaN or infinity are none."""
    decoder = json.JSONDecoder(object_pairs_hook=_distinct_fields, parse_constant=_refuse)
    place = tried = 0
    while (place := text.find("{", place)) >= 0 and tried < MAX_OBJECTS:
        tried += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place += 1
            continue
        if isinstance(value, dict):
            yield value, place, end
        place = end


def _distinct_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _RepeatedFieldError
    return fields


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _place_of(said: str, name: str, value: int) -> int:
    """Where the number of a field stands in an answer; the number itself in a bare one."""
    match = re.search(rf"\"{re.escape(name)}\"\s*:\s*\"?({value})", said)
    return match.start(1) if match is not None else max(said.find(str(value)), 0)


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
