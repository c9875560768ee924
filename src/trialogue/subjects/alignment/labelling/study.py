"""Create a labelling study from the items that ``align`` needs labelled; annotators do not see who wrote them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from trialogue.errors import DataError, Problem
from trialogue.records.files.jsonl import problems_of
from trialogue.study.design.folder import new_study
from trialogue.study.design.items import MAX_LINES, LabellingItem, Message

TEMPLATE = "labelling"


def label_study(out: Path, items: Sequence[Mapping[str, Any]]) -> Path:
    """Write a study folder for labelling the items; its export is read by ``read_answers``.

    The id of an item is the ``dialogue_id`` of the study's, which comes back in ``labels.csv`` and is on no page.

    Args:
        out: a new folder.
        items: items from ``labelling_items``.

    Raises:
        UsageError: there is a study in the folder already.
        DataError: texts or ids that no page can show, all of them at once; or nothing to label.
    """
    if not items:
        raise DataError(Problem("there is nothing to label. Give dialogues with unlabelled utterances."))
    made, problems = [], []
    for number, item in enumerate(items, start=1):
        try:
            made.append(_item(number, item))
        except ValidationError as error:
            problems += problems_of(error, f"text {item['id']}", None)
    if problems:
        raise DataError(problems)
    return new_study(out, TEMPLATE, made)


def _item(number: int, item: Mapping[str, Any]) -> LabellingItem:
    said = [*item["context"], {"speaker": "system", "text": item["text"]}][-MAX_LINES:]
    messages = tuple(Message(speaker=each["speaker"], text=each["text"]) for each in said)
    return LabellingItem(key=f"text-{number}", dialogue_id=item["id"], messages=messages, utterance=len(messages) - 1)
