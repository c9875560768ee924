"""A plan becomes a study, scripted participants answer it, and its export corrects the judge."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from tests.subjects.judging.commands.test_judge import World
from trialogue.errors import DataError, UsageError
from trialogue.findings.threats import ThreatCode
from trialogue.inputs.read import read
from trialogue.records import Dialogue, Score, Utterance, read_records, write_records
from trialogue.study.bots.simulation import simulate_study
from trialogue.study.design.folder import read_items
from trialogue.study.design.items import RatingItem
from trialogue.study.design.reading import read_study
from trialogue.subjects.judging.commands.judge import LabelPlan, judge, plan_labels
from trialogue.subjects.judging.commands.label_study import PLAN, write_label_study
from trialogue.subjects.judging.records import PlannedLabel


class Texts(World):
    """A world whose dialogues differ in their words, as scripts that read pages need it."""

    def __init__(self, folder: Path, *, each: int = 40) -> None:
        super().__init__(folder, each=each)
        self.labels = []
        self.dialogues = [
            each.model_copy(
                update={
                    "utterances": (
                        Utterance(speaker="user", text=f"A film like number {place}, please."),
                        Utterance(speaker="system", text=f"Then take number {place + 1}."),
                    )
                }
            )
            for place, each in enumerate(self.dialogues)
        ]

    def plan(self) -> LabelPlan:
        files = self.files()
        return plan_labels(files["dialogues"], aspect="overall", width=1.0, scores=files["scores"])

    def study(self, **more: object) -> Path:
        given = {"aspect": "overall", "seed": 3, **more}
        write_label_study(self.folder / "study", self.plan(), [self.files()["dialogues"]], **given)  # type: ignore[arg-type]
        return self.folder / "study"


@pytest.fixture
def world(tmp_path: Path) -> Texts:
    return Texts(tmp_path)


def items_of(folder: Path) -> list[RatingItem]:
    found = read_items(folder / "items.jsonl", read_study(folder))
    return [each for each in found if isinstance(each, RatingItem)]


def test_the_study_asks_about_exactly_the_planned_dialogues_on_the_rubrics_scale(world: Texts) -> None:
    folder = world.study()
    planned = list(read_records(folder / PLAN, PlannedLabel))
    shown = {(system, talk.id) for item in items_of(folder) for system, talk in item.conversation.items()}
    assert shown == {(each.system, each.dialogue_id) for each in planned}
    assert {each.chance for each in planned} == {0.25}  # 10 of 40 of each system
    (criterion,) = read_study(folder).criteria
    assert (criterion.name, criterion.first) == ("overall", 0)
    assert [option.value for option in criterion.options] == ["0", "1", "2", "3", "4"]
    assert str(criterion.options[4].label).startswith("Very good")


def test_scripts_answer_the_study_and_its_export_corrects_the_judge(world: Texts) -> None:
    folder = world.study()
    export = world.folder / "export"
    done = simulate_study(
        folder, workers=6, effects={"good": 2.0, "poor": -2.0}, drop_out=0, careless=0.17, export=export
    )
    assert done.wrong == []
    assert done.coverage == {"2": 20}
    files = world.files()
    found = judge(
        files["dialogues"], aspect="overall", scores=files["scores"], labels=str(export), chances=folder / PLAN
    )
    assert found.labels == 20
    assert found.rater_count >= 2
    assert found.noise is not None  # two raters of each dialogue
    assert ThreatCode.SCRIPTED_RATERS in {each.code for each in found.threats}
    means = {each.system: each.value.alone.value for each in found.systems}
    labels = [
        each for each in read(str(export), note=lambda _: None) if isinstance(each, Score) and each.system is not None
    ]
    assert {each.level for each in labels} == {"dialogue"}
    assert {each.scale.words for each in labels if each.scale} == {"0 to 4"}
    for name, mean in means.items():  # chances are equal within a system: the mean of means of dialogues
        by_dialogue: dict[str, list[float]] = {}
        for each in labels:
            if each.system == name and each.value is not None and each.dialogue_id is not None:
                by_dialogue.setdefault(each.dialogue_id, []).append(each.value)
        assert mean == pytest.approx(np.mean([np.mean(values) for values in by_dialogue.values()]))
    assert (means["good"] or 0) > (means["poor"] or 0) + 1


def test_labels_that_were_planned_and_not_given_lower_the_probabilities_and_are_named(world: Texts) -> None:
    plan = world.plan()
    world.label([each.dialogue_id or "" for each in plan.units])
    write_records(world.folder / "whole.jsonl", plan.units)
    poor = [each for each in plan.units if each.system == "poor"]
    known = {each.dialogue_id for each in poor}
    more = [
        PlannedLabel(system="poor", dialogue_id=each.id, chance=0.5)
        for each in world.dialogues
        if each.system == "poor" and each.id not in known
    ][:10]
    doubled = [each.model_copy(update={"chance": 0.5}) for each in poor]
    good = [each for each in plan.units if each.system == "good"]
    write_records(world.folder / "part.jsonl", [*good, *doubled, *more])
    whole = world.judged(chances=world.folder / "whole.jsonl")
    part = world.judged(chances=world.folder / "part.jsonl")
    assert part.systems == whole.systems  # 20 planned at .5, of which 10 are there: .25
    assert not any("have no label" in each for each in whole.warnings)
    assert any("10 of 20 planned units of poor have no label" in each for each in part.warnings)


def test_replies_in_dialogues_are_shown_with_what_was_said_before(world: Texts, tmp_path: Path) -> None:
    dialogue = Dialogue(
        id="d",
        system="s",
        utterances=tuple(Utterance(speaker=("user", "system")[n % 2], text=f"line {n}") for n in range(4)),
    )
    write_records(tmp_path / "d.jsonl", [dialogue])
    plan = LabelPlan(1.0, (), (PlannedLabel(system="s", dialogue_id="d", utterance=1, chance=0.5),), True)
    write_label_study(tmp_path / "turns", plan, [tmp_path / "d.jsonl"], aspect="relevance")
    (item,) = items_of(tmp_path / "turns")
    shown = item.show(("s",))
    assert [line.text for line in shown.context] == ["line 0"]  # type: ignore[union-attr]
    assert shown.replies == ("line 1",)  # type: ignore[union-attr]
    assert item.subject == {"dialogue_id": "d", "situation_id": None, "utterance": 1}
    assert item.level == "utterance"
    assert yaml.safe_load((tmp_path / "turns" / "study.yaml").read_text())["criteria"][0]["scale"][0]


def test_what_cannot_become_a_study_is_refused(world: Texts, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no rubric is about 'charm'"):
        world.study(aspect="charm")
    world.label(["good-0"])
    labels = world.files()["labels"]
    with pytest.raises(UsageError, match="existing labels do not declare one"):
        world.study(labels=labels)
    with pytest.raises(UsageError, match="starts at 0 or 1 and has at most 11 whole points"):
        world.study(scale=(0.5, 4))
    done = LabelPlan(1.0, (), (PlannedLabel(system="s", dialogue_id="d", chance=1, is_labelled=True),), False)
    with pytest.raises(UsageError, match="labelled already"):
        write_label_study(tmp_path / "x", done, ["demo"], aspect="overall")
    gone = LabelPlan(1.0, (), (PlannedLabel(system="s", dialogue_id="d", chance=1),), False)
    with pytest.raises(DataError, match="s: d is missing"):
        write_label_study(tmp_path / "x", gone, ["demo"], aspect="overall")
    assert not (tmp_path / "x").exists()
    study = world.study()
    with pytest.raises(UsageError, match="already"):
        write_label_study(study, world.plan(), [world.files()["dialogues"]], aspect="overall", scale=(0, 4))
