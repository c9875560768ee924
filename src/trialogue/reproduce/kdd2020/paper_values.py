"""Published values of Tables 4 and 5 of Zhang and Balog (KDD 2020), and notes on how they were computed."""

from collections.abc import Mapping
from types import MappingProxyType

SYSTEMS: Mapping[str, str] = MappingProxyType({"A": "and-chill", "B": "kelly", "C": "jmrs1"})
"""The paper's letter of each system; which is which follows from the dialogues."""

SHAPE = "C'"
"""A live recommender in the shape of system C, which may not be shipped: the reference recommender ``genre-led``."""

REAL = "Real users"
METHODS: Mapping[str, str] = MappingProxyType(
    {"QRFA-Single": "qrfa-single", "CIR6-Single": "cir6-single", "CIR6-PKG": "cir6-pkg"}
)
"""The paper's simulators, by our names."""

N: Mapping[str, int] = MappingProxyType({"A": 25, "B": 100, "C": 100})
"""Simulated dialogues behind a published cell (sec. 5.1: 25 for the system with restricted access); of real users 25."""

TURNS, RATIO, DS_KL = "AvgTurns", "UserActRatio", "DS-KL"
REWARD, SUCCESS = "Reward", "Success Rate"
LITERAL = "Reward, literal"
"""The reward by the printed formula, beside the paper's numbers for ``Reward``."""

TABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"Table 4": (TURNS, RATIO, DS_KL), "Table 5": (REWARD, LITERAL, SUCCESS)}
)

DIGITS: Mapping[str, int] = MappingProxyType({TURNS: 2, RATIO: 3, DS_KL: 3, REWARD: 2, LITERAL: 2, SUCCESS: 3})
"""Digits after the point, as printed."""

_ROWS: dict[str, dict[str, tuple[float | None, ...]]] = {
    TURNS: {
        REAL: (9.20, 14.84, 20.24),
        "QRFA-Single": (10.52, 12.28, 17.51),
        "CIR6-Single": (9.44, 12.75, 15.92),
        "CIR6-PKG": (6.16, 9.87, 10.56),
    },
    RATIO: {
        REAL: (0.374, 0.501, 0.500),
        "QRFA-Single": (0.359, 0.500, 0.500),
        "CIR6-Single": (0.382, 0.500, 0.500),
        "CIR6-PKG": (0.371, 0.500, 0.500),
    },
    DS_KL: {
        REAL: (None, None, None),
        "QRFA-Single": (0.027, 0.056, 0.029),
        "CIR6-Single": (0.055, 0.040, 0.025),
        "CIR6-PKG": (0.075, 0.056, 0.095),
    },
    REWARD: {
        REAL: (8.88, 7.56, 6.04),
        "QRFA-Single": (8.04, 7.41, 6.30),
        "CIR6-Single": (8.64, 8.28, 6.01),
        "CIR6-PKG": (11.12, 10.65, 9.31),
    },
    SUCCESS: {
        REAL: (0.833, 0.864, 0.727),
        "QRFA-Single": (0.774, 0.836, 0.718),
        "CIR6-Single": (0.807, 0.822, 0.712),
        "CIR6-PKG": (0.870, 0.847, 0.784),
    },
}


def published_value(measure: str, method: str, letter: str) -> float | None:
    """A published number; None if the paper has none."""
    row = _ROWS.get(REWARD if measure == LITERAL else measure, {}).get(method, ())
    letters = tuple(SYSTEMS)
    return row[letters.index(letter)] if letter in letters and row else None


_AGENDA = "how agendas are drawn (CIR6: at most 25 acts, QRFA: the chain) was chosen to agree with this row on C"
_CHECKED = (
    "which functions are checked was chosen to match this row, since the printed formula gives 6.96, 7.56 and 6.36"
)

TUNED: Mapping[tuple[str, str, str], str] = MappingProxyType(
    {
        **{
            (measure, method, "C"): _AGENDA
            for measure in (TURNS, DS_KL, REWARD, SUCCESS)
            for method in ("QRFA-Single", "CIR6-Single")
        },
        **{(REWARD, REAL, letter): _CHECKED for letter in SYSTEMS},
    }
)
"""Cells, by (measure, method, letter), that a choice of ours was made by, and which: that they agree is no evidence."""

WHY_REPLAY = {
    "A": ("And chill ran on Facebook Messenger and no longer exists: a replay of its 25 dialogues replaces it."),
    "B": (
        "Kelly needs IBM Watson Assistant, Slack and a wrapper that was not released: a replay of its 25 "
        "dialogues replaces it."
    ),
    "C": (
        "JMRS1 may not be redistributed (its licence is non-commercial): a replay of its 25 dialogues "
        "replaces it, together with C', a live recommender of ours with the same structure (genre first)."
    ),
}
"""Why the systems themselves are not here."""

USERS: Mapping[str, str] = MappingProxyType(
    {
        "": (
            "Users: fitted on each system's 25 dialogues, with preferences as in the released code; agendas "
            "by chains that agree with\nthe paper on C (CIR6: at most 25 acts; the released code, with 12, "
            "gives shorter dialogues); our linear model understands\nthe system, except that users of C' "
            "read the acts it declares. The models as printed and as released: --set as=paper, --set as=code."
        ),
        "paper": (
            "Users: fitted on each system's 25 dialogues, with the models as the paper describes them (sec. 4); our "
            "readings of what\nit leaves open are in the documentation of simulate."
        ),
        "code": "Users: fitted on each system's 25 dialogues, with the models of the released code.",
    }
)
"""Settings of the simulated users, by the model that was asked for."""

REASONS: Mapping[str, str] = MappingProxyType(
    {
        TURNS: (
            "The way agendas are drawn was chosen to agree with the paper on C, and is a guess for A and B. "
            "Replayed systems end no dialogue, and what CIR6-PKG users like depends on films that a replay "
            "names at random."
        ),
        RATIO: (
            "A replay answers with the message runs of the corpus, so its share is that of real dialogues with the "
            "same acts."
        ),
        DS_KL: "The paper's simulated dialogues were not released and the variant is not stated; here: annotated "
        "labels, "
        "half of both divergences, natural logarithm.",
        REWARD: (
            "The published row of real users requires choosing, for each system, which functions are checked "
            "(fitted: refinement for A, both for B, navigation for C); it follows the number of turns."
        ),
        LITERAL: (
            "The printed formula (20 points, 16 for A, which lacks navigation; a run of Repeat is one turn) does "
            "not give the published row: 6.96, 7.56 and 6.36 for real users."
        ),
        SUCCESS: (
            "A replay answers an act appropriately as often as it did with real users, whatever the "
            "simulator: simulated rows come out near that of real users."
        ),
    }
)
"""Why simulated rows of a measure may differ."""

TURNS_BY_SOURCE: Mapping[str, str] = MappingProxyType(
    {
        "paper": (
            "An agenda as the paper describes it is as long as a dialogue of a real user, and each unanswered act adds "
            "another one, so dialogues are longer than those of real users; published ones are shorter on B and C."
        ),
        "code": "The released code limits agendas of CIR6 to 12 acts, and its published dialogues are longer than that.",
    }
)
"""The reason for the number of turns, of a whole model."""

Counts = tuple[int, int, int]
WORKERS, PAIRS = 3, 25
"""Workers that judged each pair, and pairs of each cell (sec. 6.3)."""

TABLE_6: Mapping[str, tuple[Counts, ...]] = MappingProxyType(
    {
        "QRFA-Single": ((20, 39, 16), (22, 33, 20), (19, 43, 13)),
        "CIR6-Single": ((27, 30, 18), (23, 33, 19), (26, 40, 9)),
        "CIR6-PKG": ((22, 39, 14), (27, 29, 19), (32, 25, 18)),
    }
)
"""Table 6: wins (the simulated user was taken for the human one), losses and ties, for A, B and C."""

TABLE_6_PERCENT: Mapping[str, Counts] = MappingProxyType(
    {"QRFA-Single": (27, 51, 22), "CIR6-Single": (33, 46, 21), "CIR6-PKG": (36, 41, 23)}
)
"""Percentages of all wins, losses and ties, as printed."""

REASON_NAMES = ("Realisticity", "Engagement", "Emotion", "Response", "Grammar", "Length")
TABLE_7: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "QRFA-Single": (77, 38, 8, 39, 10, 10),
        "CIR6-Single": (76, 31, 8, 53, 15, 3),
        "CIR6-PKG": (74, 33, 15, 34, 14, 9),
    }
)
"""Table 7: how often each reason is mentioned in the workers' comments."""
