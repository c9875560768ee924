"""What scripted participants read: a page's HTML and forms, and which system said a text (items file only)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html.parser import HTMLParser
from typing import Literal

from trialogue.markdown import BLOCKS, shown_words
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import AnyItem, LabellingItem, Message, PreferenceItem, RatingItem, RealismItem

VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


@dataclass
class Element:
    """One element of a page."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list["Element | str"] = field(default_factory=list)

    def walk(self) -> Iterator["Element"]:
        """This element and all below it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def descendants(self, *tags: str, of: str = "") -> list["Element"]:
        """Elements below with one of the tags (any, if none is named) and of a class (any, if it is "")."""
        return [
            each
            for each in self.walk()
            if each is not self and (not tags or each.tag in tags) and (not of or of in each.classes)
        ]

    @property
    def classes(self) -> list[str]:
        """Its classes."""
        return self.attributes.get("class", "").split()

    @property
    def raw(self) -> str:
        """Its text as in the source."""
        return "".join(child if isinstance(child, str) else child.raw for child in self.children)

    @property
    def text(self) -> str:
        """Its text as it is read: runs of spaces count as one.

        >>> parse("<p> Try <mark>Heat</mark>\\n now</p>").text
        'Try Heat now'
        """
        return " ".join(self._read().split())

    def _read(self) -> str:
        if self.tag == "img":
            return self.attributes.get("alt", "")
        inner = "".join(child if isinstance(child, str) else child._read() for child in self.children)
        return f" {inner} " if self.tag in BLOCKS else inner


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(made)
        if tag not in VOID:
            self._open.append(made)

    def handle_endtag(self, tag: str) -> None:
        if any(each.tag == tag for each in self._open[1:]):
            while self._open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def parse(html: str) -> Element:
    """The tree of a page; closing tags without an opening one are ignored."""
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


Kind = Literal["radio", "checkbox", "text", "number", "order"]


@dataclass(frozen=True)
class Choice:
    """One option of a question."""

    value: str
    label: str
    """As it is read."""


@dataclass(frozen=True)
class FormQuestion:
    """One question of a form."""

    name: str
    kind: Kind
    question: str
    options: tuple[Choice, ...] = ()
    lists: tuple[tuple[str, ...], ...] = ()
    """For ordering questions: the values of each of the lists."""
    required: bool = False
    at_least: int = 0
    """Minimum number of characters of a text."""
    at_most: int = 0
    """Maximum number of characters; 0: unlimited."""
    unseen: bool = False
    """Whether the field is invisible on the page (a honeypot), and present only in its source."""


@dataclass(frozen=True)
class Form:
    """One form: where it goes, what it carries, what it asks, and its buttons."""

    action: str
    hidden: tuple[tuple[str, str], ...]
    asked: tuple[FormQuestion, ...]
    buttons: tuple[tuple[str, str], ...]
    """(name, value) of those that can be pressed; ("", "") for one without a name."""

    def fill(
        self, answers: Mapping[str, str | list[str]], *, button: tuple[str, str] | None = None
    ) -> list[tuple[str, str]]:
        """Form data as a browser would send them.

        Args:
            answers: answers by field name; questions without one are left out.
            button: the button that is pressed; None: the first.
        """
        sent = list(self.hidden)
        for name, value in answers.items():
            sent += [(name, each) for each in ([value] if isinstance(value, str) else value)]
        pressed = button or (self.buttons[0] if self.buttons else ("", ""))
        return [*sent, pressed] if pressed[0] else sent


class Page:
    """A page as it is read."""

    def __init__(self, html: str) -> None:
        self.root = parse(html)

    @cached_property
    def heading(self) -> str:
        """The first heading."""
        found = self.root.descendants("h1")
        return found[0].text if found else ""

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        """The forms, in order."""
        return tuple(_form(each) for each in self.root.descendants("form"))

    @cached_property
    def context(self) -> tuple[str, ...]:
        """Messages of the conversation that the page is about."""
        found = self.root.descendants("section", of="situation") or self.root.descendants("section", of="beside")
        return messages_in(found[0]) if found else ()

    @cached_property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """Content of the cards, from first to last: a reply, or the messages of a conversation."""
        return tuple(_side(card) for card in self.root.descendants("section", of="card"))

    @cached_property
    def marked_message(self) -> str:
        """The message that is to be labelled; "" on other pages."""
        found = self.root.descendants("li", of="asked-about")
        return messages_in(found[0])[0] if found else ""

    @cached_property
    def hidden(self) -> str:
        """Text in the source that is neither visible nor read by screen readers; "" if none."""
        return " ".join(
            each.text for each in self.root.descendants("div") if each.attributes.get("aria-hidden") == "true"
        )

    @property
    def words(self) -> int:
        """Words to be read: the conversation and the text of the cards."""
        texts = [*self.context, *(text for side in self.sides for text in side)]
        return sum(len(text.split()) for text in texts)

    @cached_property
    def code(self) -> str:
        """The completion code; "" where none is shown."""
        return next(
            (each.text for each in self.root.descendants("code") if each.attributes.get("id") == "completion-code"), ""
        )

    @cached_property
    def receipt(self) -> str:
        """The receipt; "" where none is shown."""
        found = self.root.descendants("p", of="receipt")
        return found[0].text if found else ""


def messages_in(element: Element) -> tuple[str, ...]:
    """Messages below an element, as they are read."""
    return tuple(_words(each) for each in element.descendants("div", of="bubble"))


def _words(element: Element) -> str:
    """A message; "" where the page says that there are no words."""
    return "" if element.descendants("span", of="silent") else element.text


def _side(card: Element) -> tuple[str, ...]:
    return messages_in(card)


def _form(form: Element) -> Form:
    hidden, buttons = [], []
    for each in form.descendants("input", "button"):
        kind, name = each.attributes.get("type", ""), each.attributes.get("name", "")
        if each.tag == "input" and kind == "hidden" and name:
            hidden.append((name, each.attributes.get("value", "")))
        elif each.tag == "button" and kind == "submit" and "disabled" not in each.attributes:
            buttons.append((name, each.attributes.get("value", "")))
    return Form(form.attributes.get("action", ""), tuple(hidden), _questions_of(form), tuple(buttons))


def _questions_of(form: Element) -> tuple[FormQuestion, ...]:
    labels = {each.attributes["for"]: each for each in form.descendants("label") if "for" in each.attributes}
    legends = {
        each.attributes["name"]: _legend(group)
        for group in form.descendants("fieldset")
        for each in group.descendants("input", "select")
        if "name" in each.attributes
    }
    unseen = {
        id(each)
        for part in form.descendants("div")
        if part.attributes.get("aria-hidden") == "true"
        for each in part.walk()
    }
    found: dict[str, FormQuestion] = {}
    for each in form.descendants("input", "textarea"):
        name, kind = each.attributes.get("name", ""), each.attributes.get("type", "text")
        if not name or kind in ("hidden", "submit"):
            continue
        label = labels.get(each.attributes.get("id", ""))
        if kind in ("radio", "checkbox"):
            found[name] = _with_option(found.get(name), each, _label(label), legends.get(name, ""))
        else:
            found[name] = _text_question(each, label.text if label else "", unseen=id(each) in unseen)
    for each in form.descendants("select"):
        name = each.attributes.get("name", "")
        values = tuple(value for option in each.descendants("option") if (value := option.attributes.get("value", "")))
        before = found.get(name) or FormQuestion(name, "order", legends.get(name, ""))
        found[name] = replace(before, lists=(*before.lists, values), required="required" in each.attributes)
    return tuple(found.values())


def _legend(group: Element) -> str:
    found = group.descendants("legend")
    return found[0].text if found else ""


def _label(label: Element | None) -> str:
    """Visible label of an option, without its explanation."""
    if label is None:
        return ""
    named = label.descendants("bdi") or label.descendants("b")
    return named[0].text if named else label.text


def _with_option(before: FormQuestion | None, element: Element, label: str, legend: str) -> FormQuestion:
    given = element.attributes
    kind: Kind = "radio" if given["type"] == "radio" else "checkbox"
    options = before.options if before else ()
    required = "required" in given or (before is not None and before.required)
    return FormQuestion(
        given["name"], kind, legend, (*options, Choice(given.get("value", "on"), label)), required=required
    )


def _text_question(element: Element, label: str, *, unseen: bool) -> FormQuestion:
    given = element.attributes
    kind: Kind = "number" if "number" in element.classes else "text"
    return FormQuestion(
        given["name"],
        kind,
        label,
        required="required" in given,
        at_least=int(given.get("data-least") or 0),
        at_most=int(given.get("maxlength") or 0),
        unseen=unseen,
    )


Said = tuple[str, ...]


def _lines(messages: Iterable[Message]) -> Said:
    """Messages as a page shows them: what a system wrote without its Markdown, and runs of spaces as one."""
    return tuple(
        shown_words(each.text) if each.speaker == "system" else " ".join(each.text.split()) for each in messages
    )


class Knowledge:
    """Finds the item and the systems behind the texts of a page.

    Args:
        items: items of the study.
        file: the study file, for the right answers to screening and comprehension questions.
    """

    def __init__(self, items: Sequence[AnyItem], file: StudyFile | None = None) -> None:
        self.right: dict[str, tuple[str, ...]] = _right(file) if file else {}
        """Screening and comprehension answers of an eligible participant, by question."""
        self._systems: dict[tuple[Said, Said], set[str]] = {}
        self._labels: dict[tuple[Said, str], str] = {}
        self._keys: dict[Said, str] = {}
        for item in items:
            self._keep(item)

    def _keep(self, item: AnyItem) -> None:
        context: Said = ()
        if isinstance(item, RatingItem | PreferenceItem):
            context = _lines(item.context)
        if isinstance(item, RatingItem) and item.utterance is not None:
            context = next(_lines(each.messages[: item.utterance]) for each in item.conversation.values())
        for system, words in _sides(item).items():
            self._systems.setdefault((context, words), set()).add(system)
        if isinstance(item, LabellingItem):
            shown = _lines(item.messages)
            self._labels[shown, shown[item.utterance]] = str(item.meta.get("label", ""))
            context = shown
        self._keys.setdefault(context, item.key)

    def systems_on(self, page: Page) -> list[frozenset[str]]:
        """Systems that gave the text in each card; empty for a card that no system gave, such as a check."""
        return [frozenset(self._systems.get((page.context, side), ())) for side in page.sides]

    def label_of(self, page: Page) -> str:
        """The label that the researcher gave the marked message (``meta: {label: ...}``); "" for none."""
        return self._labels.get((page.context, page.marked_message), "")

    def item_of(self, page: Page) -> str:
        """A name for what the page is about, the same for everybody who sees it."""
        return self._keys.get(page.context, " / ".join(page.context))


def _right(file: StudyFile) -> dict[str, tuple[str, ...]]:
    found = dict(file.screening.admit) if file.screening else {}
    understood = file.comprehension.right if file.comprehension else {}
    return found | {name: (value,) if isinstance(value, str) else tuple(value) for name, value in understood.items()}


def _sides(item: AnyItem) -> Mapping[str, Said]:
    """Texts of each system in an item."""
    if isinstance(item, RatingItem) and item.conversation:
        shown = slice(None) if item.utterance is None else slice(item.utterance, item.utterance + 1)
        return {name: _lines(each.messages[shown]) for name, each in item.conversation.items()}
    if isinstance(item, RatingItem):
        return {name: (shown_words(text),) for name, text in item.responses.items()}
    if isinstance(item, PreferenceItem):
        if item.responses is not None:
            return {name: (shown_words(text),) for name, text in item.responses.items()}
        return {name: _lines(talk.messages) for name, talk in (item.dialogues or {}).items()}
    if isinstance(item, RealismItem):
        return {"human": _lines(item.human.messages), "simulated": _lines(item.simulated.messages)}
    return {}
