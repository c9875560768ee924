"""Labels of utterances: dialogue acts (Zhang and Balog, KDD 2020) with the answers to each, strategies, replays.

Labels are kept as corpora write them, including typos: ``spelt_right`` corrects them on request. Simulation and
measurement read the same tables, so that they cannot disagree.

The thirteen recommendation strategies of INSPIRED, in the alphabetical order that numbers them in Behavior Alignment.

Hayati et al. (EMNLP 2020) define them; Yang et al. (SIGIR 2024) number them 0 to 12. ``no_strategy`` is the corpus' own
label for an utterance with none of them; it is the most frequent one.
"""

from collections.abc import Mapping
from types import MappingProxyType

CIR6_STATES = ("Disclose", "Reveal", "Inquire", "Navigate", "Note", "Complete")
"""The six user actions that give CIR6 its name (Zhang and Balog, 2020, sec. 4.2.1)."""

MIXED = "MI"
"""The class of mixed initiative, which is none of the six: interrupting, interrogating, and what fits nowhere."""


def _map_labels(labels: str, value: str) -> dict[str, str]:
    return dict.fromkeys(labels.split(), value)


CIR6: Mapping[str, str] = MappingProxyType(
    {
        **_map_labels("Disclose Non-disclose Disclose-review Disclose-repeat", "Disclose"),
        **_map_labels("Non-disclose-complain Non-disclose-review", "Disclose"),
        **_map_labels("Revise Refine Expand", "Reveal"),
        **_map_labels("Inquire List Compare Subset Similar", "Inquire"),
        **_map_labels("Navigate Repeat Back More", "Navigate"),
        **_map_labels("Note Note-end Note-yes Note-dislike Note-complain Note-speechless", "Note"),
        **_map_labels("Complete Complete-complain", "Complete"),
        **_map_labels("Interrupt Interrogate ...", MIXED),
    }
)
"""Every user label of the annotated corpus, with its CIR6 action."""

_ACCEPTABLE = """
Non-disclose Non-disclose-review Non-disclose-complain: Elicit Inquire
Disclose Disclose-review Disclose-repeat Revise Refine Expand: Elicit Show List Suggest Clarify
Inquire Note-dislike: List Elicit
List Back: List
Similar: Elicit Similar List
Subset: Subset
Compare ...:
Navigate: Show
Repeat: Repeat
More: List More
Note Note-end: Record Repeat
Note-yes: Elicit-review
Note-complain: Elicit
Note-speechless: Record
Complete Complete-complain: End
Interrupt: Suggest Elicit Back
Interrogate: Explain
"""
ACCEPTABLE: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        user: frozenset(agent.split())
        for users, _, agent in (line.partition(":") for line in _ACCEPTABLE.strip().splitlines())
        for user in users.split()
    }
)
"""Agent labels that answer each user label (the mapping that the paper "excluded due to space constraints")."""

AGENT_LABELS = (
    *("Inquire", "Elicit", "Elicit-review", "Clarify", "Suggest", "Show", "List", "Similar", "Subset"),
    *("Repeat", "Back", "More", "Record", "End", "Fail"),
)
"""Agent labels of the annotated corpus, without its typos. ``Fail``, in no table of the paper, answers nothing."""

_MISSPELT = {"Suggesnt": "Suggest", "Clairfy": "Clarify"}


def spelt_right(label: str) -> str:
    """Correct the two typos in labels of the published files; any other label is returned unchanged.

    >>> spelt_right("Clairfy"), spelt_right("Clarify"), spelt_right("938470673")
    ('Clarify', 'Clarify', '938470673')
    """
    return _MISSPELT.get(label, label)


def _parse_pairs(text: str) -> Mapping[str, str]:
    return MappingProxyType(dict(pair.split("=") for pair in text.split()))


USERSIMCRS_AGENT = _parse_pairs(
    "INQUIRE=Inquire INQUIRE.ELICIT=Elicit INQUIRE.ELICIT-REVIEW=Elicit-review INQUIRE.CLARIFY=Clarify REVEAL=List "
    "REVEAL.LIST=List REVEAL.SHOW=Show REVEAL.SIMILAR=Similar REVEAL.SUBSET=Subset TRAVERSE.REPEAT=Repeat "
    "TRAVERSE.BACK=Back TRAVERSE.MORE=More TRAVERSE.RECORD=Record SUGGEST=Suggest END=End CANT-HELP=Fail"
)
"""Agent intents as UserSimCRS and MovieBot write them, with the paper's label; for agents that declare their acts."""


USERSIMCRS_USER = _parse_pairs(
    "DISCLOSE=Disclose DISCLOSE.NON-DISCLOSE=Non-disclose DISCLOSE.REVIEW=Disclose-review REVEAL=Refine "
    "REVEAL.REVISE=Revise REVEAL.REFINE=Refine REVEAL.EXPAND=Expand INQUIRE=Inquire INQUIRE.LIST=List "
    "INQUIRE.COMPARE=Compare INQUIRE.SUBSET=Subset INQUIRE.SIMILAR=Similar NAVIGATE=Navigate NAVIGATE.REPEAT=Repeat "
    "NAVIGATE.BACK=Back NAVIGATE.MORE=More NOTE=Note NOTE.LIKE=Note-end NOTE.DISLIKE=Note-dislike "
    "NOTE.NEUTRAL=Note-speechless NOTE.YES=Note-yes NOTE.ACCEPT=Note-end NOTE.NOTE-END=Note-end "
    "NOTE.NOTE-YES=Note-yes NOTE.NOTE-DISLIKE=Note-dislike COMPLETE=Complete"
)
"""User intents as UserSimCRS writes them, with the paper's label; what has none (YES, NO, DONT-KNOW) is left as it is."""


def paper_label(intent: str, *, of_user: bool) -> str:
    """Map UserSimCRS' name of an intent to the paper's label; any other is returned unchanged.

    >>> paper_label("NOTE.LIKE", of_user=True), paper_label("REVEAL", of_user=False), paper_label("List", of_user=True)
    ('Note-end', 'List', 'List')
    """
    return (USERSIMCRS_USER if of_user else USERSIMCRS_AGENT).get(intent, intent)


def answers(user: str, agent: str | None) -> bool:
    """Whether an agent label answers a user label; unknown labels answer nothing, UserSimCRS' names are accepted.

    >>> answers("Disclose", "List"), answers("Disclose", "REVEAL.LIST"), answers("Disclose", None)
    (True, True, False)
    """
    if agent is None:
        return False
    return USERSIMCRS_AGENT.get(agent, agent) in ACCEPTABLE.get(user, frozenset())


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

REPLAY = "replay:"


def replay_of(system: str) -> str:
    """Name of a replay of a system.

    >>> replay_of("kelly")
    'replay:kelly'
    """
    return f"{REPLAY}{system}"


def replayed_system(name: str) -> str:
    """The system that an agent replays; any other agent's own name.

    >>> replayed_system("replay:kelly"), replayed_system("kelly")
    ('kelly', 'kelly')
    """
    return name.removeprefix(REPLAY)
