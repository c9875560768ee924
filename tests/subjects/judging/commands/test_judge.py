"""A judge and a few labels from files to findings, page, table and plan."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import trialogue
from trialogue.errors import DataError, UsageError
from trialogue.findings.threats import Severity, ThreatCode, Validity
from trialogue.records import Dialogue, Raters, Reason, Scale, Score, Utterance, read_records, write_records
from trialogue.records.reasons.codes import ReasonCode
from trialogue.render.media.files import csv_files
from trialogue.render.media.terminal import document_text
from trialogue.stats.correction.table import Estimand
from trialogue.subjects.judging.commands.judge import judge, plan_labels
from trialogue.subjects.judging.conclude import JudgeSettings
from trialogue.subjects.judging.pages.document import judging_document
from trialogue.subjects.judging.records import JudgedSystem, JudgingFindings, PlannedLabel
from trialogue.workflows.write_findings import write_findings

MIRROR = os.environ.get("TRIALOGUE_DATA_MIRROR")
SYSTEMS = {"good": 3.0, "poor": 1.0}


class World:
    """Dialogues of two systems, a judge that squeezes and flatters, and labels of some."""

    def __init__(self, folder: Path, *, each: int = 40) -> None:
        rng = np.random.default_rng(0)
        self.folder = folder
        self.dialogues: list[Dialogue] = []
        self.scores: list[Score] = []
        self.labels: list[Score] = []
        self.truth: dict[str, float] = {}
        for system, level in SYSTEMS.items():
            for number in range(each):
                name = f"{system}-{number}"
                quality = float(np.clip(round(level + rng.normal()), 0, 4))
                said = 2.0 + 0.3 * quality + 0.15 * float(rng.normal()) + (0.5 if system == "poor" else 0.0)
                text = (Utterance(speaker="user", text="hi"), Utterance(speaker="system", text="hello"))
                self.dialogues.append(Dialogue(id=name, system=system, user=f"u{number}", utterances=text))
                self.scores.append(Score(measure="llm:overall", level="dialogue", value=said, dialogue_id=name))
                self.truth[name] = quality
        self.label([f"{system}-{number}" for system in SYSTEMS for number in range(12)])

    def label(
        self, names: list[str], *, rater: str = "ann", raters: Raters = Raters.PEOPLE, shift: float = 0.0
    ) -> None:
        self.labels += [
            Score(
                measure="human:overall",
                level="dialogue",
                value=self.truth[name] + shift,
                dialogue_id=name,
                rater=rater,
                raters=raters,
            )
            for name in names
        ]

    def files(self) -> dict[str, str]:
        paths = {name: self.folder / f"{name}.jsonl" for name in ("dialogues", "scores", "labels")}
        for name, path in paths.items():
            write_records(path, getattr(self, name))
        return {name: str(path) for name, path in paths.items()}

    def judged(self, settings: JudgeSettings | None = None, **options: object) -> JudgingFindings:
        files = self.files()
        given = {"aspect": "overall", "scores": files["scores"], "labels": files["labels"], **options}
        return judge(files["dialogues"], settings=settings, **given)  # type: ignore[arg-type]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def system(found: JudgingFindings, name: str) -> JudgedSystem:
    return next(each for each in found.systems if each.system == name)


def severities(found: JudgingFindings) -> set[tuple[ThreatCode, Severity]]:
    return {(each.code, each.severity) for each in found.threats}


def test_labels_put_right_what_the_judge_gets_wrong(world: World) -> None:
    found = world.judged()
    truth = {name: np.mean([world.truth[f"{name}-{number}"] for number in range(40)]) for name in SYSTEMS}
    for name in SYSTEMS:
        value = system(found, name).value
        assert value.corrected.interval is not None
        assert value.corrected.interval.contains(float(truth[name]))
        assert value.weight > 1.5  # the judge uses a third of the scale
    assert abs(system(found, "poor").value.judge - truth["poor"]) > 1
    (pair,) = found.differences
    assert (pair.a, pair.b, pair.verdict) == ("good", "poor", "better")
    assert pair.value.width_ratio is not None
    assert pair.value.width_ratio < 0.8
    assert abs(pair.value.judge) < 0.5 * (truth["good"] - truth["poor"])
    assert [each.rank for each in found.systems] == [1, 2]


def test_the_same_files_give_the_same_findings_and_a_round_trip_keeps_them(world: World) -> None:
    first, second = world.judged(), world.judged()
    assert first == second
    assert JudgingFindings.model_validate_json(first.model_dump_json()) == first


def test_fewer_than_ten_labels_block_a_system_and_say_so(world: World) -> None:
    world.labels = [each for each in world.labels if each.dialogue_id not in {f"poor-{number}" for number in range(5)}]
    found = world.judged()
    poor = system(found, "poor")
    assert poor.validity is Validity.BLOCKED
    assert poor.value.corrected.why is not None
    assert poor.value.corrected.why.code is ReasonCode.TOO_FEW_LABELS
    assert poor.rank is None
    assert found.differences == ()
    assert (ThreatCode.JUDGE_FEW_LABELS, Severity.BLOCKS) in severities(found)
    assert "poor has only 7 labels" in document_text(judging_document(found))


def test_labels_chosen_by_the_judges_score_are_noticed_unless_chances_are_given(world: World, tmp_path: Path) -> None:
    scores = {each.dialogue_id: each.value or 0.0 for each in world.scores}
    names = [f"good-{number}" for number in range(40)]
    best = sorted(names, key=lambda name: -scores[name])[:14]
    world.labels = [each for each in world.labels if each.dialogue_id not in names]
    world.label(best)
    found = world.judged()
    assert [each.systems for each in found.threats if each.code is ThreatCode.LABELS_CHOSEN] == [("good",)]
    assert system(found, "good").validity is Validity.CONDITIONAL
    assert found.differences[0].validity is Validity.CONDITIONAL
    assert found.answer[0].startswith("Conditional: On ")
    plan = tmp_path / "plan.jsonl"
    labelled = [each.dialogue_id for each in world.labels]
    chances = [
        PlannedLabel(system=each.system or "", dialogue_id=each.id, chance=0.5)
        for each in world.dialogues
        if each.id in labelled
    ]
    write_records(plan, chances)
    assert ThreatCode.LABELS_CHOSEN not in {each.code for each in world.judged(chances=plan).threats}
    write_records(plan, chances[:-1])
    with pytest.raises(DataError, match="no sampling probability for 1 labelled unit"):
        world.judged(chances=plan)


def test_without_a_recorded_draw_every_corrected_verdict_is_conditional(world: World, tmp_path: Path) -> None:
    found = world.judged()
    assert (ThreatCode.LABELS_NOT_DRAWN, Severity.DEMOTES) in severities(found)
    assert {each.validity for each in found.systems} == {Validity.CONDITIONAL}
    assert found.differences[0].validity is Validity.CONDITIONAL
    plan = tmp_path / "plan.jsonl"
    labelled = {each.dialogue_id for each in world.labels}
    write_records(
        plan,
        [
            PlannedLabel(system=each.system or "", dialogue_id=each.id, chance=0.3)
            for each in world.dialogues
            if each.id in labelled
        ],
    )
    drawn = world.judged(chances=plan)
    assert ThreatCode.LABELS_NOT_DRAWN not in {each.code for each in drawn.threats}
    assert drawn.differences[0].validity is Validity.FIRM


@pytest.mark.parametrize(
    ("change", "code"),
    [(lambda value: 3.0, ThreatCode.JUDGE_CONSTANT), (lambda value: 4.0 - value, ThreatCode.JUDGE_CONTRARY)],
)
def test_a_judge_that_is_constant_or_contradicts_people_is_named(
    world: World, change: Callable[[float], float], code: ThreatCode
) -> None:
    assert not {ThreatCode.JUDGE_CONSTANT, ThreatCode.JUDGE_CONTRARY} & {each.code for each in world.judged().threats}
    world.scores = [each.model_copy(update={"value": change(each.value or 0.0)}) for each in world.scores]
    assert (code, Severity.NOTES) in severities(world.judged())


def test_labels_of_everything_need_no_draw(world: World) -> None:
    world.labels = []
    world.label([each.id for each in world.dialogues])
    assert ThreatCode.LABELS_NOT_DRAWN not in {each.code for each in world.judged().threats}


def test_a_little_choice_in_each_system_shows_in_all_together(tmp_path: Path) -> None:
    world = World(tmp_path, each=120)
    scores = {each.dialogue_id: each.value or 0.0 for each in world.scores}
    world.labels = []
    for name in SYSTEMS:
        order = sorted((f"{name}-{number}" for number in range(120)), key=lambda one: -scores[one])
        world.label([*order[:40:2], *order[40:120:5]])  # of the better third every second one, of the rest every fifth
    chosen = [each for each in world.judged().threats if each.code is ThreatCode.LABELS_CHOSEN]
    assert [each.systems for each in chosen] == [()]


@pytest.mark.parametrize(
    ("scale", "match"),
    [((0.0, 2.0), "lie outside of it"), ((1.0, 5.0), "lie outside of it"), ((0.0, 10.0), "the labels declare 0 to 4")],
)
def test_a_scale_that_is_not_that_of_the_labels_is_refused(
    world: World, scale: tuple[float, float], match: str
) -> None:
    world.labels = [each.model_copy(update={"scale": Scale(low=0, high=4)}) for each in world.labels]
    with pytest.raises(UsageError, match=match):
        world.judged(JudgeSettings(scale=scale))
    files, settings = world.files(), JudgeSettings(scale=scale)
    with pytest.raises(UsageError, match=match):
        plan_labels(
            files["dialogues"],
            width=1.0,
            settings=settings,
            aspect="overall",
            scores=files["scores"],
            labels=files["labels"],
        )
    assert world.judged(JudgeSettings(scale=(0.0, 4.0))).systems


@pytest.mark.parametrize(
    ("raters", "code"),
    [
        (Raters.MODEL, ThreatCode.MODEL_RATERS),
        (Raters.SCRIPTED, ThreatCode.SCRIPTED_RATERS),
        (Raters.INVENTED, ThreatCode.INVENTED_RATERS),
    ],
)
def test_labels_of_others_than_people_make_every_verdict_conditional(
    world: World, raters: Raters, code: ThreatCode
) -> None:
    world.labels = [each.model_copy(update={"raters": raters}) for each in world.labels]
    found = world.judged()
    assert (code, Severity.DEMOTES) in severities(found)
    assert {each.validity for each in found.systems} == {Validity.CONDITIONAL}


def test_a_judge_that_knows_nothing_is_called_so_and_costs_nothing(world: World) -> None:
    rng = np.random.default_rng(3)
    world.scores = [each.model_copy(update={"value": float(rng.random())}) for each in world.scores]
    found = world.judged()
    assert {each.systems for each in found.threats if each.code is ThreatCode.JUDGE_WORTHLESS} == {("good",), ("poor",)}
    assert found.differences[0].value.width_ratio == pytest.approx(1.0, abs=0.05)


def test_a_judge_that_abstains_is_not_rewarded(world: World) -> None:
    world.scores = [
        each.model_copy(update={"value": None, "why": Reason.other("refused")}) if place % 10 == 3 else each
        for place, each in enumerate(world.scores)
    ][:-1]
    found = world.judged()
    assert found.judged == 80
    assert found.abstained == 9
    assert any("gave no score to 9 of 80 units" in line for line in found.warnings)


def test_a_system_of_the_judges_family_is_noted_and_an_unknown_one_refused(world: World) -> None:
    found = world.judged(JudgeSettings(family=("good",)))
    assert (ThreatCode.JUDGE_FAMILY, Severity.NOTES) in severities(found)
    with pytest.raises(UsageError, match="--set family names no system of the run: gpt"):
        world.judged(JudgeSettings(family=("gpt",)))


def test_a_second_rater_adds_what_raters_differ_by(world: World) -> None:
    world.label([f"{name}-{number}" for name in SYSTEMS for number in range(12)], rater="bob", shift=1.0)
    these, others = (world.judged(JudgeSettings(raters=each)) for each in Estimand)
    assert these.rater_count == 2
    assert these.noise == pytest.approx(0.0)
    assert these.leniency == pytest.approx(0.5)
    widths = [each.overall.corrected.interval for each in (these, others)]
    assert widths[0] is not None
    assert widths[1] is not None
    assert widths[1].high - widths[1].low > 2 * (widths[0].high - widths[0].low)
    pair = these.differences[0].value.corrected, others.differences[0].value.corrected
    assert pair[0] == pair[1]  # both rated both systems alike: leniency cancels


def test_users_are_clusters_of_their_population(world: World) -> None:
    found = world.judged(JudgeSettings(estimand=Estimand.POPULATION))
    assert found.overall.corrected.clusters == 12  # u0 to u11 talked to both systems


def test_page_table_and_json_show_the_raw_column_beside_the_corrected_one(world: World, tmp_path: Path) -> None:
    found = world.judged()
    out = tmp_path / "out"
    page = write_findings(found, out).read_text(encoding="utf-8")
    for head in ("Judge alone", "Labels alone", "Corrected"):
        assert head in page
    assert list(read_records(out / "judging.json", JudgingFindings)) == [found]
    rows = csv_files(judging_document(found))["judging.csv"].splitlines()
    assert rows[0] == (
        "kind,system,versus,judged,labels,judge,judge_low,judge_high,alone,alone_low,alone_high,corrected,low,high,weight,"
        "width_ratio,rank,best_rank,worst_rank,p,p_adjusted,verdict,validity,why"
    )
    assert len(rows) == 1 + len(SYSTEMS) + 1 + len(found.differences)
    assert (out / "judging.csv").read_text(encoding="utf-8").splitlines() == rows


def test_what_is_written_holds_no_scores_that_could_agree_with_the_people_in_them(world: World, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_findings(world.judged(), out)
    assert sorted(path.name for path in out.iterdir()) == [
        "judge_card.md",
        "judge_card.tex",
        "judging.csv",
        "judging.html",
        "judging.json",
        "manifest.json",
    ]
    from trialogue.subjects.agreement.commands.agree import agree

    with pytest.raises(DataError, match=r"no scores\.jsonl"):
        agree(out)


def test_a_plan_asks_for_a_pilot_first_then_for_what_a_width_takes(world: World, tmp_path: Path) -> None:
    files = world.files()
    options = {"aspect": "overall", "scores": files["scores"], "settings": JudgeSettings(estimand=Estimand.THESE)}
    pilot = plan_labels(files["dialogues"], width=0.8, **options)  # type: ignore[arg-type]
    assert pilot.is_pilot
    assert [each.needed for each in pilot.needs] == [10, 10]
    assert len(pilot.units) == 20
    wide, narrow, endless = (
        plan_labels(files["dialogues"], width=width, labels=files["labels"], **options)  # type: ignore[arg-type]
        for width in (2.0, 0.4, 1e-9)
    )
    assert [each.needed for each in wide.needs] == [10, 10]
    assert all((each.needed or 0) > 12 for each in narrow.needs), narrow.needs
    assert all(each.needed == 40 for each in endless.needs)  # all labelled: these dialogues are then known
    path = tmp_path / "plan.jsonl"
    write_records(path, narrow.units)
    assert tuple(read_records(path, PlannedLabel)) == narrow.units
    for need in narrow.needs:
        own = [each for each in narrow.units if each.system == need.system]
        assert len(own) == need.needed
        assert {each.chance for each in own} == {len(own) / 40}
        assert sum(each.is_labelled for each in own) == 12


def test_a_plan_says_where_all_dialogues_are_too_few_to_compare_the_systems_behind_them(world: World) -> None:
    files = world.files()
    plan = plan_labels(files["dialogues"], width=1e-9, labels=files["labels"], aspect="overall", scores=files["scores"])
    assert [each.needed for each in plan.needs] == [None, None]


def test_equal_systems_with_unequal_dialogues_differ_only_in_these_dialogues(world: World) -> None:
    """All dialogues are labelled: their means are known, and differ; what the systems do next time is not known."""
    for each in world.dialogues:
        world.truth[each.id] = 2.0 if each.id.endswith("1") or each.id in {"good-2", "good-12"} else 1.0
    world.labels = []
    world.label([each.id for each in world.dialogues])
    these = world.judged(JudgeSettings(estimand=Estimand.THESE))
    systems = world.judged()
    assert these.differences[0].verdict == "better"
    assert these.answer[0].startswith("On overall in these 80 dialogues, good is significantly better than poor")
    assert systems.differences[0].verdict == "inconclusive"
    assert systems.answer[0].startswith("On overall, good and poor do not differ significantly")


def test_a_plan_that_is_followed_gives_the_width(world: World) -> None:
    files = world.files()
    options = {"aspect": "overall", "scores": files["scores"], "labels": files["labels"]}
    plan = plan_labels(files["dialogues"], width=0.6, **options)  # type: ignore[arg-type]
    world.label([each.dialogue_id or "" for each in plan.units if not each.is_labelled])
    interval = world.judged().differences[0].value.corrected.interval
    assert interval is not None
    assert interval.high - interval.low < 0.75  # the spread of the pilot is off by a fifth or so


def test_files_that_do_not_fit_are_refused_and_say_what_is_there(world: World) -> None:
    with pytest.raises(DataError, match=r"no scores for 'style'.*overall"):
        world.judged(aspect="style")
    world.labels = [each.model_copy(update={"dialogue_id": "elsewhere"}) for each in world.labels]
    with pytest.raises(DataError, match="none of the labels belongs to a dialogue of the run"):
        world.judged()
    world.labels = [each.model_copy(update={"measure": "human:style"}) for each in world.labels]
    with pytest.raises(DataError, match=r"no labels of 'overall'.*style"):
        world.judged()
    with pytest.raises(UsageError, match="--width must be above 0"):
        plan_labels(world.files()["dialogues"], aspect="overall", width=0.0, scores=world.files()["scores"])


def test_peoples_answers_without_a_judge_are_evaluated_by_the_one_command_for_that(world: World) -> None:
    files = world.files()
    with pytest.raises(DataError, match=r"people answered .overall., but no judge") as raised:
        judge(files["dialogues"], aspect="overall", labels=files["labels"])
    assert "trialogue evaluate" in str(raised.value)


@pytest.mark.skipif(not MIRROR, reason="TRIALOGUE_DATA_MIRROR is not set: CRSArena-Eval's sample is not here")
def test_face_is_corrected_on_crsarena_eval() -> None:
    folder = Path(str(MIRROR)) / "crsarena_eval_sample"
    labels, run = str(folder / "crs_arena_eval.json"), str(folder / "face_run.json")
    found = judge(labels, aspect="dialogue_overall", scores=run, labels=labels)
    # everything is labelled, so the corrected means are the people's own: .26 and .94 in the table
    kbrd = system(found, "kbrd_opendialkg").value
    assert kbrd.corrected.value == pytest.approx(0.26, abs=0.005)
    assert kbrd.judge == pytest.approx(0.94, abs=0.005)
    assert system(found, "chatgpt_opendialkg").value.corrected.value == pytest.approx(2.00, abs=0.005)
    turns = judge(labels, aspect="relevance", scores=run, labels=labels)
    assert turns.level == "turn"
    assert turns.judged > 700


def test_the_public_function_takes_paths_and_gives_what_the_command_gives(world: World) -> None:
    files = {name: Path(path) for name, path in world.files().items()}
    found = trialogue.judge(files["dialogues"], aspect="overall", labels=files["labels"], scores=files["scores"])
    assert found == world.judged()
    plan = trialogue.plan_labels(files["dialogues"], aspect="overall", width=0.8, scores=files["scores"])
    assert isinstance(plan, trialogue.LabelPlan)
    assert plan.is_pilot
