"""Lines of records are those of Python's own writer of JSON, whatever writes them faster."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from trialogue.records import Dialogue, Utterance
from trialogue.records.base import SCHEMA
from trialogue.records.files.jsonl import to_line

NUMBERS = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.floats(min_value=-1e-3, max_value=1e-3)
    | st.integers()
    | st.sampled_from([1e-5, 9.99e-5, 1e-7, 1.5e-9, 1e-10, 1e15, 1e16, 5e-324, -0.0])
)
TEXTS = st.text(st.characters(exclude_categories=())) | st.sampled_from(["1e-5", "0.00001", "re-watch 1e-7", "\ud800"])
VALUES = st.recursive(
    NUMBERS | TEXTS | st.booleans() | st.none(),
    lambda each: st.lists(each) | st.dictionaries(TEXTS, each),
    max_leaves=5,
)


@given(TEXTS, VALUES)
def test_a_line_is_what_python_writes(text: str, value: Any) -> None:
    record = Dialogue(
        id=text, utterances=(Utterance(speaker="user", text=text, meta={"x": value}),), meta={text: value}
    )
    whole = {"kind": record.kind, "v": SCHEMA, **record.to_json()}
    assert to_line(record) == json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
