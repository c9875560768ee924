"""Notices after a form that was not stored: what happened to the answers is always said.

Answers are sent once: a page that is sent again, from another tab or after going back, changes nothing.
"""

from django.utils.translation import gettext

NOTICE = "notice"
"""Parameter of the address to which a form leads."""


def notices() -> dict[str, str]:
    """Texts by the outcome of a form."""
    return {
        "kept": gettext(
            "You had sent this page before, perhaps from another tab. Your first answers were kept; they cannot be changed."
        ),
        "late": gettext(
            "Your last answer was not saved: the page was open for so long that its task was given to someone else."
        ),
        "stale": gettext("That page was no longer current, so its answers were not saved. Please continue here."),
    }
