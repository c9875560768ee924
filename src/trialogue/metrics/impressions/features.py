"""Features of a reply in its dialogue, computed without a language model.

Three groups: the reply alone, the reply against what was said before, and the user's reaction to it. A judge of replies in
context uses the first two; a judge of whole dialogues uses all. Word lists are English.
"""

import math
import re
from collections.abc import Sequence
from itertools import pairwise

from trialogue.metrics.satisfaction.features import DISPLEASED, NO, PLEASED, TWICE, YES, content_words
from trialogue.records import Dialogue, Utterance

_WORD = re.compile(r"[\w']+")
_YEAR = re.compile(r"\((?:19|20)\d\d\)")
_LISTED = re.compile(r"^[^\S\n]*\d+[\s.:)]+(.(?:.*\S)?)[^\S\n]*$", re.MULTILINE)
_TITLED = re.compile(
    r"((?:[A-Z0-9][\w'.:-]*)(?:\s+(?:of|the|and|a|in|to|for|on|with|&|[A-Z0-9][\w'.:-]*))*)\s*\((?:19|20)\d\d\)"
)
_ENDS_WITH_YEAR = re.compile(r"\W*\(?(?:19|20)\d\d\)?\W*$")
_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][\w']+")
_REQUEST = re.compile(r"\b(recommend|suggest|movies?|films?|watch|something|list|looking for|find|want|give)\b")
_QUESTION = re.compile(
    r"\b(why|what is it about|plot|who (is|are|directed|stars|starred)|when|about\?|tell me (more|about)|cast|actor"
    r"|director|explain|which|how)\b"
)
_EXPLAINS = re.compile(
    r"\b(about|because|directed|stars?|starring|plot|story|based on|is a|features|follows|written)\b"
)
_UNKNOWING = re.compile(
    r"(haven'?t (seen|heard|watched)|not (familiar|sure)|don'?t know|never (seen|heard)|can'?t think|sorry"
    r"|unfortunately|unable)"
)
_GENERIC = re.compile(
    r"\b(good one|great movie|classic|pretty good|heard (it|that)|good movie|funny|love that|hope you|you bet|welcome"
    r"|bye|have a (good|great|nice)|enjoy)\b"
)
_GREETING = re.compile(r"^\W*(hi|hello|hey|how are you|good (morning|evening|afternoon))\b")
_SENTENCE = re.compile(r"[.!?](?:\s|$)")
SHORT = 4  # words; a reply of fewer says next to nothing
LONGEST = 4_000  # characters of an utterance that are read: titles are searched for in quadratic time


def reply_features(before: Sequence[Utterance], reply: str, after: Utterance | None = None) -> dict[str, float]:
    """Features of a reply by name; finite for any texts.

    Args:
        before: the dialogue before the reply, oldest first.
        reply: its text.
        after: the user's reaction; None: there is none, or it is unknown.
    """
    users = [_plain(each.text) for each in before if each.speaker == "user"]
    earlier = [_plain(each.text) for each in before if each.speaker == "system"]
    text = _plain(reply)
    return {**_own(text, earlier), **_answering(text, users), **_reaction(text, users, after)}


def dialogue_rows(dialogue: Dialogue) -> list[list[float]]:
    """Features of every reply of a dialogue, in the order of ``WITH_REACTION``."""
    said = dialogue.utterances
    return [
        list(reply_features(said[:place], each.text, _reaction_to(said, place)).values())
        for place, each in enumerate(said)
        if each.speaker == "system"
    ]


def _reaction_to(said: Sequence[Utterance], place: int) -> Utterance | None:
    following = said[place + 1] if place + 1 < len(said) else None
    return following if following is not None and following.speaker == "user" else None


def _own(text: str, earlier: Sequence[str]) -> dict[str, float]:
    """The reply alone, and against the system's earlier replies."""
    words, low = _words(text), text.lower()
    pairs = _bigrams(text)
    known = {pair for each in earlier for pair in _bigrams(each)}
    named, named_before = _titles(text), {title for each in earlier for title in _titles(each)}
    last = set(_words(earlier[-1])) if earlier else set()
    return {
        "log_words": math.log1p(len(words)),
        "is_short": float(len(words) < SHORT),
        "is_empty": float(not words),
        "distinct_bigrams": math.log1p(len(set(pairs))),
        "repeats_within": 1 - len(set(pairs)) / max(1, len(pairs)),
        "distinct_words": len(set(words)) / max(1, len(words)),
        "stutters": float(TWICE.search(low) is not None),
        "begins_small": float(text.strip()[:1].islower()),
        "new_bigrams": len(set(pairs) - known) / max(1, len(set(pairs))),
        "is_repeated": float(text in earlier),
        # .15 is an ordinary value, where there is nothing to compare with
        "like_the_last": len(last & set(words)) / max(1, len(last | set(words))) if earlier else 0.15,
        "listed": math.log1p(len(_LISTED.findall(text))),
        "titles": math.log1p(len(named)),
        "new_titles": math.log1p(len(named - named_before)),
        "old_titles": math.log1p(len(named & named_before)),
        "has_year": float(_YEAR.search(text) is not None),
        "names_something": float(bool(named) or _CAPITAL.search(text) is not None),
        "asks": float("?" in text),
        "does_not_know": float(_UNKNOWING.search(low) is not None),
        "is_generic": float(_GENERIC.search(low) is not None),
        "greets": float(_GREETING.search(low) is not None),
        "explains": float(_EXPLAINS.search(low) is not None),
        "sentences": float(min(len(_SENTENCE.findall(text)), 20)),
    }


def _answering(text: str, users: Sequence[str]) -> dict[str, float]:
    """The reply against what the user said."""
    last = users[-1].lower() if users else ""
    low, words = text.lower(), set(_words(text))
    names = bool(_titles(text)) or _CAPITAL.search(text) is not None
    explains, lists = _EXPLAINS.search(low) is not None, _LISTED.search(text) is not None
    questions = _QUESTION.search(last) is not None
    requests = _REQUEST.search(last) is not None
    alone = requests and not questions
    asked, ever = content_words(last), {word for each in users for word in content_words(each)}
    return {
        "user_requests": float(requests),
        "user_questions": float(questions),
        "user_greets": float(_GREETING.search(last) is not None and len(_words(last)) < SHORT + 1),
        "user_log_words": math.log1p(len(_words(last))),
        "request_met_by_title": float(alone and names),
        "request_not_met": float(alone and not names and "?" not in text),
        "request_met_by_question": float(alone and not names and "?" in text),
        "question_explained": float(questions and explains),
        "question_met_by_list": float(questions and lists),
        "question_not_explained": float(questions and not explains),
        # .1 is an ordinary value, where the user says nothing of content
        "takes_up": len(asked & words) / len(asked) if asked else 0.1,
        "takes_up_any": len(ever & words) / len(ever) if ever else 0.1,
        "user_displeased_before": float(len(users) > 1 and DISPLEASED.search(last) is not None),
        "position": math.log1p(max(len(users) - 1, 0)),
    }


def _reaction(text: str, users: Sequence[str], after: Utterance | None) -> dict[str, float]:
    """The user's next utterance; zeros without one."""
    said = _plain(after.text) if after is not None else ""
    low, content = said.lower(), content_words(said)
    asked = set(_words(users[-1])) if users else set()
    return {
        "no_reaction": float(after is None),
        "pleased_after": float(PLEASED.search(low) is not None),
        "displeased_after": float(DISPLEASED.search(low) is not None),
        "no_after": float(NO.search(low) is not None),
        "yes_after": float(YES.search(low) is not None),
        "repeats_after": len(content & asked) / len(content) if content else 0.0,
        "requests_after": float(_REQUEST.search(low) is not None),
        "questions_after": float(_QUESTION.search(low) is not None),
        "log_words_after": math.log1p(len(_words(said))),
        "takes_up_after": len(content & content_words(text)) / len(content) if content else 0.0,
    }


def _plain(text: str) -> str:
    return text[:LONGEST].replace("’", "'")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _bigrams(text: str) -> list[tuple[str, str]]:
    words = _words(text)
    return list(pairwise(words))


def _titles(text: str) -> set[str]:
    """Lower-case titles without years: numbered lines, and names before a year in brackets."""
    found = [*_LISTED.findall(text), *_TITLED.findall(text)]
    return {_ENDS_WITH_YEAR.sub("", title.lower()).strip() for title in found}


IN_CONTEXT: tuple[str, ...] = (*_own("", ()), *_answering("", ()))
"""Names of the features of a reply and of what was said before it."""
WITH_REACTION = (*IN_CONTEXT, *_reaction("", (), None))
"""The same, and those of the user's next utterance."""
