"""Staff forms: parsing, validation and error messages. Services decide on permissions."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from trialogue.study.models import Decision
from trialogue.study.services.deciding import SHORTEST_REASON, Wrong

LONGEST_PASSWORD = 4_096  # characters; hashing takes time
AMOUNT = re.compile(r"\d{1,6}(\.\d{1,2})?", re.ASCII)
LONGEST_KEY = 15  # digits of a number in a form
CODES = ("realisticity", "engagement", "emotion", "response", "grammar", "length")  # KDD 2020, section 7


class LoginForm(AuthenticationForm):
    """Name and password of a member of staff."""

    WRONG = gettext_lazy("Wrong name or password, or this account has no access to studies.")
    error_messages = {"invalid_login": WRONG, "inactive": WRONG}  # noqa: RUF012  # as Django declares it
    password = forms.CharField(strip=False, max_length=LONGEST_PASSWORD, error_messages={"required": WRONG})

    def confirm_login_allowed(self, user: AbstractBaseUser) -> None:
        """Only members of staff.

        Raises:
            ValidationError: another account; it reads what a wrong password does.
        """
        if not (user.is_active and getattr(user, "is_staff", False)):
            raise self.get_invalid_login_error()


def login_name(given: str) -> str:
    """Normalised login name, so that attempts with different spellings are counted together."""
    return str(LoginForm.base_fields["username"].to_python(given[:150]) or "")


class FirstLoginForm(forms.Form):
    """Name and password of the first login."""

    username = forms.CharField(max_length=150, required=False)
    password = forms.CharField(strip=False, max_length=LONGEST_PASSWORD, required=False)
    again = forms.CharField(strip=False, max_length=LONGEST_PASSWORD, required=False)

    def clean(self) -> dict[str, Any]:
        """The form.

        Raises:
            ValidationError: the passwords differ.
        """
        if self.cleaned_data.get("password") != self.cleaned_data.get("again"):
            raise ValidationError(gettext("The passwords do not match."))
        return self.cleaned_data


class EraseForm(forms.Form):
    """Participant to erase, with a confirmation."""

    name = forms.CharField(
        max_length=200, error_messages={"required": gettext_lazy("Please enter a code or a platform ID.")}
    )
    sure = forms.CharField(required=False)

    def clean_sure(self) -> str:
        """The second look.

        Raises:
            ValidationError: it is not ticked.
        """
        if self.cleaned_data["sure"] != "yes":
            raise ValidationError(gettext("Please confirm: erased data cannot be restored."))
        return "yes"


class DecisionForm(forms.Form):
    """Decision about a participant."""

    decision = forms.ChoiceField(
        choices=Decision.Kind.choices,
        error_messages=dict.fromkeys(("required", "invalid_choice"), gettext_lazy("Please choose a decision.")),
    )
    reason = forms.CharField(required=False)
    amount = forms.CharField(required=False)
    known = forms.CharField(required=False)

    def clean_amount(self) -> Decimal | None:
        """An amount with at most two decimals; None for anything else, which a bonus is refused for.

        A comma is a decimal one, so 1,500 is neither 1.5 nor 1500.
        """
        text = self.cleaned_data["amount"].replace(",", ".")
        return Decimal(text) if AMOUNT.fullmatch(text) else None

    def clean_known(self) -> int | None:
        """Number of decisions that the page showed; None if missing."""
        given = self.cleaned_data["known"]
        return number_in(given) if given else None


def refusal(wrong: Wrong) -> str:
    """Why a decision cannot be taken, in words; "" if it can."""
    return {
        "": "",
        "reason": gettext("Please give a reason of at least %(count)s characters.") % {"count": SHORTEST_REASON},
        "amount": gettext("Please enter an amount above 0, such as 1.50."),
        "at_work": gettext("This participant has not finished yet. Decide about the payment afterwards."),
        "withdrew": gettext("This participant withdrew; there is nothing to decide."),
        "not_excluded": gettext("This participant is not excluded manually."),
        "excluded": gettext("This participant is already excluded manually."),
        "meanwhile": gettext(
            "Another decision has been made in the meantime, perhaps by a second click. Please check it first."
        ),
    }[wrong]


class CarryOutForm(forms.Form):
    """What to do on the launch page, and the typed price, number or address."""

    ACTS = ("launch", "go_on", "draft", "publish", "decide", "bonus", "places", "sync")
    act = forms.ChoiceField(choices=[(act, act) for act in ACTS])
    confirmed = forms.CharField(required=False, max_length=200)
    seen = forms.CharField(required=False, max_length=100)


class _AboutForm(forms.Form):
    """A decision about one thing, which the form names by its number."""

    key = forms.CharField(required=False)

    def clean_key(self) -> int:
        """The number; 0 if that is none."""
        return number_in(self.cleaned_data["key"])


class LabelForm(_AboutForm):
    """The final label of a message.

    Args:
        labels: labels to choose from.
    """

    decision = forms.ChoiceField(
        error_messages=dict.fromkeys(("required", "invalid_choice"), gettext_lazy("Please choose one of the labels."))
    )

    def __init__(self, *args: Any, labels: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["decision"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(label, label) for label in labels]


class CodesForm(_AboutForm):
    """Codes of an explanation; several are allowed. Unknown codes are ignored."""

    def codes(self) -> list[str]:
        """Selected codes."""
        ticked = self.data.getlist("decision") if hasattr(self.data, "getlist") else []
        return [code for code in CODES if code in ticked]


def number_in(text: str) -> int:
    """The number that a form or an address names; 0 if it names none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < LONGEST_KEY else 0
