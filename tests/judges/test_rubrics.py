"""Rubrics: those that come with Trialogue, and files with every mistake at once."""

from pathlib import Path

import pytest
import yaml

from trialogue.errors import DataError, UnknownNameError
from trialogue.judges import Form, JudgedLevel, Rubric, load_rubric, rubric_names
from trialogue.judges.prompts import schema_of, task_of
from trialogue.judges.rubric import rubric_source
from trialogue.strategies.taxonomy import TAXONOMY

TURNS = {"relevance", "interestingness", "strategies"}
CONDUCT = ("in_role", "ends_in_time", "without_loop", "whole_messages", "keeps_to_need", "leaks_nothing")
HIGHEST = {
    "relevance": 2,
    "interestingness": 2,
    "understanding": 2,
    "task_completion": 2,
    "interest_arousal": 2,
    "efficiency": 1,
    "dialogue_overall": 4,
    "persuasiveness": 2,
    **dict.fromkeys(CONDUCT, 1),
}
"""Highest points of people's answers in CRSArena-Eval, and of persuasiveness in iEvaLM; the lowest is 0 for all."""


def test_the_rubrics_of_the_field_come_with_the_package() -> None:
    rubrics = {name: load_rubric(name) for name in rubric_names()}
    assert {name for name, each in rubrics.items() if each.level is JudgedLevel.TURN} == TURNS
    scales = {
        aspect.name: (each.scale_of(aspect).low, each.scale_of(aspect).high)
        for each in rubrics.values()
        for aspect in each.aspects
        if each.id != "strategies"
    }
    assert scales == {name: (0, high) for name, high in HIGHEST.items()}
    for name, each in rubrics.items():
        assert each.id == name
        assert all(set(each.scale_of(aspect).anchors) == set(each.scale_of(aspect).values) for aspect in each.aspects)
        assert Rubric.model_validate_json(each.model_dump_json()) == each
        assert yaml.safe_load(rubric_source(name))["id"] == name


def test_strategies_are_defined_as_in_the_taxonomy() -> None:
    rubric = load_rubric("strategies")
    assert [aspect.name for aspect in rubric.aspects] == list(TAXONOMY)
    for aspect in rubric.aspects:
        assert aspect.text.startswith(TAXONOMY[aspect.name].definition)
        assert TAXONOMY[aspect.name].avoid in aspect.text


def test_the_prompt_holds_the_whole_rubric_and_the_schema_nothing_but_its_points() -> None:
    rubric = load_rubric("overall")
    task = task_of(rubric, Form.POINTWISE, reasons=True)
    for text in (rubric.text, rubric.aspects[0].text, *(rubric.scale.anchors.values() if rubric.scale else ())):
        assert text in task
    schema = schema_of(rubric, Form.POINTWISE, reasons=False)["json_schema"]["schema"]
    assert schema["properties"] == {"dialogue_overall": {"type": ["integer", "null"], "enum": [0, 1, 2, 3, 4, None]}}
    assert "one of 0, 1" not in task_of(rubric, Form.PAIRWISE, reasons=True)


def test_the_hash_changes_with_every_letter() -> None:
    rubric = load_rubric("overall")
    assert rubric.model_copy(update={"text": rubric.text + "."}).hash != rubric.hash
    assert rubric.signature == f"overall|v1|{rubric.hash}"


def test_all_mistakes_of_a_file_are_listed_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(
        "id: My Rubric\nversion: 0\ntitle: t\ntext: t\nlevel: sentence\nscale:\n  low: 0\n  high: 3\n  anchors:\n"
        "    0: bad\n    7: far\naspects:\n  - name: a\n    text: x\n  - name: a\n    text: y\nweight: 2\n"
    )
    with pytest.raises(DataError) as caught:
        load_rubric(path)
    problems = {each.field: (each.line, each.what) for each in caught.value.problems}
    assert set(problems) == {"id", "version", "level", "scale", "aspects", "weight"}
    assert problems["version"][0] == 2
    assert problems["level"][0] == 5
    assert "point 3 needs an anchor" in problems["scale"][1]
    assert "anchors must lie on the scale, got 7" in problems["scale"][1]
    assert "a twice" in problems["aspects"][1]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"scale": None}, "there is no scale for dialogue_overall"),
        ({"reference": "reply"}, "a human reply is a reference for turns"),
        ({"scale": {"low": 3, "high": 1, "anchors": {3: "x", 1: "y"}}}, "from a lower to a higher number"),
        ({"scale": {"low": 0, "high": 90, "anchors": {0: "x", 90: "y"}}}, "at most 11 points"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, object], said: str) -> None:
    fields = load_rubric("overall").model_dump(mode="json") | changes
    with pytest.raises(ValueError, match=said):
        Rubric.model_validate(fields)


def test_a_wrong_name_lists_the_known_ones_and_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'overall'"):
        load_rubric("overal")
    with pytest.raises(DataError):
        load_rubric(tmp_path / "none.yaml")
    with pytest.raises(UnknownNameError):
        rubric_source("none")
