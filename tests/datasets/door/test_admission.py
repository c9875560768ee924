"""Names of systems that differ in nothing that is seen are one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trialogue.datasets import AnyRecord
from trialogue.datasets.door.admission import Admission, plain_name
from trialogue.errors import Problem
from trialogue.inputs.inputs import gather
from trialogue.records import Dialogue, Preference, Response, Score, Utterance
from trialogue.subjects.evaluation.commands.evaluate import evaluate

UNSEEN = " \t\n\u00a0\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u202e\x00"
SAID = Utterance(speaker="system", text="Try Heat (1995).")


@given(st.text("mé1ñ-", min_size=1, max_size=6), st.text(UNSEEN, max_size=4), st.text(UNSEEN, max_size=4))
def test_what_is_not_seen_around_a_name_does_not_part_systems(name: str, before: str, after: str) -> None:
    import unicodedata

    assert plain_name(before + name + after) == plain_name(name) == plain_name(unicodedata.normalize("NFD", name))
    assert plain_name(plain_name(before + name)) == plain_name(name)


@pytest.mark.parametrize(
    "name", ["GPT-4 mini", "👩\u200d💻", "می\u200cخواهم", "m", "M", "Ｍ", "a,b@c|v1", "\u200b", "x" * 300]
)
def test_names_that_are_seen_as_they_are_stay(name: str) -> None:
    assert plain_name(name) == name


def test_every_kind_of_record_has_the_one_name_and_the_note_counts_them() -> None:
    notes: list[Problem] = []
    records: list[AnyRecord] = [
        Dialogue(id="d", system="m ", utterances=(SAID,)),
        Dialogue(id="e", system="m", utterances=(SAID,)),
        Response(situation_id="s", system="m\u200b", utterance=SAID),
        Score(measure="human:fun", value=1.0, level="dialogue", system="m ", dialogue_id="d", rater="r"),
        Preference(id="p", a="m ", b="k", choice="a", rater="r"),
    ]
    found = list(Admission("file").all(records, notes.append))
    assert [getattr(each, "system", None) or getattr(each, "a", None) for each in found] == ["m"] * 5
    assert [str(each.what).split(", which")[0] for each in notes] == [
        "3 records have the system 'm '",
        "1 records have the system 'm\\u200b'",
    ]


def test_one_system_under_names_that_look_the_same_is_one_in_every_entrance(tmp_path: Path) -> None:
    lines = [f"{name},{place},{4 if place % 2 else 5}" for name in ("m", "m\u200b", "k") for place in range(9)]
    numbered = [line.replace(",", f",{at}", 1) for at, line in enumerate(lines)]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(["system,dialogue_id,satisfaction", *numbered]), encoding="utf-8")
    rows = [dict(zip(("system", "dialogue_id", "satisfaction"), line.split(","), strict=True)) for line in numbered]
    for data in (table, rows):
        found = gather([data])
        assert {each.system for each in found.dialogues} == {"m", "k"}
        assert any("9 " in each and "is read as 'm'" in each for each in found.warnings), found.warnings
    assert [facts.dialogues for facts in evaluate(table, resamples=100).findings.systems if facts.system == "m"] == [18]
