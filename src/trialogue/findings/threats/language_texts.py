"""Texts about measures that do not fit a language. No other module words them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from trialogue.findings.wording import list_names
from trialogue.languages import language_name
from trialogue.records import LanguageMismatch, Misfit

MERGED: frozenset[Misfit] = frozenset({"language", "unspaced", "model_labels"})
"""Reasons that share a line where they are about the same texts."""


WITHOUT_SPACES = (
    " Separate the words by spaces, or use measures of characters, such as bleu@zh, chrf, distinct@chars and "
    "length@characters."
)


def language_lines(mismatches: Iterable[LanguageMismatch]) -> list[str]:
    """Mismatches in words: one line for all measures that do not fit the same texts."""
    groups: defaultdict[tuple[object, ...], list[LanguageMismatch]] = defaultdict(list)
    for each in mismatches:
        if each.reason == "across_languages":
            groups[each.reason, each.writer, each.languages, each.measures].append(each)
        else:
            groups[each.reason not in MERGED and each.reason, each.writer, each.languages, each.systems].append(each)
    return [_line(group) for group in groups.values()]


def language_of_texts(mismatch: LanguageMismatch) -> str:
    """Language of the mismatched texts, in words."""
    names = [language_name(code) for code in mismatch.languages]
    if mismatch.reason == "across_languages":
        return f"different languages ({list_names(names, most=None)})"
    if mismatch.reason == "several_languages":
        return "several languages"
    return list_names(names, most=None) or "a script without spaces between words"


def made_for(mismatch: LanguageMismatch) -> str:
    """Languages supported by the measures, or the model behind them, in words."""
    if mismatch.reason == "across_languages":
        return "comparisons within one language"
    if mismatch.reason == "unspaced":
        return "words between spaces"
    return list_names([language_name(code) for code in mismatch.made_for], most=None)


def _line(group: Sequence[LanguageMismatch]) -> str:
    first = group[0]
    language = language_of_texts(first)
    if first.reason == "across_languages":
        done = "compared anyway" if first.is_kept else "not compared"
        measures = ", ".join(name.short for name in first.measures)
        return f"{_writers(group)} in {language}: such systems are {done} on {measures}."
    what = "; ".join(_measures(each) for each in group)
    if first.reason == "unknown":
        writers = _writers(group, article="the")
        return f"There is too little text to detect the language in which {writers}. {what}: measured anyway."
    if first.is_kept:
        return f"{_writers(group)} in {language}. Measured anyway: {what}."
    without_spaces = WITHOUT_SPACES if any(each.reason == "unspaced" for each in group) else ""
    left_out = f"{_writers(group)} in {language}. Left out: {what}.{without_spaces}"
    return f"{left_out} To measure them anyway: --set any_language=true."


def _writers(group: Sequence[LanguageMismatch], *, article: str = "The") -> str:
    systems = sorted({system for each in group for system in each.systems})
    names = list_names(systems, most=None)
    match group[0].writer:
        case "reference":
            return f"{article} references for {names} are"
        case "user":
            return f"{article} users of {names} write"
        case "system":
            return f"{names} {'writes' if len(systems) == 1 else 'write'}"


def _measures(mismatch: LanguageMismatch) -> str:
    """Names of measures with what keeps them from fitting."""
    why = made_for(mismatch)
    if mismatch.reason == "model_labels":
        why = f"strategies labelled by a model for {why}"
    elif mismatch.reason != "unspaced":
        why = f"made for {why}{' alone' if mismatch.reason == 'several_languages' else ''}"
    return f"{', '.join(name.short for name in mismatch.measures)} ({why})"
