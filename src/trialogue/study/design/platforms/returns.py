"""Return of participants to their platform: an address, a form, or a completion code."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from trialogue.study.design.file import Platform

PROLIFIC = "https://app.prolific.com/submissions/complete?cc={code}"
MTURK_HOSTS = (
    "www.mturk.com",
    "workersandbox.mturk.com",
)  # any other would receive the answers of people who follow a link


@dataclass(frozen=True)
class Return:
    """How a participant returns to the platform."""

    code: str
    """The completion code, shown as text as well."""
    url: str = ""
    """Target of the link; "" if there is none."""
    post: str = ""
    """Target of the form (MTurk); "" if there is none."""
    fields: dict[str, str] = field(default_factory=dict)
    """The form's fields."""


def return_of(platform: Platform, code: str, ids: Mapping[str, str]) -> Return:
    """Return link or form for a participant with a completion code.

    Args:
        platform: platform settings of the study file.
        code: their completion code.
        ids: ids from their link, by name of the parameter.
    """
    quoted = quote(code, safe="")
    if platform.name == "prolific":
        return Return(code, PROLIFIC.format(code=quoted))
    if platform.name == "mturk":
        return _mturk(code, ids)
    if platform.return_url:
        person = next((value for name, value in ids.items() if name in ("id", platform.id_parameter)), "")
        return Return(code, platform.return_url.replace("{code}", quoted).replace("{id}", quote(person, safe="")))
    return Return(code)


def _mturk(code: str, ids: Mapping[str, str]) -> Return:
    target = urlsplit(ids.get("turkSubmitTo", ""))
    if target.scheme != "https" or target.netloc not in MTURK_HOSTS or not ids.get("assignmentId"):
        return Return(code)
    fields = {"assignmentId": ids["assignmentId"], "code": code}
    return Return(code, post=f"https://{target.netloc}/mturk/externalSubmit", fields=fields)
