"""The study at Prolific as it is there and as its file says, compared before it is published."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from django.conf import settings
from django.utils.translation import gettext

from trialogue.errors import UsageError
from trialogue.study.design.file import StudyFile
from trialogue.study.design.launch import Money, Payment
from trialogue.study.design.questions import text_in
from trialogue.study.models import Study
from trialogue.study.recruiting.api import Json, PlatformError

PARAMETERS = {name: "{{%" + name + "%}}" for name in ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")}
"""Parameters of the study's address, with the placeholders that Prolific fills in."""
CODE_TYPES = {  # Prolific's names of our outcomes
    "completed": "COMPLETED",
    "screened_out": "SCREENED_OUT",
    "no_consent": "NO_CONSENT",
    "failed_check": "FAILED_ATTENTION_CHECK",
}


@dataclass(frozen=True)
class RemoteStudy:
    """The study as it is at Prolific now."""

    status: str
    """Such as UNPUBLISHED, ACTIVE or PAUSED."""
    reward_cents: int | None
    """Reward per participant; None if it was not told."""
    places: int | None
    """Number of places; None if it was not told."""
    url: str
    """Where participants are sent."""
    secure: bool
    """Whether Prolific signs the links."""
    body: Json
    """Everything that Prolific says of it."""

    @classmethod
    def parse(cls, answer: Json) -> "RemoteStudy":
        """The study of an answer."""
        reward, places = answer.get("reward"), answer.get("total_available_places")
        return cls(
            status=str(answer.get("status", "")),
            reward_cents=int(reward) if isinstance(reward, int | float) and reward == int(reward) else None,
            places=places if isinstance(places, int) else None,
            url=str(answer.get("external_study_url", "")),
            secure=answer.get("is_external_study_url_secure") is True,
            body=answer,
        )

    @property
    def reward(self) -> int:
        """The reward per participant.

        Raises:
            PlatformError: Prolific did not tell it, so no price is known.
        """
        if self.reward_cents is None:
            raise PlatformError(
                "Prolific did not return the study's reward, so its price is unknown. Try again later.", 0
            )
        return self.reward_cents

    @property
    def all_places(self) -> int:
        """The number of places.

        Raises:
            PlatformError: Prolific did not tell it.
        """
        if self.places is None:
            raise PlatformError("Prolific did not return the study's number of places. Try again later.", 0)
        return self.places


def payment_of(file: StudyFile) -> Payment:
    """Payment per participant.

    Raises:
        UsageError: the study file has none.
    """
    if file.payment is None:
        raise UsageError("The study file has no payment. Add payment: {reward_cents: ..., ...}.")
    return file.payment


def draft_body(file: StudyFile, places: int, *, base_url: str, study: Study) -> dict[str, Any]:
    """The body of a draft.

    Args:
        file: the study file, which says what people are paid.
        places: of the draft.
        base_url: address of the server.
        study: the study, which names its address.

    Raises:
        UsageError: the address is not HTTPS, or the file has no completion code or no payment.
    """
    if not base_url.startswith("https://"):
        raise UsageError(
            f"Prolific's participants connect over HTTPS: give --base https://study.example.org; got {base_url!r}."
        )
    if len(set(file.platform.codes.values())) < len(file.platform.codes):
        raise UsageError("Two outcomes have the same completion code; Prolific requires different codes.")
    if "completed" not in file.platform.codes:
        raise UsageError(
            "Set the completion code in platform, such as codes: {completed: C1ABCDEF}; others are optional."
        )
    payment = payment_of(file)
    codes = [
        {
            "code": code,
            "code_type": CODE_TYPES[outcome],
            "actions": [{"action": file.platform.actions.get(outcome, "MANUALLY_REVIEW")}],
        }
        for outcome, code in sorted(file.platform.codes.items())
    ]
    return {
        "name": text_in(file.title, file.language),
        "internal_name": f"trialogue {study.slug} {study.sha256[:12]}",
        "description": text_in(file.instructions, file.language) or text_in(file.title, file.language),
        "external_study_url": f"{base_url.rstrip('/')}/{study.slug}/?"
        + "&".join(f"{name}={value}" for name, value in PARAMETERS.items()),
        "is_external_study_url_secure": file.platform.signed,
        "prolific_id_option": "url_parameters",
        "completion_codes": codes,
        "total_available_places": places,
        "estimated_completion_time": round(file.minutes),
        "reward": payment.reward_cents,
        "device_compatibility": ["desktop", "tablet", "mobile"],
    }


Setting = Literal[
    "state", "version", "reward", "places", "signed", "codes", "code_types", "code_actions", "address", "host", "ids",
    "devices", "minutes", "study_id",
]  # fmt: skip
BLOCKS: frozenset[Setting] = frozenset({"state", "signed", "codes", "address", "ids", "study_id", "reward", "places"})
"""Settings that must agree: a difference loses paid participants at the door, or their codes. A reward or a number of
places that differs is confirmed with its price; it blocks where Prolific does not tell it."""
UNNAMED = "testserver"  # the host of a process that was not told by which names the server is reached
CONFIRMED: frozenset[Setting] = frozenset({"reward", "places"})


@dataclass(frozen=True)
class Difference:
    """A setting that is another on Prolific than in the study file."""

    setting: Setting
    here: str
    """In the study file, or at this server."""
    there: str
    """On Prolific; "" if it does not tell."""

    @property
    def blocks(self) -> bool:
        """Whether the study must not be published with it."""
        return self.setting in BLOCKS and not (self.setting in CONFIRMED and self.there)


@dataclass(frozen=True)
class Preflight:
    """What was found before publication."""

    differences: tuple[Difference, ...]
    remote: RemoteStudy
    fingerprint: str
    """Of the study at Prolific: another one means that it was changed since."""

    @property
    def blocking(self) -> tuple[Difference, ...]:
        """Differences because of which the study must not be published."""
        return tuple(each for each in self.differences if each.blocks)


def preflight(study: Study, file: StudyFile, remote: RemoteStudy, *, places: int) -> Preflight:
    """Compare a study at Prolific with its file.

    Args:
        study: the study as loaded.
        file: its file.
        remote: the study at Prolific.
        places: number of places that it should have now.
    """
    wanted = draft_body(file, places, base_url="https://localhost", study=study)
    found = [
        *_of_server(study, remote),
        *_of_money(file, remote, places),
        *_of_door(study, file, remote),
        *_of_codes(wanted["completion_codes"], remote.body.get("completion_codes")),
        *_of_words(wanted, remote.body),
    ]
    text = json.dumps({name: remote.body.get(name) for name in sorted(wanted)}, sort_keys=True)
    return Preflight(tuple(found), remote, hashlib.sha256(text.encode()).hexdigest()[:16])


def _of_server(study: Study, remote: RemoteStudy) -> Iterator[Difference]:
    state = Study.objects.values_list("state", flat=True).get(pk=study.pk)
    if state != Study.State.RUNNING:
        yield Difference("state", str(state), remote.status)


def _of_money(file: StudyFile, remote: RemoteStudy, places: int) -> Iterator[Difference]:
    if file.payment is not None and remote.reward_cents != file.payment.reward_cents:
        here, there = (
            "" if cents is None else str(Money(cents, file.payment.currency))
            for cents in (file.payment.reward_cents, remote.reward_cents)
        )
        yield Difference("reward", here, there)
    if remote.places != places:
        yield Difference("places", str(places), "" if remote.places is None else str(remote.places))


def _of_door(study: Study, file: StudyFile, remote: RemoteStudy) -> Iterator[Difference]:
    """What decides whether somebody who comes from Prolific is let in."""
    if file.platform.signed and not remote.secure:
        yield Difference("signed", "platform: {signed: true}", "is_external_study_url_secure: false")
    if file.platform.study_id and file.platform.study_id != study.remote_id:
        yield Difference("study_id", file.platform.study_id, study.remote_id)
    parts = urlsplit(remote.url)
    if parts.scheme != "https" or parts.path != f"/{study.slug}/":
        yield Difference("address", f"https://.../{study.slug}/", remote.url)
    elif (hosts := [each for each in settings.PUBLIC_HOSTS if each != UNNAMED]) and parts.hostname not in hosts:
        yield Difference("host", ", ".join(hosts), str(parts.hostname))
    given = {name: values[0] for name, values in parse_qs(parts.query).items()}
    if not file.platform.signed and (lacking := [n for n, value in PARAMETERS.items() if given.get(n) != value]):
        here = "&".join(f"{name}={PARAMETERS[name]}" for name in lacking)
        yield Difference("ids", here, "&".join(f"{name}={given.get(name, '')}" for name in lacking))


def _of_codes(wanted: Iterable[Mapping[str, Any]], there: object) -> Iterator[Difference]:
    codes = {str(each.get("code")): each for each in there if isinstance(each, dict)} if isinstance(there, list) else {}
    if lacking := [each["code"] for each in wanted if each["code"] not in codes]:
        yield Difference("codes", ", ".join(lacking), ", ".join(codes))
    for setting, name in (("code_types", "code_type"), ("code_actions", "actions")):
        other = [each for each in wanted if each["code"] in codes and codes[each["code"]].get(name) != each[name]]
        if other:
            here, remote = (
                "; ".join(f"{each['code']}: {_words(rows[each['code']].get(name))}" for each in other)
                for rows in ({each["code"]: each for each in other}, codes)
            )
            yield Difference("code_types" if setting == "code_types" else "code_actions", here, remote)


def _of_words(wanted: Mapping[str, Any], there: Mapping[str, Any]) -> Iterator[Difference]:
    names: dict[Setting, str] = {
        "version": "internal_name",
        "devices": "device_compatibility",
        "minutes": "estimated_completion_time",
    }
    for setting, name in names.items():
        here, remote = _words(wanted[name]), _words(there.get(name))
        if here != remote:
            yield Difference(setting, here, remote)


def _words(value: object) -> str:
    """A value of the API as text, whatever the order of its parts; "" for none."""
    if isinstance(value, dict):
        return _words(list(value.values()))
    return ", ".join(sorted(map(_words, value))) if isinstance(value, list) else "" if value is None else str(value)


def name_of(setting: Setting) -> str:
    """Name of a setting."""
    return {
        "state": gettext("State of the study"),
        "version": gettext("Version of the study file"),
        "reward": gettext("Reward"),
        "places": gettext("Places"),
        "signed": gettext("Signed links"),
        "codes": gettext("Completion codes"),
        "code_types": gettext("Types of completion codes"),
        "code_actions": gettext("Actions of completion codes"),
        "address": gettext("Address"),
        "host": gettext("Server"),
        "ids": gettext("IDs in the address"),
        "devices": gettext("Devices"),
        "minutes": gettext("Minutes"),
        "study_id": gettext("Study ID"),
    }[setting]


def advice_on(difference: Difference) -> str:
    """What to do about a difference."""
    if difference.setting in CONFIRMED and not difference.there:
        return gettext("Prolific did not return it, so the price is unknown. Try again.")
    return {
        "state": gettext("Participants would be turned away. Open the study first."),
        "version": gettext("The draft was created from another version. Check its texts on Prolific."),
        "reward": gettext(
            "Prices are computed from the reward on Prolific. Change one of the two if this is not intended."
        ),
        "places": gettext(
            "Prices are computed from the places on Prolific. Missing places can be opened from here once the study is "
            "published."
        ),
        "signed": gettext(
            "The study on Prolific does not sign its links, so every participant would be turned away. Turn on the secured "
            "address on Prolific, or create the draft again."
        ),
        "codes": gettext(
            "Participants would return with a code that Prolific does not know. Add the missing codes on Prolific."
        ),
        "code_types": gettext("Set the same types on Prolific."),
        "code_actions": gettext("This decides what is paid without review. Set the same actions on Prolific."),
        "address": gettext("Participants would not reach the study. Correct the study URL on Prolific."),
        "host": gettext("Participants are sent to another server. Correct the study URL on Prolific, or --name."),
        "ids": gettext("Participants would be turned away without these parameters. Add them to the study URL."),
        "devices": gettext("Allow the same devices on Prolific, unless this is intended."),
        "minutes": gettext("Set the same time on Prolific, unless this is intended."),
        "study_id": gettext("Tokens of this study would be refused. Correct platform.study_id in the study file."),
    }[difference.setting]


def line_of(difference: Difference) -> str:
    """A difference and what to do about it, as one line."""
    there = difference.there or gettext("not returned")
    told = gettext("%(name)s: %(here)s here, %(there)s on Prolific.") % {
        "name": name_of(difference.setting), "here": difference.here, "there": there,
    }  # fmt: skip
    return f"{told} {advice_on(difference)}"
