"""Template tags for authors' prose, quoted items and cached page fragments. All of them escape their input."""

from django import template
from django.utils.safestring import SafeString

from trialogue.study.pages import fragments
from trialogue.study.pages.prose import prose as as_prose
from trialogue.study.pages.prose import with_items

register = template.Library()


@register.filter
def prose(text: str) -> SafeString:
    """Paragraphs and lists of a plain text."""
    return as_prose(text)


@register.filter
def items(text: str) -> SafeString:
    """A text with the items that stand in quotes marked."""
    return with_items(text)


register.simple_tag(fragments.question, name="question")
register.simple_tag(fragments.render_dialogue, name="talk")
