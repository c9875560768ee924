"""Parse and validate the fields of an export's ``study.json``."""

from collections.abc import Callable
from typing import Any

from trialogue.inputs.study_data import InterimLook, Scale
from trialogue.records import MeasureName


def _words(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a string, got {value!r}.")
    return value


def _rules(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f"expected rules by name, got {value!r}.")
    return {_words(name): _words(meaning) for name, meaning in value.items()}


def _option_labels(value: Any) -> dict[str, dict[str, str]]:
    if not isinstance(value, dict):
        raise ValueError(f"expected options by question, got {value!r}.")
    return {_words(question): _rules(labels) for question, labels in value.items()}


def _task(value: Any) -> str:
    if value not in ("choice", "realism"):
        raise ValueError(f"it is {value!r}, but must be choice or realism.")
    return str(value)


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"expected a whole number of at least 1, got {value!r}.")
    return value


def _looks(value: Any) -> tuple[InterimLook, ...]:
    if not isinstance(value, list):
        raise ValueError(f"expected a list of looks, got {value!r}.")
    return tuple(InterimLook.model_validate(each) for each in value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {value!r}.")
    return value


def _scales(value: Any) -> dict[str, Scale]:
    if not isinstance(value, dict):
        raise ValueError(f"expected scales by measure, got {value!r}.")
    return {_words(name): _scale(name, given) for name, given in value.items()}


def _scale(name: str, given: Any) -> Scale:
    if not isinstance(given, dict):
        raise ValueError(f"the scale of {name} must be an object, got {given!r}.")
    better = given.get("better", "higher")
    if better not in ("higher", "lower"):
        raise ValueError(f"better of {name} is {better!r}, but must be higher or lower.")
    try:
        labels = {float(point): _words(words) for point, words in dict(given.get("labels") or {}).items()}
    except ValueError as error:
        raise ValueError(f"labels of {name} must map numbers to words: {error}") from None
    title = given.get("title") or MeasureName(name).prose.capitalize()
    return Scale(_words(title), better, labels, _words(given.get("question", "")))


CHECKS: dict[str, Callable[[Any], Any]] = {
    "title": _words,
    "study_hash": _words,
    "early_looks": _looks,
    "surplus": _count,
    "raters_per_item": _count,
    "scales": _scales,
    "exclusion_rules": _rules,
    "titles": _rules,
    "options": _option_labels,
    "preferences": _task,
    "primary": _words,
    "simulated": _truth,
}
"""By field of ``study.json``: its value from what the file holds, or ValueError, TypeError or AttributeError."""
