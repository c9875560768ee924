"""Mapping from texts to systems, read from the items file, which no page or server reveals."""

from collections.abc import Iterable, Mapping, Sequence

from trialogue.markdown import shown_words
from trialogue.study.bots.page import Page
from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import AnyItem, LabellingItem, Message, PreferenceItem, RatingItem, RealismItem

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
