"""What people's feedback means in the forms in which it is logged: numbers, thumbs, booleans, stars, fractions, emoji.

A form has a declared meaning: thumbs and booleans are 1 and 0 on a scale from 0 to 1; "4/5", "4 out of 5" and "★★★★☆" are
4 on a scale up to 5; a percentage lies between 0 and 100; a bare number is itself, on a scale that nobody stated. A text in
none of these forms is not understood, which is counted and named, and never left out in silence.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from trialogue.datasets.door.values import is_absent, names_of, plain_number
from trialogue.records.kinds.origins import Raters


class Form(StrEnum):
    """How a judgement is written."""

    NUMBER = "numbers"
    BINARY = "up/down or yes/no"
    STARS = "stars"
    FRACTION = "fractions"
    PERCENT = "percentages"
    WORDS = "points in words"


@dataclass(frozen=True)
class Feedback:
    """One judgement, understood."""

    value: float
    form: Form
    """How it was written."""
    low: float | None = None
    """Lowest value of the scale, if the form implies one."""
    high: float | None = None


class Worded(str):
    """The text of a cell whose words are a point of its column's scale."""

    feedback: Feedback


_UP = frozenset(names_of("up"))
_DOWN = frozenset(names_of("down"))
_FRACTION = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:/|out of|of|von|sur)\s*(\d+)(?:\s*(?:stars?|points?))?", re.IGNORECASE)
_EXPLAINED = re.compile(r"(\d+(?:[.,]\d+)?)\s*(?:\s[-–—]\s|[:=]|\s?\()\s*[^\d\s].*")
"""A number with its meaning behind it: "4 - good"."""
_PERCENT = re.compile(r"(\d+(?:[.,]\d+)?)\s*%")
_STARS = re.compile(r"([★⭐✭🌟]\ufe0f?)*([☆✩]\ufe0f?)*")
_STARS_WORD = re.compile(r"(\d+(?:[.,]\d+)?)\s*[- ]?(?:stars?|★|⭐)", re.IGNORECASE)
_FULL, _HOLLOW = "★⭐✭🌟", "☆✩"

NAMES = frozenset(names_of("feedback"))
"""Names, beside those of rated aspects, under which people's feedback is logged."""
_RATED = (
    "rating score stars satisfaction overall quality overall_quality usefulness helpfulness relevance fluency coherence "
    "informativeness meaningfulness interestingness engagement naturalness appropriateness likert"
)
"""Headings of columns of ratings; also in front of or behind ``rating``, as in ``fluency_rating``."""
_NO_ASPECTS = frozenset(names_of("no_aspects"))
_NEGATIVE = names_of("negative")
_NEGATIVE_STEMS = tuple(stem for stem in _NEGATIVE if len(stem) > 3)  # "not" is no beginning of "notice"
"""Words of headings that are no ratings, or ratings of which fewer may be better: nobody says so, so that they are named as
not read."""
_BEHIND = ("_rating", "_score", "_stars")
_UP_OF = {
    "thumbs_down": "thumbs_up", "thumbsdown": "thumbsup", "thumb_down": "thumb_up", "dislike": "like",
    "disliked": "liked", "downvote": "upvote", "dissatisfied": "satisfied", "unhappy": "happy",
}  # fmt: skip
"""Names whose *yes* is a dislike, and the opposite of each."""
_VALUE_WORDS = "value score rating vote thumb thumbs stars label answer feedback reaction type"
_VALUES = _VALUE_WORDS.split()
_KEYS = ("name", "key", "aspect", "criterion", "metric", "dimension", "question", "attribute")
_LOWS, _HIGHS = (
    ("min", "low", "minimum", "min_value", "scale_min"),
    ("max", "high", "maximum", "out_of", "max_value", "scale_max"),
)
_BY = ("rater", "annotator", "rater_id", "annotator_id", "user", "user_id", "by", "author")
_RATED_BY, _JUDGED_BY = names_of("rated_by"), names_of("judged_by")
"""Fields beside a rating that name who gave it. Under the latter, it is a program or a model as often as a person."""
_SIBLINGS = frozenset((*_RATED_BY, *_JUDGED_BY))
_OF_MODELS = re.compile(
    r"(?<![a-z])(?:gpt|chat ?gpt|o[134](?:-mini|-preview)?(?![a-z0-9])|claude|llama|gemini|palm|bard|mistral|mixtral|qwen"
    r"|deepseek|command-r|cohere|gemma|grok|vicuna|alpaca|flan|t5(?![a-z])|bert|roberta|deberta|prometheus|glm|ernie|openai|anthropic"
    r"|llms?|ai(?![a-z])|models?(?![a-z])|classifier|phi-?\d|yi-?\d|nova(?:-| )(?:pro|lite)|kimi|minimax|nemotron|jurassic)",
)
_OF_PROGRAMS = re.compile(
    r"(?<![a-z])(?:script|heuristic|rules?(?![a-z])|checker|regex|programs?(?![a-z])|reward|automatic|auto(?![a-z])|pytest"
    r"|unit ?test|simulat|metric|code(?![a-z]))"
)
_ORIGINS = ("source", "origin", "source_type", "annotator_kind", "kind")
_BESIDE = frozenset(names_of("beside"))
"""Parts of a feedback object that say nothing of its value."""
_KIND_OF = {
    **dict.fromkeys(("human", "annotation", "person", "people", "user", "end_user"), Raters.PEOPLE),
    **dict.fromkeys(("llm", "eval", "llm_judge", "model", "ai"), Raters.MODEL),
    **dict.fromkeys(("code", "program", "api", "heuristic"), Raters.PROGRAM),
    "unknown": Raters.UNKNOWN,
}
"""Kinds of raters by the words of tools and of ``origin``."""
_OF_USERS = "rating stars satisfaction likert"


@lru_cache(maxsize=4096)  # a file has few names and many rows
def key_of(name: str) -> str:
    """A heading or key in lower case, its words joined by underscores.

    >>> key_of("Thumbs Up?"), key_of("userRating")
    ('thumbs_up', 'user_rating')
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip())
    return re.sub(r"\W+", "_", apart.lower()).strip("_")


_STATED = re.compile(r"\s*[\[(]\s*(\d+)\s*(?:-|–|—|\.\.+|to|bis)\s*(\d+)\s*[\])]\s*$")
"""A scale at the end of a heading."""


@lru_cache(maxsize=4096)  # a file has few names and many rows
def scale_in(heading: str) -> tuple[str, float | None, float | None]:
    """The question of a heading, and the ends of the scale that it states.

    >>> scale_in("How easy was it? [1-5]"), scale_in("satisfaction (1 to 7)"), scale_in("Ease (of use)")
    (('How easy was it?', 1.0, 5.0), ('satisfaction', 1.0, 7.0), ('Ease (of use)', None, None))
    """
    found = _STATED.search(heading)
    if found is None or float(found[1]) >= float(found[2]):
        return heading, None, None
    return heading[: found.start()].strip(), float(found[1]), float(found[2])


RATINGS = "ratings"
"""A field that holds ratings by their names, or a list of them."""


@lru_cache(maxsize=4096)  # a file has few names and many rows
def rated_name(heading: str) -> str | None:
    """Aspect of a rating column with this heading; None if it is not a rating column.

    >>> rated_name("Fluency rating"), rated_name("satisfaction (1-7)"), rated_name("turn")
    ('fluency', 'satisfaction', None)
    """
    key = key_of(scale_in(heading)[0])
    if not may_be_aspect(key):
        return None
    bare = next((key.removesuffix(end) for end in _BEHIND if key.endswith(end) and key != end), None)
    if is_feedback_name(key):
        return key
    return bare or (key if key in _RATED.split() else None)


@lru_cache(maxsize=4096)  # a file has few questions and many rows
def may_be_negative(question: str) -> bool:
    """Whether the highest answer to a statement may be the worst, so that its owner must say which end is better.

    >>> may_be_negative("It was frustrating"), may_be_negative("I would not use it again"), may_be_negative("It is easy")
    (True, True, False)
    """
    return any(word in _NEGATIVE or word.startswith(_NEGATIVE_STEMS) for word in key_of(question).split("_"))


def may_be_aspect(key: str) -> bool:
    """Whether a heading, in the form of ``key_of``, may name a rating of which more is better.

    >>> may_be_aspect("rating_fluency"), may_be_aspect("rating_id"), may_be_aspect("toxicity_score")
    (True, False, False)
    """
    return not _NO_ASPECTS & set(key.split("_"))


@lru_cache(maxsize=4096)  # a file has few names and many rows
def origin_of(name: str) -> Raters:
    """Who gave feedback under a name, where nobody says so: people under the names of feedback fields, by the format.

    Under any other name it is unknown: a score may as well be a model's or a program's.

    >>> [origin_of(name).value for name in ("thumbs", "user_rating", "quality_score", "gpt4_judge_score", "reward")]
    ['people', 'people', 'unknown', 'model', 'program']
    """
    key = key_of(name)
    if (kind := kind_of_name(key)) is not None:
        return kind
    is_peoples = key in NAMES or key in _OF_USERS.split() or key == RATINGS
    return Raters.PEOPLE if is_peoples else Raters.UNKNOWN


@lru_cache(maxsize=4096)  # a file has few names and many rows
def kind_of_rater(word: str) -> Raters | None:
    """Kind of rater of a word as tools and people write it, such as ``HUMAN`` or ``person``; None if it is no such word.

    >>> kind_of_rater("LLM_JUDGE"), kind_of_rater("me")
    (<Raters.MODEL: 'model'>, None)
    """
    key = key_of(word)
    return _KIND_OF.get(key) or (Raters(key) if key in set(Raters) else None)


@lru_cache(maxsize=4096)  # a file has few raters and many rows
def kind_of_name(name: str) -> Raters | None:
    """Kind of rater that a name gives away: of a model, or of a program; None where it may be a person's.

    >>> [kind_of_name(name) for name in ("gpt-4o", "meta-llama/Llama-3-70b", "annotator 3", "Claudette", "reward")]
    [<Raters.MODEL: 'model'>, <Raters.MODEL: 'model'>, None, None, <Raters.PROGRAM: 'program'>]
    """
    words = name.lower().replace("_", " ")
    if found := _OF_MODELS.search(words):
        return (
            None if words[found.end() : found.end() + 1].isalpha() and found[0] not in ("gpt", "llm") else Raters.MODEL
        )
    return Raters.PROGRAM if _OF_PROGRAMS.search(words) else None


def is_feedback_name(name: str) -> bool:
    """Whether a field or column of this name holds feedback, by its name alone."""
    return key_of(name) in NAMES


def feedback_in(value: object) -> Feedback | None:
    """Understand one value; None if it is in no known form. Absent values are for the caller to see first.

    >>> feedback_in("up").value, feedback_in(False).value, feedback_in("4/5"), feedback_in("★★★☆☆").value
    (1.0, 0.0, Feedback(value=4.0, form=<Form.FRACTION: 'fractions'>, low=None, high=5.0), 3.0)
    >>> feedback_in("80 %").high, feedback_in("3,5").value, feedback_in("great film")
    (100.0, 3.5, None)
    """
    if isinstance(value, Worded):
        return value.feedback
    return _in_text_or_number(value) if isinstance(value, str) else _in_value(value)


@lru_cache(maxsize=4096)
def _in_text_or_number(value: str) -> Feedback | None:
    return _in_value(value)


def _in_value(value: object) -> Feedback | None:
    if isinstance(value, bool):
        return Feedback(float(value), Form.BINARY, 0.0, 1.0)
    number = plain_number(value)
    if number is not None and not (isinstance(value, str) and value.strip() == "+1"):
        return Feedback(number, Form.NUMBER)
    return _in_text(value.strip()) if isinstance(value, str) and value.strip() else None


def _in_text(text: str) -> Feedback | None:
    word = re.sub(r"[\s-]+", "_", text.lower()) if text not in ("+1", "-1") else text
    if text in _UP or word in _UP or text in _DOWN or word in _DOWN:
        return Feedback(float(text in _UP or word in _UP), Form.BINARY, 0.0, 1.0)
    if found := _FRACTION.fullmatch(text):
        top, value = float(found[2]), float(found[1].replace(",", "."))
        return Feedback(value, Form.FRACTION, None, top) if value <= top else None
    if found := _EXPLAINED.fullmatch(text):
        return Feedback(float(found[1].replace(",", ".")), Form.NUMBER)
    if found := _PERCENT.fullmatch(text):
        value = float(found[1].replace(",", "."))
        return Feedback(value, Form.PERCENT, 0.0, 100.0) if value <= 100 else None
    plain = text.replace(" ", "")
    if _STARS.fullmatch(plain):
        full, hollow = (sum(plain.count(sign) for sign in signs) for signs in (_FULL, _HOLLOW))
        return Feedback(float(full), Form.STARS, None, float(full + hollow) if hollow else None)
    if found := _STARS_WORD.fullmatch(text):
        return Feedback(float(found[1].replace(",", ".")), Form.STARS)
    return None


@dataclass(frozen=True)
class Said:
    """One value that stands where feedback is expected."""

    name: str
    """Aspect: the field's name, or the name within a nested object."""
    raw: object
    feedback: Feedback | None
    """What it means; None: not understood."""
    rater: str | None = None
    """Code of the rater, where the object says it."""
    raters: Raters = Raters.UNKNOWN
    """Kind of rater: as the object says, else by the name of the field."""


def with_rater(said: Said, fields: Mapping[str, object]) -> Said:
    """A judgement with the rater that the fields beside it name, and with the kind that the rater's name gives away.

    >>> rated = next(feedback_under("rating", 4))
    >>> with_rater(rated, {"judge": "gpt-4o"}).raters.value, with_rater(rated, {"annotator": "ann"}).raters.value
    ('model', 'people')
    >>> with_rater(rated, {"evaluator": "v2"}).raters.value
    'unknown'
    """
    by_key = {
        key: str(value) for name, value in fields.items() if (key := key_of(name)) in _SIBLINGS and _is_name(value)
    }
    rater = said.rater or next(iter(by_key.values()), None)
    kinds = [
        kind for each in (rater, *by_key.values()) if each is not None and (kind := kind_of_name(each)) is not None
    ]
    if said.raters not in (Raters.PEOPLE, Raters.UNKNOWN):
        kinds = []
    elif not kinds and not by_key.keys().isdisjoint(_JUDGED_BY):
        kinds = [Raters.UNKNOWN]
    return replace(said, rater=rater, raters=kinds[0] if kinds else said.raters)


def _is_name(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and not is_absent(value)


def feedback_under(name: str, value: object) -> Iterator[Said]:
    """All judgements under a field: of a plain value one or none, of an object or a list those that it nests.

    >>> [(each.name, each.feedback.value) for each in feedback_under("feedback", {"name": "csat", "value": 4})]
    [('csat', 4.0)]
    >>> [(each.name, each.feedback.value) for each in feedback_under("ratings", {"fluency": "5", "thumbs_down": True})]
    [('fluency', 5.0), ('thumbs_up', 0.0)]
    >>> [(each.name, each.feedback.high) for each in feedback_under("ratings", {"fluency": 5, "fluency_max": 7})]
    [('fluency', 7.0)]
    """
    return _judgements_under(name, value, origin_of(name))


def _judgements_under(name: str, value: object, origin: Raters) -> Iterator[Said]:
    if is_absent(value) or (isinstance(value, list | tuple | Mapping) and not value):
        return
    if isinstance(value, list | tuple):
        for each in value:
            yield from _judgements_under(name, each, origin)
    elif isinstance(value, Mapping):
        yield from _in_object(name, value, origin)
    else:
        question, low, high = scale_in(name)
        yield _as_approval(_on_scale(Said(question, value, feedback_in(value), raters=origin), low, high))


def _as_approval(said: Said) -> Said:
    """A *yes* to "thumbs down" is a *no* to "thumbs up"."""
    key, found = key_of(said.name), said.feedback
    if key not in _UP_OF or found is None or found.value not in (0, 1):
        return said
    return replace(said, name=_UP_OF[key], feedback=Feedback(1 - found.value, Form.BINARY, 0.0, 1.0))


def _in_object(name: str, value: Mapping[str, object], origin: Raters) -> Iterator[Said]:
    by_key = {key_of(str(key)): each for key, each in value.items()}
    valued = next((key for key in _VALUES if key in by_key and not isinstance(by_key[key], Mapping | list)), None)
    if valued is None:
        beside = {*_BESIDE, *_BY, *_SIBLINGS, *_ORIGINS, *_LOWS, *_HIGHS, *_KEYS}
        beside |= {end for key in by_key for ends in (_LOWS, _HIGHS) for end in _ends_of(key, ends)}
        for key, each in value.items():
            if key_of(str(key)) not in beside:
                low, high = (_first_number(by_key, _ends_of(key_of(str(key)), ends)) for ends in (_LOWS, _HIGHS))
                yield from (_on_scale(said, low, high) for said in _judgements_under(str(key), each, origin))
        return
    if is_absent(by_key[valued]):
        return
    named = next((str(by_key[key]) for key in _KEYS if isinstance(by_key.get(key), str)), None)
    own = named or name
    found = feedback_in(by_key[valued])
    low, high = (_first_number(by_key, ends) for ends in (_LOWS, _HIGHS))
    rater = next((str(by_key[key]) for key in _BY if by_key.get(key) not in (None, "")), None)
    kind = next((each for key in _ORIGINS if (each := kind_of_rater(str(by_key.get(key, ""))))), None)
    said = _as_approval(_on_scale(Said(own, by_key[valued], found, rater, kind or origin), low, high))
    yield said if kind is not None else with_rater(said, by_key)


def _ends_of(key: str, ends: Iterable[str]) -> Iterator[str]:
    """Names under which an end of a rating's scale stands beside it, such as ``quality_max`` and ``max_quality``."""
    for end in ends:
        yield from (f"{key}_{end}", f"{end}_{key}")


def _first_number(by_key: Mapping[str, object], names: Iterable[str]) -> float | None:
    return next((plain_number(by_key[name]) for name in names if name in by_key), None)


def _on_scale(said: Said, low: float | None, high: float | None) -> Said:
    """A judgement on a scale whose ends stand beside it; None: not this end."""
    if said.feedback is None or (low is None and high is None):
        return said
    found = said.feedback
    low, high = found.low if low is None else low, found.high if high is None else high
    return replace(said, feedback=replace(found, low=low, high=high))
