"""Decision protocols of experiments: written once, kept or not, and never changed unseen."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trialogue.cli.app import app
from trialogue.errors import DataError
from trialogue.findings import Findings
from trialogue.findings.protocol import DeviationKind
from trialogue.findings.threats import Severity, ThreatCode
from trialogue.subjects.evaluation.pages.write import text_table
from trialogue.workflows.experiment import experiment_of, plan_steps, protocol_text, read_experiment, run_experiment
from trialogue.workflows.experiment.registration import FILE, register, registration_of

SIMULATED = {"measure": "repetition", "users": "cir6-pkg"}


def fields(out: Path, *, n: int = 5, **more: Any) -> dict[str, Any]:
    """Two agents that talk to simulated users, and one measure that decides."""
    agents = {"aria": "reference:guided", "bolt": "reference:popular"}
    simulate = {"agents": agents, "users": ["cir6-pkg"], "n": n, "max_turns": 4}
    return {
        "out": str(out),
        "simulate": simulate,
        "metrics": ["repetition"],
        "resamples": 100,
        "decide": SIMULATED,
        **more,
    }


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an experiment that was run with a protocol."""
    folder = tmp_path_factory.mktemp("protocol")
    run_experiment(experiment_of(fields(folder)))
    return folder


@pytest.fixture
def there(done: Path, tmp_path: Path) -> Path:
    """A copy of it to be attacked."""
    return Path(shutil.copytree(done, tmp_path / "there"))


def run(out: Path, **more: Any) -> Findings:
    return run_experiment(experiment_of(fields(out, **more))).findings


def deviations(found: Findings) -> list[DeviationKind]:
    assert found.protocol is not None
    return [each.what for each in found.protocol.deviations]


def codes(found: Findings, severity: Severity) -> set[ThreatCode]:
    return {threat.code for threat in found.threats if threat.severity is severity}


def test_the_protocol_is_written_before_the_first_stage_in_full_and_with_its_hash(tmp_path: Path) -> None:
    experiment = experiment_of(fields(tmp_path / "out"))
    registered = register(experiment)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [FILE]
    content = json.loads((tmp_path / "out" / FILE).read_text(encoding="utf-8"))
    assert content["sha256"] == registered.sha256
    assert content["after_results"] is False
    assert content["protocol"]["measure"] == "repetition@self|v1"
    assert (content["protocol"]["n"], content["protocol"]["systems"]) == (5, ["aria", "bolt"])  # of the simulation
    assert set(content) == {"after_results", "inputs", "protocol", "sha256", "trialogue"}


def test_the_same_experiment_writes_the_same_bytes(done: Path, tmp_path: Path) -> None:
    register(experiment_of(fields(tmp_path)))
    assert (tmp_path / FILE).read_bytes() == (done / FILE).read_bytes()


def test_every_output_says_that_the_protocol_was_kept(done: Path) -> None:
    found = run(done)
    assert found.protocol is not None
    assert found.protocol.is_kept
    line = f"Decision protocol {found.protocol.short_hash}: kept."
    assert line in [statement.text for statement in found.answer]
    assert line in text_table(found)
    assert line in (done / "report.html").read_text(encoding="utf-8")
    summary = json.loads((done / "summary.json").read_text(encoding="utf-8"))
    assert (summary["protocol"]["status"], summary["protocol"]["kept"]) == (line, True)
    assert found.primary == "cir6-pkg: repetition@self|v1"


def test_without_a_protocol_the_report_notes_it_and_nothing_else_changes(tmp_path: Path) -> None:
    given = fields(tmp_path)
    del given["decide"]
    found = run_experiment(experiment_of(given)).findings
    assert ThreatCode.NO_PROTOCOL in codes(found, Severity.NOTES)
    assert not (tmp_path / FILE).exists()
    assert "Decision protocol" not in text_table(found)
    assert protocol_text(experiment_of(given)) == ""


def test_another_measure_or_level_after_the_data_does_not_decide_and_is_recorded(there: Path) -> None:
    before = (there / FILE).read_bytes()
    found = run(there, decide={**SIMULATED, "alpha": 0.2})
    assert deviations(found) == [DeviationKind.ALPHA_CHANGED]
    assert found.alpha == 0.05
    rated = run(there, decide={"measure": "human:satisfaction"})
    assert deviations(rated) == [DeviationKind.PRIMARY_CHANGED]
    assert rated.primary == "cir6-pkg: repetition@self|v1"
    assert (there / FILE).read_bytes() == before
    assert ThreatCode.PROTOCOL_NOT_KEPT in codes(rated, Severity.DEMOTES)
    summary = json.loads((there / "summary.json").read_text(encoding="utf-8"))
    assert summary["protocol"]["status"].endswith("with simulated users (cir6-pkg) to people's satisfaction.")
    assert summary["protocol"]["deviations"][0]["what"] == "primary_changed"


def test_a_protocol_that_is_taken_out_of_the_file_still_decides(there: Path) -> None:
    given = fields(there)
    del given["decide"]
    found = run_experiment(experiment_of(given)).findings
    assert deviations(found) == [DeviationKind.WITHDRAWN]
    assert found.primary == "cir6-pkg: repetition@self|v1"


def test_a_deleted_protocol_is_noticed_and_its_successor_is_late(there: Path) -> None:
    (there / FILE).unlink()
    found = run(there)
    assert deviations(found) == [DeviationKind.AFTER_RESULTS, DeviationKind.REPLACED]
    assert deviations(run(there)) == [DeviationKind.AFTER_RESULTS, DeviationKind.REPLACED]  # not only the first time


def test_a_protocol_that_is_deleted_from_file_and_folder_is_noticed(there: Path) -> None:
    (there / FILE).unlink()
    given = fields(there)
    del given["decide"]
    found = run_experiment(experiment_of(given)).findings
    assert deviations(found) == [DeviationKind.DELETED]
    assert ThreatCode.PROTOCOL_NOT_KEPT in codes(found, Severity.DEMOTES)


def edit(path: Path, *, with_hash: bool) -> None:
    """Change the level in a written protocol."""
    from trialogue.workflows.experiment.registration import WrittenProtocol

    content = json.loads(path.read_text(encoding="utf-8"))
    content["protocol"]["alpha"] = 0.2
    if with_hash:
        del content["sha256"]
        content["sha256"] = WrittenProtocol.model_validate(content).sha256
    path.write_text(json.dumps(content), encoding="utf-8")


def test_a_protocol_that_was_edited_by_hand_does_not_match_its_hash(there: Path) -> None:
    kept = (there / FILE).read_bytes()
    edit(there / FILE, with_hash=False)
    found = run(there)
    assert deviations(found) == [DeviationKind.EDITED, DeviationKind.REPLACED]
    assert found.alpha == 0.05  # what was edited decides nothing
    (there / FILE).write_bytes(kept)
    assert deviations(run(there)) == []


def test_a_protocol_that_was_edited_with_its_hash_is_not_that_of_the_first_report(there: Path) -> None:
    edit(there / FILE, with_hash=True)
    found = run(there, decide={**SIMULATED, "alpha": 0.2})
    assert deviations(found) == [DeviationKind.REPLACED]
    assert deviations(run(there, decide={**SIMULATED, "alpha": 0.2})) == [DeviationKind.REPLACED]


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"sha256": "0"}', b"null"])
def test_a_written_protocol_that_cannot_be_read_is_an_edited_one(there: Path, content: bytes) -> None:
    (there / FILE).write_bytes(content)
    registration = registration_of(experiment_of(fields(there)))
    assert [each.what for each in registration.deviations] == [DeviationKind.EDITED, DeviationKind.REPLACED]
    assert registration.to_write is None


def test_before_there_are_data_another_protocol_takes_the_place_of_the_first(tmp_path: Path) -> None:
    register(experiment_of(fields(tmp_path)))
    changed = register(experiment_of(fields(tmp_path, decide={**SIMULATED, "alpha": 0.01})))
    assert changed.deviations == ()
    assert json.loads((tmp_path / FILE).read_text(encoding="utf-8"))["protocol"]["alpha"] == 0.01


def test_a_protocol_in_a_folder_with_results_is_late_for_good(tmp_path: Path) -> None:
    given = fields(tmp_path)
    del given["decide"]
    run_experiment(experiment_of(given))
    assert deviations(run(tmp_path)) == [DeviationKind.AFTER_RESULTS]
    assert deviations(run(tmp_path)) == [DeviationKind.AFTER_RESULTS]


def test_deleted_stages_do_not_make_a_new_protocol_an_early_one(there: Path) -> None:
    shutil.rmtree(there / "stages")
    registration = registration_of(experiment_of(fields(there, decide={**SIMULATED, "alpha": 0.2})))
    assert [each.what for each in registration.deviations] == [DeviationKind.ALPHA_CHANGED]


def test_fewer_dialogues_than_planned_are_a_deviation(tmp_path: Path) -> None:
    found = run(tmp_path, decide={**SIMULATED, "n": 6})
    assert deviations(found) == [DeviationKind.FEWER_DIALOGUES, DeviationKind.FEWER_DIALOGUES]
    assert "aria has 5 dialogues, of 6 planned" in text_table(found, width=160).replace("\n", " ")


def test_a_sample_that_goes_on_after_the_results_is_a_deviation(there: Path) -> None:
    kinds = deviations(run(there, n=7))
    assert kinds == [DeviationKind.SAMPLE_CHANGED, DeviationKind.MORE_DIALOGUES, DeviationKind.MORE_DIALOGUES]


def test_a_renamed_system_is_a_deviation(there: Path) -> None:
    given = fields(there)
    given["simulate"]["agents"] = {"aria": "reference:guided", "winner": "reference:popular"}
    kinds = deviations(run_experiment(experiment_of(given)).findings)
    assert kinds == [DeviationKind.SYSTEMS_CHANGED, DeviationKind.SYSTEM_MISSING, DeviationKind.SYSTEM_ADDED]


def test_people_decide_where_the_protocol_says_so_and_their_conversations_were_there_first(tmp_path: Path) -> None:
    decide = {"measure": "human:satisfaction", "n": 20, "systems": ["aria", "bolt", "chip"]}
    given = {"out": str(tmp_path), "dialogues": ["demo"], "metrics": ["turns"], "resamples": 100, "decide": decide}
    found = run_experiment(experiment_of(given)).findings
    assert found.primary == "human:satisfaction"
    assert deviations(found) == []
    assert ThreatCode.PROTOCOL_AFTER_DATA in codes(found, Severity.NOTES)
    assert found.answer[0].text.startswith("Conditional: On Satisfaction (invented people)")


def test_a_protocol_for_people_can_be_written_before_their_conversations_are_there(tmp_path: Path) -> None:
    decide = {"measure": "human:satisfaction"}
    before = run(tmp_path, decide=decide)
    assert deviations(before) == [DeviationKind.MEASURE_MISSING]
    assert before.answer[0].text.startswith("There is no verdict")
    after = run(tmp_path, decide=decide, dialogues=["demo"])
    assert deviations(after) == []
    assert ThreatCode.PROTOCOL_AFTER_DATA not in codes(after, Severity.NOTES)


def test_a_dry_run_shows_the_protocol_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text(json.dumps(fields(tmp_path / "out")), encoding="utf-8")
    result = CliRunner().invoke(app, ["run", str(path), "--dry-run"])
    assert result.exit_code == 0
    registered = registration_of(read_experiment(path))
    assert f"(sha256 {registered.sha256})" in result.output
    assert "primary measure: repetition@self|v1 with simulated users (cir6-pkg)" in result.output
    assert not (tmp_path / "out").exists()


def test_a_dry_run_says_what_of_the_written_protocol_is_not_kept(there: Path) -> None:
    given = experiment_of(fields(there, decide={**SIMULATED, "alpha": 0.2}))
    assert "not kept: the level was changed from 0.05 to 0.2" in protocol_text(given)
    assert [step.name for step in plan_steps(given) if step.takes is not None] == [
        "report"
    ]  # measured at the first level


def test_every_mistake_in_a_protocol_is_reported_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text(
        "dialogues: demo\n"
        "metrics: [turns]\n"
        "alpha: 0.1\n"
        "decide:\n"
        "  measure: bluu\n"
        "  measures: [repetition, turns]\n"
        "  users: nobody\n"
        "  alpha: 0.05\n"
        "  blocks: [failure]\n"
        "  exclude:\n"
        "    - {}\n"
        "  n: many\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError) as error:
        read_experiment(path)
    text = str(error.value)
    assert "line 5, field decide.measure: There is no metric 'bluu'. Did you mean 'bleu'" in text
    assert "line 6, field decide.measures[0]: repetition would not be measured" in text
    assert "line 7, field decide.users: There is no kind of simulated users 'nobody'." in text
    assert "line 8, field decide.alpha: the level is 0.05 here and 0.1 in the field alpha." in text
    assert "line 9, field decide.blocks[0]: expected one of 'never_finished', " in text
    assert "line 11, field decide.exclude[0]: an exclusion has exactly one rule" in text
    assert "line 12, field decide.n: expected a whole number, got 'many'." in text


@pytest.mark.parametrize(
    ("decide", "words"),
    [
        ({"measure": "human:votes"}, "cannot be the votes"),
        ({"measure": "length", "users": "cir6-pkg"}, "has no direction"),
        ({"measure": "repetition"}, "the protocol does not state which kind of users decides"),
        ({}, "this field is required"),
    ],
)
def test_a_protocol_that_could_decide_nothing_is_refused(tmp_path: Path, decide: dict[str, Any], words: str) -> None:
    given = fields(tmp_path, decide=decide)
    del given["metrics"]
    with pytest.raises(DataError, match=words):
        experiment_of(given)


def test_the_level_of_the_protocol_is_that_of_the_experiment(tmp_path: Path) -> None:
    own = experiment_of(fields(tmp_path, decide={**SIMULATED, "alpha": 0.01}))
    shared = experiment_of(fields(tmp_path, alpha=0.01))
    assert own.decide is not None
    assert shared.decide is not None
    assert {own.alpha, own.decide.alpha, shared.alpha, shared.decide.alpha} == {0.01}
