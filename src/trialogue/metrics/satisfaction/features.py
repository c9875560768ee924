"""Text features of the satisfaction estimator, computed without a language model.

Each is a number per dialogue, from its text alone, with the direction in which it may count. Directions were declared
before anything was fitted; a fit may give a feature zero weight, but never the opposite sign. Word lists are English
(expressions of satisfaction and dissatisfaction).
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from trialogue.metrics.text.tokens import ngrams, words_and_marks
from trialogue.records import Dialogue

SHORT = 4  # words; a reply of fewer says next to nothing
_WORD = re.compile(r"[\w']+")
TWICE = re.compile(r"\b(\w+) \1\b")
_LISTED = re.compile(r"^[^\S\n]*\d+[\s.:)]\s*\S", re.MULTILINE)
_SENTENCE = re.compile(r"[.!?](?:\s|$)")
PLEASED = re.compile(
    r"\b(thanks?|thank you|thx|great|perfect|awesome|nice|loved?|cool|excellent|amazing|wonderful|fantastic|lovely|helpful"
    r"|appreciate|interesting|sounds (good|great|interesting|fun|nice)"
    r"|good (choice|one|idea|recommendations?|suggestions?)|i('ll| will) (watch|check|try|see|give))\b"
)
DISPLEASED = re.compile(
    r"\b(wrong|incorrect|not (helpful|what|really|interested|true|good|right|related|relevant|working|answering|making)"
    r"|that'?s not|isn'?t|aren'?t|(don'?t|can'?t) understand|doesn'?t|didn'?t (answer|ask|like)|nonsense|stupid|useless"
    r"|terrible|bad|worst|huh|repeat(ing|ed)?|already|again|same|never ?mind|confus\w*|weird|makes no|wtf|still"
    r"|seriously|awful|boring|hate|strange|rubbish)\b"
)
NO = re.compile(r"^\W*(no|nope|nah|not)\b")
YES = re.compile(r"^\W*(yes|yeah|yep|sure|ok|okay)\b")
_EVERYDAY = frozenset(
    _WORD.findall(
        """a an the i you he she it we they me him her us them my your his its our their this that these those is am
        are was were be been being do does did have has had will would can could should shall may might must
        to of in on at for with from by about as and or but if so not no yes what which who whom when where
        why how there here some any all more most other another such than too very just also like movie
        movies film films recommend recommendation recommendations want watch see seen good great please hi
        hello hey thanks thank ok okay something anything one ones give im i'm don't dont know think love
        really looking look find need suggest suggestion suggestions tell time get"""
    )
)


@dataclass(frozen=True)
class DialogueTexts:
    """Texts of a dialogue, by speaker and in order."""

    replies: tuple[str, ...]
    turns: tuple[str, ...]
    """Texts of the user."""
    answered: tuple[tuple[str, str], ...]
    """(user, reply) next to each other."""

    @cached_property
    def bigrams(self) -> list[object]:
        """Of the words and marks of each reply."""
        return [pair for text in self.replies for pair in ngrams(words_and_marks(text), 2)]


@dataclass(frozen=True)
class Feature:
    """One numeric feature of a dialogue."""

    summary: str
    """Definition."""
    sign: int
    """1: more of it can only raise the estimate; -1: only lower it."""
    of: Callable[[DialogueTexts], float]


def texts_of_dialogue(dialogue: Dialogue) -> DialogueTexts:
    """Texts of a dialogue, with plain apostrophes."""
    said = [(each.speaker, each.text.replace("’", "'")) for each in dialogue.utterances]
    return DialogueTexts(
        replies=tuple(text for speaker, text in said if speaker == "system"),
        turns=tuple(text for speaker, text in said if speaker == "user"),
        answered=tuple((a[1], b[1]) for a, b in pairwise(said) if (a[0], b[0]) == ("user", "system")),
    )


def features_of(dialogue: Dialogue) -> list[float]:
    """All features, in the order of ``FEATURES``; finite for any dialogue, including those of one speaker."""
    talk = texts_of_dialogue(dialogue)
    return [feature.of(talk) for feature in FEATURES.values()]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _mean(values: Sequence[float], otherwise: float = 0.0) -> float:
    return sum(values) / len(values) if values else otherwise


def _share(texts: Sequence[str], found: Callable[[str], object]) -> float:
    return _mean([float(bool(found(text))) for text in texts])


def _distinct(talk: DialogueTexts) -> float:
    return math.log1p(len(set(talk.bigrams)) / max(1, len(talk.replies)))


def _distinct_share(talk: DialogueTexts) -> float:
    return len(set(talk.bigrams)) / max(1, len(talk.bigrams))


def _count_list_items(talk: DialogueTexts) -> float:
    return math.log1p(_mean([len(_LISTED.findall(text)) for text in talk.replies]))


def _word_overlap(talk: DialogueTexts) -> float:
    """Words shared by neighbouring replies over all their words; .2, an ordinary value, where there are no neighbours."""
    sets = [set(_words(text)) for text in talk.replies]
    return _mean([len(a & b) / max(1, len(a | b)) for a, b in pairwise(sets)], otherwise=0.2)


def _repetition_within_replies(talk: DialogueTexts) -> float:
    found = [ngrams(words_and_marks(text), 2) for text in talk.replies]
    return _mean([1 - len(set(pairs)) / max(1, len(pairs)) for pairs in found])


def content_words(text: str) -> set[str]:
    """Lower-case words of three letters or more that are not everyday words."""
    return {word for word in _words(text) if word not in _EVERYDAY and len(word) > 2}


def _taken_up(talk: DialogueTexts) -> float:
    pairs = [(content_words(said), set(_words(reply))) for said, reply in talk.answered]
    return _mean([len(asked & reply) / len(asked) for asked, reply in pairs if asked])


def _repetition_by_user(talk: DialogueTexts) -> float:
    """Largest share of a turn's content words that one earlier turn holds, averaged; .2 for a single turn."""
    sets = [set(_words(text)) for text in talk.turns]
    later = [(content_words(text), sets[:place]) for place, text in enumerate(talk.turns) if place]
    return _mean(
        [max(len(own & said) / len(own) for said in earlier) if own else 0.0 for own, earlier in later], otherwise=0.2
    )


def _share_of_later_turns(found: re.Pattern[str]) -> Callable[[DialogueTexts], float]:
    """Share of the user's turns after the first one."""
    return lambda talk: _share(talk.turns[1:], lambda text: found.search(text.lower()))


def _occurs_in_last_turn(found: re.Pattern[str]) -> Callable[[DialogueTexts], float]:
    return lambda talk: float(len(talk.turns) > 1 and found.search(talk.turns[-1].lower()) is not None)


def _turns(found: re.Pattern[str]) -> Callable[[DialogueTexts], float]:
    return lambda talk: _share(talk.turns, lambda text: found.search(text.lower()))


FEATURES: dict[str, Feature] = {
    "distinct_bigrams": Feature("distinct bigrams per reply, log(1 + x)", 1, _distinct),
    "distinct_share": Feature("share of the replies' bigrams that are distinct", 1, _distinct_share),
    "listed": Feature("numbered lines per reply, log(1 + x)", 1, _count_list_items),
    "longest_reply": Feature(
        "words of the longest reply, log(1 + x)",
        1,
        lambda talk: math.log1p(max((len(_words(text)) for text in talk.replies), default=0)),
    ),
    "last_reply": Feature(
        "words of the last reply, log(1 + x)",
        1,
        lambda talk: math.log1p(len(_words(talk.replies[-1])) if talk.replies else 0),
    ),
    "sentences": Feature(
        "sentences per reply", 1, lambda talk: _mean([len(_SENTENCE.findall(text)) for text in talk.replies])
    ),
    "same_reply": Feature(
        "share of replies that repeat an earlier one",
        -1,
        lambda talk: 1 - len(set(talk.replies)) / max(1, len(talk.replies)),
    ),
    "like_the_last": Feature("words shared with the previous reply", -1, _word_overlap),
    "repeats_itself": Feature("share of a reply's bigrams that repeat within it", -1, _repetition_within_replies),
    "stutters": Feature(
        "share of replies with a word twice in a row",
        -1,
        lambda talk: _share(talk.replies, lambda text: TWICE.search(text.lower())),
    ),
    "begins_small": Feature(
        "share of replies that begin with a lower-case letter",
        -1,
        lambda talk: _share(talk.replies, lambda text: text.strip()[:1].islower()),
    ),
    "says_little": Feature(
        f"share of replies of fewer than {SHORT} words (1 without replies)",
        -1,
        lambda talk: _share(talk.replies, lambda text: len(_words(text)) < SHORT) if talk.replies else 1.0,
    ),
    "takes_up": Feature("share of the user's content words that the next reply repeats", 1, _taken_up),
    "user_pleased": Feature(
        "share of later user turns with words of pleasure or thanks", 1, _share_of_later_turns(PLEASED)
    ),
    "user_pleased_last": Feature("the user's last turn has such words", 1, _occurs_in_last_turn(PLEASED)),
    "user_displeased": Feature(
        "share of later user turns with words of displeasure", -1, _share_of_later_turns(DISPLEASED)
    ),
    "user_displeased_last": Feature("the user's last turn has such words", -1, _occurs_in_last_turn(DISPLEASED)),
    "user_says_no": Feature("share of user turns that begin with 'no'", -1, _turns(NO)),
    "user_says_yes": Feature("share of user turns that begin with 'yes'", 1, _turns(YES)),
    "user_asks_again": Feature(
        "share of a user turn's content words that occurred in an earlier turn", -1, _repetition_by_user
    ),
    "user_shouts": Feature(
        "share of user turns in capitals",
        -1,
        lambda talk: _share(talk.turns, lambda text: len(text) > 3 and text.isupper()),
    ),
}
"""By name, in the order of a model's weights."""
