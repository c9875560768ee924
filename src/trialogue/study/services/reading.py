"""What is stored, as the records it was made of."""

from functools import lru_cache

from trialogue.study.design.file import StudyFile
from trialogue.study.design.items import AnyItem, from_stored
from trialogue.study.models import Item, Study


@lru_cache(maxsize=64)
def _file(sha256: str, text: str) -> StudyFile:
    return StudyFile.model_validate_json(text)


def file_of(study: Study) -> StudyFile:
    """The study file of a study, as it was loaded."""
    import json

    return _file(study.sha256, json.dumps(study.configuration, sort_keys=True))


def record_of(item: Item) -> AnyItem:
    """An item as the record it was made of."""
    return from_stored(item.content)
