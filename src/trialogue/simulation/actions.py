"""Action spaces of users and agents in conversational recommendation, by default that of Zhang and Balog (KDD 2020).

An ``ActionSpace`` holds what an interaction model needs to know about its labels; ``KDD2020`` is the paper's, others are
read from UserSimCRS' files. The labels themselves, and the valid answers to each, are in ``records.kinds.acts``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from trialogue.records import JsonValue, Speaker
from trialogue.records.kinds.acts import ACCEPTABLE, CIR6, spelt_right

QUERY, FEEDBACK, REQUEST, ANSWER = "Query", "Feedback", "Request", "Answer"
"""The four classes of QRFA (Vakulenko et al., ECIR 2019): two of the user, two of the agent."""


def _map_labels(labels: str, value: str) -> dict[str, str]:
    return dict.fromkeys(labels.split(), value)


@dataclass(frozen=True)
class Qrfa:
    """Assignment of labels to QRFA classes."""

    name: str
    """Whose list it is."""
    user: Mapping[str, str]
    """``QUERY`` or ``FEEDBACK`` by user label."""
    agent: Mapping[str, str]
    """``REQUEST`` or ``ANSWER`` by agent label."""
    other_answer: bool
    """Whether an agent label that is not listed counts as an answer."""
    corrected: bool = False
    """Whether the two typos in agent labels of the published files are corrected first."""

    def class_of(self, speaker: Speaker, label: str) -> str | None:
        """QRFA class of a label; None if unknown."""
        if speaker == "user":
            return self.user.get(label)
        label = spelt_right(label) if self.corrected else label
        return self.agent.get(label, ANSWER if self.other_answer else None)


_QUERY = "Disclose Non-disclose Revise Refine Expand Inquire List Compare Similar Navigate Repeat"
_ANSWERS = _map_labels("Show List Similar Subset Repeat Back More Record End", ANSWER)

QRFA_PAPER = Qrfa(
    name="paper",
    user=MappingProxyType(
        {
            **_map_labels(f"Reveal {_QUERY} Subset Interrupt Interrogate", QUERY),
            **_map_labels("Disclose-repeat Disclose-review Non-disclose-review Non-disclose-complain", QUERY),
            **_map_labels("Back More Note Complete", FEEDBACK),
            **_map_labels("Note-yes Note-dislike Note-complain Note-speechless Note-end Complete-complain", FEEDBACK),
        }
    ),
    agent=MappingProxyType({**_map_labels("Inquire Elicit Elicit-review Clarify Suggest", REQUEST), **_ANSWERS}),
    other_answer=True,
    corrected=True,
)
"""Table 2 of the paper. Labels of the annotated dialogues that it lacks have the class of the act that they refine
(``Note-yes`` that of ``Note``), the typos that of the correct label, and other agent labels (``Fail``) are answers."""

QRFA_RELEASED = Qrfa(
    name="released",
    user=MappingProxyType(
        {
            **_map_labels(
                "Back More Note Note-yes Note-dislike Note-complain Note-speechless Note-end Complete", FEEDBACK
            ),
            **_map_labels("Complete-complain Non-disclose-review Subset Interrupt Interrogate ...", FEEDBACK),
            **_map_labels(f"{_QUERY} Disclose-repeat Disclose-review Non-disclose-complain", QUERY),
        }
    ),
    agent=MappingProxyType({**_map_labels("Inquire Elicit Elicit-review Clarify Suggest", REQUEST), **_ANSWERS}),
    other_answer=True,
)
"""The lists of the released code: all sub-labels, and whatever is no request is an answer. ``Non-disclose-complain`` is
in two of its lists; queries are looked up first."""


QRFA_LISTS: Mapping[str, Qrfa] = MappingProxyType({each.name: each for each in (QRFA_RELEASED, QRFA_PAPER)})
"""Both assignments by name."""


@dataclass(frozen=True)
class Roles:
    """Labels with a special role for preference models; None: the space has no such label."""

    opening: str = "Non-disclose"
    """Said first, before anything is asked."""
    disclose: str = "Disclose"
    """Label of disclosing a preference."""
    complete: str | None = "Complete"
    """Says goodbye."""
    seen: str | None = "Note-yes"
    """Knows the item that was put forward."""
    unseen: str | None = "Note"
    """Does not know it, or takes note of it."""
    like: str | None = "Note-end"
    """Takes the item."""
    dislike: str | None = "Note-dislike"
    """Does not want it."""
    neutral: str | None = None
    """Has no opinion of it."""
    another: str | None = "Similar"
    """Asks for another one."""
    review: str | None = "Disclose-review"
    """Says what one thinks of an item one knows."""


@dataclass(frozen=True)
class ActionSpace:
    """Labels of an interaction model, and their properties."""

    name: str
    """Whose labels they are."""
    acceptable: Mapping[str, frozenset[str]]
    """Acceptable agent labels for each user label; ``X.*`` matches ``X`` and all labels that begin with ``X.``."""
    states: Mapping[str, str] = field(default_factory=lambda: CIR6)
    """Coarse action by user label, for the state diagram; missing labels are their own action."""
    roles: Roles = field(default_factory=Roles)
    """Labels with a part to play."""
    informs: frozenset[str] = frozenset({"Disclose", "Disclose-repeat", "Revise", "Refine", "Expand"})
    """User labels that express a preference: the named items come from the user's profile."""
    shows: frozenset[str] = frozenset({"List", "Similar", "Subset", "Show", "Clarify", "More", "Suggest"})
    """Agent labels under which items are put forward."""

    @property
    def labels(self) -> tuple[str, ...]:
        """All user labels, in file order."""
        return tuple(self.acceptable)

    def accepts(self, user: str, agent: str | None) -> bool:
        """Whether an agent label is an acceptable answer to a user label; unknown labels are not.

        >>> KDD2020.accepts("Disclose", "List"), KDD2020.accepts("Disclose", "Fail"), KDD2020.accepts("Disclose", None)
        (True, False, False)
        """
        if agent is None:
            return False
        wanted = self.acceptable.get(user, frozenset())
        if agent in wanted:
            return True
        families = (name[:-2] for name in wanted if name.endswith(".*"))
        return any(agent == family or agent.startswith(f"{family}.") for family in families)

    def to_json(self) -> JsonValue:
        """Plain JSON values; the paper's own space by its name only."""
        if self == KDD2020:
            return self.name
        return {
            "name": self.name,
            "acceptable": {label: [*sorted(wanted)] for label, wanted in self.acceptable.items()},
            "states": {**self.states},
            "roles": {**vars(self.roles)},
            "informs": [*sorted(self.informs)],
            "shows": [*sorted(self.shows)],
        }

    @classmethod
    def from_json(cls, data: Any) -> "ActionSpace":
        """Inverse of ``to_json``; TypeError, LookupError or AttributeError for anything else."""
        if data == KDD2020.name:
            return KDD2020
        return cls(
            name=str(data["name"]),
            acceptable={str(label): frozenset(map(str, wanted)) for label, wanted in data["acceptable"].items()},
            states={str(label): str(state) for label, state in data["states"].items()},
            roles=Roles(**data["roles"]),
            informs=frozenset(map(str, data["informs"])),
            shows=frozenset(map(str, data["shows"])),
        )


KDD2020 = ActionSpace(name="kdd2020", acceptable=ACCEPTABLE)
"""The paper's action space with the labels of its annotated dialogues."""
