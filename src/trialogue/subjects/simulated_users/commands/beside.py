"""What an evaluation shows of simulated users: passports beside the dialogues, and a model's wordings of messages."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trialogue.analysis.beside import NOTHING_BESIDE, Beside
from trialogue.findings.records import Section, columns
from trialogue.records import Dialogue, Utterance, sha256_of
from trialogue.records.runs import open_run
from trialogue.simulation.source import WORDING, Wording

if TYPE_CHECKING:
    from trialogue.subjects.simulated_users.records import PassportFindings

WORDINGS = {
    Wording.MODEL: "Said",
    Wording.LOST_VALUE: "Value lost",
    Wording.NEW_VALUE: "Value added",
    Wording.OTHER_STANCE: "Other stance",
    Wording.QUESTION: "Question or not",
    Wording.OTHER_ACT: "Other act",
    Wording.TOO_LONG: "Too long",
    Wording.CUT: "Cut off",
}
"""Outcomes of a model's wordings as heads of columns."""
FILE, PAGE = "passport.json", "passport.html"
FOLDER = "passport"
"""In the folder of a simulation, where its passport is written."""


@dataclass(frozen=True)
class StoredPassport:
    """A passport that was written before."""

    path: Path
    findings: "PassportFindings"


def stored_passports(given: Sequence[object]) -> Iterator[StoredPassport]:
    """The passports beside dialogues: in their folder, in ``passport`` in it, or in the folder above; each once.

    Raises:
        DataError: a file of that name is no passport.
    """
    known = set()
    for one in given:
        path = Path(one) if isinstance(one, str | Path) else None
        if path is None or not path.exists():
            continue
        folder = path if path.is_dir() else path.parent
        for place in (folder / FILE, folder / FOLDER / FILE, folder.parent / FILE):
            if place.is_file() and place.resolve() not in known:
                known.add(place.resolve())
                yield StoredPassport(place, read_passport(place))


def read_passport(path: Path) -> "PassportFindings":
    """A passport that ``trialogue users passport`` wrote.

    Raises:
        DataError: it is none, or the run is not what was sealed.
    """
    from trialogue.subjects.simulated_users.records import PassportFindings  # here: most runs have no passport

    return open_run(path.parent).record(path.name, PassportFindings, again="trialogue users passport")


def passports_beside(given: Sequence[object]) -> Beside:
    """A section for each passport beside the dialogues, and its checksum."""
    stored = list(stored_passports(given))
    if not stored:
        return NOTHING_BESIDE
    from trialogue.subjects.simulated_users.answer import passport_section

    return Beside(
        sections=tuple(passport_section(each.findings, page=str(each.path.with_name(PAGE))) for each in stored),
        inputs={f"passport of {each.findings.users}": sha256_of(each.path) for each in stored},
    )


def wordings_beside(counts: Mapping[str, Mapping[str, int]]) -> Beside:
    """A section on the wordings of hybrid users, from their outcomes by system; none where nothing was worded."""
    if not counts:
        return NOTHING_BESIDE
    return Beside(sections=(wordings_section(counts, {outcome.value: title for outcome, title in WORDINGS.items()}),))


def wordings_of(dialogues: Iterable[Dialogue]) -> dict[str, int]:
    """Outcomes of the wordings of an agenda's messages."""
    outcomes = (each.meta.get(WORDING) for each in user_messages(dialogues))
    return dict(sorted(Counter(str(each) for each in outcomes if each is not None).items()))


def user_messages(dialogues: Iterable[Dialogue]) -> Iterable[Utterance]:
    """What users say in dialogues."""
    return (each for dialogue in dialogues for each in dialogue.utterances if each.speaker == "user")


def wordings_section(counts: Mapping[str, Mapping[str, int]], titles: Mapping[str, str]) -> Section:
    """How many wordings of a language model were said by hybrid users, and why the others were not.

    Args:
        counts: messages by system and outcome; None of them empty.
        titles: outcomes in words, the accepted one first.
    """
    accepted = next(iter(titles))
    messages = sum(sum(each.values()) for each in counts.values())
    rejected = messages - sum(each.get(accepted, 0) for each in counts.values())
    known = [name for name in titles if any(each.get(name) for each in counts.values())]
    sentence = (
        f"Of {messages:,} messages worded by a language model, {rejected:,} were rejected in favour of the agenda's "
        "own words because they did not keep the act."
    )
    return Section(
        title="Wordings of the simulated users",
        sentences=(sentence,),
        columns=columns("System", "Messages", *(titles[name] for name in known)),
        rows=tuple(
            (system, sum(each.values()), *(each.get(name, 0) for name in known))
            for system, each in sorted(counts.items())
        ),
    )
