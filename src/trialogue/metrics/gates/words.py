"""English word lists of the gates: thanks, assistant phrases, and signs of truncated messages.

Written from what language models are known to say when they leave the user's role, and tested against real users: see
``benchmarks/GATES.md``. For dialogues in other languages these gates detect nothing.
"""

import re


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in patterns), re.IGNORECASE)


_OFFER = r"(?:help|assist)(?: you)?"
_SUGGEST = r"(?:suggest|recommend|propose)"

ASSISTANT = _any_of(
    r"\bas an? (?:\w+ ){0,3}(?:ai|language model|assistant|chatbot|recommender)\b",
    r"\b(?:i'?m|i am) (?:just |only )?(?:an? |your )?(?:\w+ ){0,2}(?:ai|language model|virtual assistant|chatbot)\b",
    r"\b(?:i'?m|i am) (?:just |only )?(?:a|the) (?:simulated|virtual) \w+",
    r"\bmy (?:persona|instructions|programming|training data|knowledge cutoff|capabilities)\b",
    rf"\b(?:how|what) (?:can|may|could) i (?:be of \w+|{_OFFER}|do for you)\b",
    rf"\b(?:happy|glad|here|pleased|delighted|excited|ready) to {_OFFER}\b",
    r"\b(?:can|may|could) i (?:help|assist) you\b",
    r"\b(?:i'?m|i am) here to support you\b",
    r"\bi can (?:\w+ )?(?:help|assist) you\b",
    r"\b(?:unable|not able) to (?:provide|assist|fulfil+|access)\b",
    r"\bglad (?:that )?i could help\b",
    rf"\banything else (?:that )?i can (?:{_OFFER}|do for you)\b",
    r"\b(?:feel free|don'?t hesitate) to (?:ask|reach out|let me know)\b",
    r"\blet me know if you(?:'d| would)? (?:need|want|like|have)\b",
    r"\bif you(?:'d like| would like| need| want) (?:any )?(?:more|other|further) (?:recommendations|suggestions|help)\b",
    r"\bhere (?:are|is) (?:some|a few|a couple|a list|several|my) (?:\w+ ){0,3}"
    r"(?:recommendations?|suggestions?|movies|films|options|titles|thrillers|comedies|dramas)\b[^?]*\b(?:you|:)",
    r"\bbased on (?:your|the information you)\b.{0,60}\b(?:i'?d|i would|i|you (?:might|may|could)) ",
    rf"\bi can (?:definitely |certainly )?{_SUGGEST}\b",
    r"\bto (?:give|offer|provide) you (?:with )?(?:better|more|some|a) ",
    r"\A\s*(?:assistant|recommender|system|bot|ai|crs)\s*:",
)
"""Phrases of assistants that seekers do not use."""

_THANK = (
    r"thank(?:s| you|ing you)?|thx|ty|cheers|appreciated?|much|many|very|so|again|a lot|kindly|bye|goodbye|farewell|cya|"
    r"see (?:you|ya)|later|take care|good ?night|have an? (?:\w+ )?(?:day|one|evening|night|time|weekend)|"
    r"you (?:too|as well)|same to you"
)
_FILLER = (
    r"ok|okay|great|perfect|cool|awesome|no|nope|alright|well|and|for|of|all|your|the|that|it|i|will|really|it's|its|help|"
    r"recommendations?|suggestions?|everything|time|it all|then|nice|too|soon|now|yes|again"
)
THANKS = re.compile(rf"\A(?:(?:{_THANK}|{_FILLER})(?:\W+|\Z))+\Z", re.IGNORECASE)
"""A message that is nothing but thanks and goodbye ..."""
THANKING = re.compile(
    r"(?<!\w)(?:thank|thx|ty\b|cheers|appreciat|(?:good)?bye|farewell|cya|see you|see ya|take care|good ?night|have an? |"
    r"you too|you as well|same to you)",
    re.IGNORECASE,
)
"""... holds one of these."""

_OPEN = (
    r"the|an|and|or|but|because|with|to a|by|than|if|whether|as|my|your|their|maybe an?|about an?|with an?|"
    r"that is|is a|has to|like the|similar to|that the|it was a|such as"
)
BREAKS_OFF = re.compile(rf"(?<!\w)(?:{_OPEN})\W*\Z", re.IGNORECASE)
"""Last words of incomplete messages: an article, a conjunction, or a preposition that rarely ends a sentence."""
LEAST_WORDS = 5  # people end short messages on any word ("what is it from"); long ones seldom
ENDS = re.compile(r"[.!?…)\"'”’]\s*\Z")
EMPTY = re.compile(r"\A[\s.…_-]*\Z")
"""Empty messages: nothing, or dots; a lone question mark is a real message."""
REFUSES = re.compile(r"\A\W*(?:no|nope)\W+(?:thanks?|thx|thank you)\W*\Z", re.IGNORECASE)
"""Thanks that answer an offer: neither the end of a dialogue nor anything else."""

NEGATION = (
    r"(?:no|(?<!why )not|never|without|but|hate|dislike|don'?t (?:really )?(?:like|want|enjoy|care for)|"
    r"do not (?:like|want|enjoy)|not (?:really )?a fan of|not in the mood for|rather not (?:watch|see)(?: an?)?|"
    r"never (?:\w+ )?(?:liked|enjoyed)|"
    r"can'?t stand|tired of|too much)"
)
"""Phrases before a rejected value ..."""
BETWEEN = r"(?:\W+(?:a|an|any|the|more|another|really|of|to|be|watch|see|some|films?|movies?)){0,3}\W+"
"""... with these words between."""
WISH = (
    r"(?:want|like|love|prefer|looking for|look for|search(?:ing)? for|in the mood for|fan of|hoping for|show me|give me|"
    r"any(?: good)?|recommend(?: me)?|need|interested in|enjoy|what i want is|fancy|some)"
)
"""Phrases before a requested value."""
