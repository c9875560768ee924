"""Django forms of participant pages, except answers.

Answers are not Django forms: ``design.questions`` defines and validates them, for pages, bots and services alike, and
``pages.fields`` renders them.
"""

from typing import TYPE_CHECKING, Any

from django import forms

if TYPE_CHECKING:
    from django.views.generic import FormView

    AnyForm = FormView[Any]
else:  # Django's classes take no parameters while they run
    from django.views.generic import FormView as AnyForm

__all__ = ["AnyForm", "ReceiptForm"]


class ReceiptForm(forms.Form):
    """A receipt code."""

    receipt = forms.CharField(max_length=64)
