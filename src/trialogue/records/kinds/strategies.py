"""The thirteen recommendation strategies of INSPIRED, in the alphabetical order that numbers them in Behavior Alignment.

Hayati et al. (EMNLP 2020) define them; Yang et al. (SIGIR 2024) number them 0 to 12. ``no_strategy`` is the corpus' own
label for an utterance with none of them; it is the most frequent one.
"""

STRATEGIES: tuple[str, ...] = (
    "acknowledgment",
    "credibility",
    "encouragement",
    "experience_inquiry",
    "offer_help",
    "opinion_inquiry",
    "personal_experience",
    "personal_opinion",
    "preference_confirmation",
    "rephrase_preference",
    "self_modeling",
    "similarity",
    "transparency",
)

NO_STRATEGY = "no_strategy"
