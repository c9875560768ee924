"""``trialogue judge`` from the outside."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.agents.conftest import endpoint, start
from tests.subjects.judging.commands.test_judge import World
from trialogue.cli.app import app
from trialogue.errors import UsageError
from trialogue.records import read_records
from trialogue.subjects.judging.records import PlannedLabel

__all__ = ["endpoint", "start"]
RUN = CliRunner()
JUDGE, PLAN, PROBE, PAIRS = ("judge",), ("judge", "plan"), ("judge", "probe"), ("judge", "pairs")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    return World(tmp_path).files()


def words(files: dict[str, str], *more: str, command: tuple[str, ...] = ("judge",)) -> list[str]:
    return [*command, files["dialogues"], "--scores", files["scores"], "--aspect", "overall", "-q", *more]


def test_terminal_page_table_and_json_say_the_same(files: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = words(files, "--labels", files["labels"], "--set", "scale=0,4", "-o", str(out))
    found = RUN.invoke(app, given)
    assert found.exit_code == 0, found.output
    assert "good is significantly better than poor" in " ".join(found.output.split())
    assert "Judge alone" in found.output
    assert f"Page: {out / 'judging.html'}" in found.output
    printed = json.loads(RUN.invoke(app, [*given, "--json"]).stdout)
    assert printed["kind"] == "judging"
    assert printed == json.loads((out / "judging.json").read_text(encoding="utf-8"))
    assert printed["answer"][0] in " ".join(found.output.split("\n"))


def test_a_plan_is_printed_and_written(files: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = RUN.invoke(app, words(files, "--width", "0.5", "-o", str(out), command=PLAN))
    assert found.exit_code == 0, found.output
    assert "The judge's errors are still unknown" in found.output
    assert "good: 10 labels of 40." in found.output
    assert len(list(read_records(out / "label_plan.jsonl", PlannedLabel))) == 20
    again = RUN.invoke(app, words(files, "--labels", files["labels"], "--width", "0.8", "-o", str(out), command=PLAN))
    assert "For intervals of differences with a total width of 0.8" in again.output
    assert "12 exist" in again.output


def test_a_plan_becomes_a_study_in_the_same_command(files: dict[str, str], tmp_path: Path) -> None:
    given = words(files, "--width", "0.5", "-o", str(tmp_path / "out"), command=PLAN)
    found = RUN.invoke(app, [*given, "--study", str(tmp_path / "study")])
    assert found.exit_code == 0, found.output
    assert "20 items on a scale from 0 to 4" in found.output
    assert "--set chances=" in found.output
    plan = (tmp_path / "out" / "label_plan.jsonl").read_bytes()
    assert (tmp_path / "study" / "label_plan.jsonl").read_bytes() == plan


@pytest.mark.parametrize(
    ("command", "more", "parts"),
    [
        (JUDGE, ["--rubric", "overall"], ["give both --model and --rubric", "leave out --scores, or"]),
        (
            ("judge",),
            ["--labels", "x", "--set", "confidence=2", "--set", "looks=0", "--seed", "-1"],
            ["confidence must", "looks must", "seed must"],
        ),
        (
            ("judge",),
            ["--labels", "x", "--set", "estimand=all", "--set", "raters=y"],
            ["estimand must be", "raters must be"],
        ),
        (
            PLAN,
            ["--width", "1", "--model", "openai:m", "--set", "scale=3,1"],
            ["scale must be two numbers with a comma between them, the lower one first"],
        ),
        (
            ("judge", "systems"),
            ["--model", "openai:m", "--set", "scale=3,1"],
            ["scale must be two numbers with a comma between them, the lower one first"],
        ),
    ],
)
def test_what_does_not_go_together_is_said_all_at_once(
    files: dict[str, str], command: tuple[str, ...], more: list[str], parts: list[str]
) -> None:
    found = RUN.invoke(app, words(files, *more, command=command))
    assert isinstance(found.exception, UsageError)
    assert all(part in str(found.exception) for part in parts)


def test_options_of_a_model_without_one_are_refused(files: dict[str, str]) -> None:
    found = RUN.invoke(app, words(files, "--set", "model.a=1", "--dry-run"))
    assert "give both --model and --rubric" in str(found.exception) or "only for a model" in str(found.exception)


def model_words(
    files: dict[str, str],
    endpoint: str,
    out: Path,
    *more: str,
    judge: str = "plain",
    command: tuple[str, ...] = ("judge",),
) -> list[str]:
    url = f"url={endpoint}/judge/{judge}"
    given = ["--rubric", "overall", "--model", "openai:tiny", "--set", f"model.{url}", "-o", str(out)]
    return [*command, files["dialogues"], *given, *more]


def test_a_model_judges_from_the_command_line_and_a_rerun_costs_nothing(
    files: dict[str, str], endpoint: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    given = model_words(files, endpoint, out, "-q")
    first = RUN.invoke(app, given)
    assert first.exit_code == 0, first.output
    assert "No labels by people correct the judge" in " ".join(first.output.split())
    assert first.output.startswith("On dialogue overall by the judge alone, ")
    other = {"judge_usage.jsonl", "manifest.json"}  # what it cost this time, and the seal of that
    kept = {path.name: path.read_bytes() for path in out.glob("*.json*") if path.name not in other}
    again = RUN.invoke(app, given)
    assert again.output == first.output
    assert {path.name: path.read_bytes() for path in out.glob("*.json*") if path.name not in other} == kept
    assert json.loads((out / "judge_usage.jsonl").read_text())["cached"] == 1  # all 80 dialogues are the same
    dry = RUN.invoke(app, [*given, "--dry-run"])
    assert "tiny: 0 requests (1 answers are in the cache)" in dry.output
    priced = RUN.invoke(app, [*given, "--dry-run", "--json"])
    assert json.loads(priced.stdout)["tiny"]["cached"] == 1


def test_shards_and_processes_give_the_files_of_one_process_and_one_file(
    files: dict[str, str], endpoint: str, tmp_path: Path
) -> None:
    path = Path(files["dialogues"])
    lines = [
        line.replace('"hello"', f'"hello {number}"')
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines())
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    shards = tmp_path / "shards"
    shards.mkdir()
    for number in range(4):
        part = lines[number * 20 : number * 20 + 20]
        (shards / f"{number}.jsonl").write_text("\n".join(part) + "\n", encoding="utf-8")
    made = {}
    for name, given, jobs in (("one", str(path), "1"), ("many", str(shards), "2")):
        out = tmp_path / name
        words = model_words({**files, "dialogues": given}, endpoint, out, "--jobs", jobs, "-q")
        found = RUN.invoke(app, words)
        assert found.exit_code == 0, found.output
        other = {"manifest.json", "judging.json"}  # which name the file or the folder of shards
        made[name] = {each.name: each.read_bytes() for each in out.glob("*.*") if each.name not in other}
        assert json.loads(made[name]["judge_usage.jsonl"])["calls"] == 80
    assert sorted(made["one"]) == sorted(made["many"])
    assert [name for name, text in made["one"].items() if made["many"][name] != text] in ([], ["judging.html"])


def test_processes_without_a_model_are_refused(files: dict[str, str], tmp_path: Path) -> None:
    found = RUN.invoke(app, words(files, "--jobs", "2"))
    assert "--jobs: only for a model that judges" in str(found.exception)
    found = RUN.invoke(app, model_words(files, "http://localhost:1", tmp_path, "--jobs", "many"))
    assert "--jobs must be a whole number" in str(found.exception)


def test_probes_are_priced_asked_shown_and_kept(files: dict[str, str], endpoint: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    path = Path(files["dialogues"])  # of dialogues with the same words, one would be probed
    lines = path.read_text(encoding="utf-8").splitlines()
    unlike = [line.replace('"hello"', f'"hello {n}"') for n, line in enumerate(lines)]
    path.write_text("\n".join(unlike) + "\n", encoding="utf-8")
    given = model_words(files, endpoint, out, "--set", "dialogues=8", "-q", judge="obedient", command=PROBE)
    priced = RUN.invoke(app, [*given, "--dry-run"])
    assert priced.exit_code == 0, priced.output
    assert "tiny, probes: " in priced.output
    assert not (out / "answers").exists()
    first = RUN.invoke(app, given)
    assert first.exit_code == 0, first.output
    findings = json.loads((out / "judging.json").read_text(encoding="utf-8"))
    biased = [each["probe"] for each in findings["probes"] if each["verdict"] == "biased"]
    assert biased == ["injection"]
    assert {"judge_biased", "judge_unnoticed_defect"} & {each["code"] for each in findings["threats"]}
    for name in ("judging.html", "judge_probes.md", "judge_probes.tex"):
        assert "asks for the highest score" in (out / name).read_text(encoding="utf-8")
    usage = [json.loads(line) for line in (out / "judge_usage.jsonl").read_text().splitlines()]
    assert [each["model"] for each in usage] == ["tiny", "tiny"]
    assert usage[1]["calls"] > 8
    kept = (out / "judging.json").read_bytes()
    assert "tiny, probes: 0 requests" in RUN.invoke(app, [*given, "--dry-run"]).output
    assert RUN.invoke(app, given).output == first.output
    assert (out / "judging.json").read_bytes() == kept


@pytest.mark.parametrize("command", [PROBE, PAIRS])
def test_what_only_a_model_can_do_needs_one(files: dict[str, str], command: tuple[str, ...]) -> None:
    found = RUN.invoke(app, [*command, files["dialogues"]])
    assert "ask a language model: give --model and --rubric" in str(found.exception)


def test_a_folder_named_as_a_command_is_given_as_a_path(
    files: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plan").write_bytes(Path(files["dialogues"]).read_bytes())
    given = words({**files, "dialogues": "./plan"}, "-o", "out")
    assert RUN.invoke(app, given).exit_code == 0
    assert "judge plan" in RUN.invoke(app, ["judge", "plan", "-q"]).output


def test_options_may_stand_before_the_run(files: dict[str, str], tmp_path: Path) -> None:
    run, *options = words(files, "-o", str(tmp_path / "out"))[1:]
    first = RUN.invoke(app, ["judge", *options, run])
    assert first.exit_code == 0, first.output
    assert RUN.invoke(app, ["judge", "systems", run, *options]).output == first.output


def test_labels_and_plans_go_with_a_model(files: dict[str, str], endpoint: str, tmp_path: Path) -> None:
    found = RUN.invoke(app, model_words(files, endpoint, tmp_path / "a", "--labels", files["labels"], "-q"))
    assert found.exit_code == 0, found.output
    assert "Corrected" in found.output
    plan = RUN.invoke(app, model_words(files, endpoint, tmp_path / "b", "--width", "0.5", "-q", command=PLAN))
    assert "Label these first" in plan.output


def test_pairs_are_printed_with_what_the_order_decided(files: dict[str, str], endpoint: str, tmp_path: Path) -> None:
    found = RUN.invoke(app, model_words(files, endpoint, tmp_path / "p", "-q", command=PAIRS))
    assert found.exit_code == 0, found.output
    assert "votes of a model, not of people" in found.output
    assert (tmp_path / "p" / "judge_preferences.jsonl").is_file()
    as_json = RUN.invoke(app, model_words(files, endpoint, tmp_path / "p", "--json", "-q", command=PAIRS))
    assert json.loads(as_json.stdout)["ties"] == 40  # equal texts


def test_an_option_that_is_none_is_refused(files: dict[str, str], endpoint: str, tmp_path: Path) -> None:
    found = RUN.invoke(app, [*model_words(files, endpoint, tmp_path), "--set", "temperature"])
    assert "expected NAME=VALUE" in str(found.exception)


def test_rubrics_are_listed_printed_and_checked(tmp_path: Path) -> None:
    listed = RUN.invoke(app, ["list", "rubrics"]).output
    assert "relevance         Relevance of a reply (turn, 0 to 2)" in listed
    source = RUN.invoke(app, ["list", "rubrics", "overall"]).output
    assert source.startswith("# overall|v1|")
    path = tmp_path / "mine.yaml"
    path.write_text(source, encoding="utf-8")
    assert f"{path} is valid: overall|v1|" in RUN.invoke(app, ["list", "rubrics", str(path)]).output
    prompt = RUN.invoke(app, ["list", "rubrics", "overall", "--set", "prompt=pointwise"]).output
    assert "Answer with one JSON object" in prompt
    wrong = RUN.invoke(app, ["list", "rubrics", "strategies", "--set", "prompt=pairwise"])
    assert "cannot be used pairwise" in str(wrong.exception)
