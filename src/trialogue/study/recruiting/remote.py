"""The study at Prolific: as it is there, and as its draft is made from the study file."""

from dataclasses import dataclass
from typing import Any

from trialogue.errors import UsageError
from trialogue.study.design.file import StudyFile
from trialogue.study.design.payment import Payment
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
