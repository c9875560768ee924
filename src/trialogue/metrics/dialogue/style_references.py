"""User-act counts of real users in the annotated conversations of Zhang and Balog (KDD 2020), by system.

Counts of labels as the files have them (25 dialogues each). Only the counts are shipped; the dialogues may not be.
"""

from collections.abc import Mapping
from types import MappingProxyType

REAL_USERS: Mapping[str, Mapping[str, int]] = MappingProxyType(
    {
        "and-chill": MappingProxyType(
            {
                "Non-disclose": 45,
                "Disclose": 37,
                "Note": 35,
                "Complete": 22,
                "Revise": 16,
                "Interrupt": 13,
                "Similar": 13,
                "Expand": 11,
                "Inquire": 10,
                "Refine": 8,
                "Back": 6,
                "Repeat": 6,
                "Complete-complain": 2,
                "More": 1,
                "Interrogate": 1,
                "Disclose-repeat": 1,
                "Note-speechless": 1,
                "Compare": 1,
                "Non-disclose-complain": 1,
            }
        ),
        "kelly": MappingProxyType(
            {
                "Repeat": 88,
                "Refine": 42,
                "Revise": 42,
                "Non-disclose": 37,
                "Subset": 34,
                "List": 33,
                "Disclose": 29,
                "Note": 25,
                "Complete": 12,
                "Inquire": 12,
                "Similar": 9,
                "Note-dislike": 8,
            }
        ),
        "jmrs1": MappingProxyType(
            {
                "Repeat": 144,
                "Note": 60,
                "Disclose": 47,
                "Non-disclose": 39,
                "Similar": 37,
                "Note-end": 36,
                "Complete": 31,
                "Note-yes": 28,
                "Disclose-review": 26,
                "Note-dislike": 21,
                "Revise": 15,
                "Inquire": 8,
                "Navigate": 5,
                "Refine": 2,
                "Non-disclose-review": 1,
                "Interrupt": 1,
                "List": 1,
                "...": 1,
                "Note-complain": 1,
                "More": 1,
                "Expand": 1,
            }
        ),
    }
)
