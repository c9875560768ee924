"""Consent to sending dialogues of people to a server of somebody else, as recorded with the data."""

import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from trialogue.errors import UsageError
from trialogue.findings.wording import list_names
from trialogue.records import Dialogue, Raters, Response
from trialogue.records.kinds.uses import CONSENT, Use
from trialogue.simulation.source import users_of_source

LOOPBACK = "localhost"


@dataclass(frozen=True)
class Disclosure:
    """What would be sent to somebody else's server."""

    hosts: tuple[str, ...]
    """Servers that are not this machine."""
    dialogues: int
    """Dialogues and replies of people, or of an unknown origin, without recorded consent."""
    people: int
    """Different people in them whose codes are known."""
    sources: tuple[str, ...]
    """Corpora that they come from, as far as recorded."""

    def sentence(self, verb: str = "would be sent") -> str:
        """Whose dialogues go where."""
        whose = f" of {self.people:,} people" if self.people else ""
        where = f" ({list_names(self.sources)})" if self.sources else ""
        return f"{self.dialogues:,} dialogues{whose}{where} {verb} to {list_names(self.hosts)}."


def disclosure_of(
    dialogues: Iterable[Dialogue], responses: Sequence[Response], urls: Iterable[str]
) -> Disclosure | None:
    """What would be sent without recorded consent; None: nothing, or only to this machine.

    Dialogues with simulated users and invented ones are nobody's. Replies to situations count as people's, since their
    contexts are mostly beginnings of people's dialogues.
    """
    hosts = tuple(sorted({host_of(url) for url in urls if not is_own(url)}))
    found = [each for each in dialogues if is_of_people(each) and not has_consent(each)]
    if not hosts or not (found or responses):
        return None
    people = {(each.source, each.user) for each in found if each.user}
    sources = tuple(sorted({each.source for each in found if each.source}))
    return Disclosure(hosts, len(found) + len(responses), len(people), sources)


def check_consent(found: Disclosure | None, *, i_may: bool) -> None:
    """Raise UsageError if something would be sent without consent, and nobody says that it may be."""
    if found is not None and not i_may:
        raise UsageError(
            f"Nothing was sent. {found.sentence()} The data record no consent to this: "
            f"meta.{CONSENT} of a dialogue must be a list that includes {Use.LANGUAGE_MODELS.value!r}. The export of a "
            "study sets it if the participants agreed. If you are allowed to send them, add --i-may (in Python: "
            "i_may=True). E-mail addresses, phone numbers and platform ids are masked."
        )


def is_of_people(dialogue: Dialogue) -> bool:
    """Whether a person may have taken part: the user was not simulated, and the dialogue not invented."""
    invented = any(rating.raters is Raters.INVENTED for rating in dialogue.ratings)
    return users_of_source(dialogue) is None and not invented


def has_consent(dialogue: Dialogue) -> bool:
    """Whether consent to language models of others is recorded with a dialogue."""
    given = dialogue.meta.get(CONSENT)
    return isinstance(given, list) and Use.LANGUAGE_MODELS in given


def is_own(url: str) -> bool:
    """Whether an endpoint is on this machine.

    >>> is_own("http://localhost:8000/v1"), is_own("http://127.0.0.1/v1"), is_own("https://api.example.org/v1")
    (True, True, False)
    """
    host = host_of(url)
    try:
        return host == LOOPBACK or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Host of a URL, in small letters; the text itself if it has none."""
    return urlsplit(url).hostname or url
