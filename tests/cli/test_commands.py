"""The command's words: data on stdout, talk on stderr, exit code 2 for what its user can put right."""

import gc
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.words import process, trialogue
from tests.workflows.made import good_and_bad, offline, written


@pytest.fixture
def both(tmp_path: Path) -> Path:
    return written(tmp_path / "both.jsonl", good_and_bad())


def test_evaluate_prints_the_answer_and_the_path_of_the_report(both: Path, tmp_path: Path) -> None:
    done = process("evaluate", both, "--out", tmp_path / "run", "--set", "resamples=200")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("On Satisfaction, good is better than bad by 80 points")
    assert done.stdout.rstrip().endswith(f"Report: {tmp_path / 'run' / 'report.html'}")
    assert "reading" in done.stderr
    assert (tmp_path / "run" / "scores.jsonl").is_file()


def test_quiet_says_nothing_on_stderr(both: Path, tmp_path: Path) -> None:
    done = trialogue("evaluate", both, "--out", tmp_path / "run", "--set", "resamples=200", "--quiet")
    assert done.stderr == ""


def test_a_report_is_drawn_again_from_its_folder(both: Path, tmp_path: Path) -> None:
    trialogue("evaluate", both, "--out", tmp_path / "run", "--set", "resamples=200")
    before = (tmp_path / "run" / "report.html").read_bytes()
    done = process("report", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "report.html").read_bytes() == before
    assert trialogue("report", tmp_path / "run", "--out", tmp_path / "again").returncode == 0
    assert (tmp_path / "again" / "manifest.json").is_file()
    (tmp_path / "run" / "report.html").unlink()
    assert "report.html: this file of the run is missing" in trialogue("report", tmp_path / "run").stderr


def test_score_prints_one_record_a_line_as_json(both: Path) -> None:
    done = process("score", both, "--metric", "distinct(n=2)@ratio", "--json", "--set", "resamples=200")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["level"], row["system"]) for row in rows] == [
        ("system", "bad"),
        ("system", "good"),
        ("difference", "bad"),
    ]
    assert all(row["signature"].startswith("distinct(n=2)@ratio|v1|") for row in rows)


def test_score_writes_single_replies_to_a_file(tmp_path: Path) -> None:
    path, out = written(tmp_path / "x.jsonl", offline()), tmp_path / "units.jsonl.gz"
    done = trialogue("score", path, "-m", "bleu", "-o", out, "--set", "resamples=200")
    assert done.returncode == 0, done.stderr
    assert "echo\tbleu(k=4)@sacrebleu|v1\t1\t" in done.stdout
    assert out.stat().st_size > 100


MISTAKES = [
    (("evaluate", "crsarena-dail"), "Did you mean 'crsarena-dial'"),
    (("score", "demo", "--metric", "distnct"), "Did you mean 'distinct'"),
    (("score", "demo", "--metric", "distinct(n=0)"), "at least 1, got 0"),
    (("score", "demo", "--metric", "distinct(n=2"), "is not a metric name"),
    (("score", "demo", "--metric", "distinct@rato"), "Did you mean 'ratio'"),
    (("list", "metrics", "bluu"), "Did you mean 'bleu'"),
    (("list", "datasets", "redail"), "Did you mean 'redial'"),
    (("data", "convert", "demo", "out.x", "--to", "dialogkit"), "dialoguekit"),
    (("evaluate", "demo", "--catalogue", "dmo"), "Did you mean 'demo'"),
    (("report", "nowhere"), "nowhere"),
    (("evaluate", "demo", "--format", "inspird"), "inspired"),
]


@pytest.mark.parametrize(
    ("words", "said"), MISTAKES, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_a_mistake_is_answered_with_what_would_do(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    out = ("--out", str(tmp_path / "run")) if words[0] == "evaluate" else ()
    done = (process if (words, said) == MISTAKES[0] else trialogue)(*words, *out)  # one in a process of its own
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / "run").exists()


FILES = [
    ("empty.jsonl", b"", "empty"),
    ("words.txt", b"just some words\n", "unknown format"),
    ("latin.jsonl", '{"kind":"dialogue","v":1,"id":"é","utterances":[]}\n'.encode("latin1"), "not UTF-8"),
    ("broken.jsonl", b'{"kind":"dialogue","v":1,"id":"a","utterances":[]}\n{"kind"\n{}\n', "line 2"),
    ("fake.jsonl.gz", b"this is no gzip", "the content is not .gz"),
    ("list.json", b"[1, 2, 3]", "unknown format"),
]


@pytest.mark.parametrize(("name", "content", "said"), FILES, ids=[name for name, _, _ in FILES])
def test_a_bad_file_is_named_with_what_is_wrong(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    for words in (("evaluate", "--out", tmp_path / "run"), ("score", "--metric", "length")):
        done = trialogue(words[0], tmp_path / name, *words[1:])
        assert done.returncode == 2, done.stderr
        assert name in done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "run").exists()


def test_a_corpus_that_is_not_here_is_answered_with_the_command_that_gets_it(tmp_path: Path) -> None:
    environment = {"TRIALOGUE_DATA": str(tmp_path), "TRIALOGUE_DATA_MIRROR": ""}
    done = trialogue("evaluate", "crsarena-dial", "--out", tmp_path / "run", **environment)
    assert done.returncode == 2
    assert "trialogue data get crsarena-dial" in done.stderr


def test_metrics_are_listed_and_explained() -> None:
    listing = process("list", "metrics").stdout
    assert "distinct" in listing
    card = trialogue("list", "metrics", "distinct(n=3)@chars").stdout
    assert "@chars" in card
    assert "CRSLab" in card
    cards = json.loads(trialogue("list", "metrics", "--json").stdout)
    assert {"name", "variants", "default"} <= set(cards[0])


def test_corpora_are_listed_with_whether_they_are_here(tmp_path: Path) -> None:
    environment = {"TRIALOGUE_DATA": str(tmp_path), "TRIALOGUE_DATA_MIRROR": ""}
    rows = {
        row["name"]: row["here"] for row in json.loads(trialogue("list", "datasets", "--json", **environment).stdout)
    }
    assert rows["demo"] is True
    assert rows["redial"] is False
    assert "licence" in trialogue("list", "datasets", "redial").stdout


def test_convert_says_what_the_target_cannot_hold(tmp_path: Path) -> None:
    done = process("data", "convert", "demo", tmp_path / "demo.json", "--to", "dialoguekit")
    assert done.returncode == 0, done.stderr
    assert "note:" in done.stderr
    again = trialogue("score", tmp_path / "demo.json", "--metric", "length", "--set", "resamples=200")
    assert again.returncode == 0, again.stderr


def test_an_interrupted_run_leaves_nothing_half_written(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "trialogue", "evaluate", "demo", "--out", str(tmp_path / "run")]
    command += ["--set", "resamples=1000000"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    while "metrics over" not in running.stderr.readline():
        assert running.poll() is None
    time.sleep(0.3)  # into the resampling, which takes many seconds at this size
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "interrupted" in said.splitlines()[-1]
    assert not (tmp_path / "run").exists()


def test_what_a_command_freezes_at_its_end_is_not_counted_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.unfreeze()
    counted, count = list[int](), gc.get_freeze_count
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counted.append(count()))
    assert trialogue("list", "metrics").returncode == 0
    assert counted == [0]
    assert count() == 0  # so that no later call in this process counts what it was that was frozen


def test_the_version_is_reported() -> None:
    assert process("--version").stdout.startswith("trialogue ")


def test_a_file_that_is_read_is_never_written_over(both: Path) -> None:
    before = both.read_bytes()
    for words in (("score", both, "-m", "length", "-o", both), ("data", "convert", both, both)):
        done = trialogue(*words)
        assert done.returncode == 2
        assert "also an input" in done.stderr
    assert both.read_bytes() == before


@pytest.mark.parametrize("out", ["a-file", "a-file/below", "/proc/nope"])
def test_a_folder_that_cannot_be_written_is_refused_before_the_work(both: Path, tmp_path: Path, out: str) -> None:
    (tmp_path / "a-file").write_text("x")
    done = trialogue("evaluate", both, "--out", out if out.startswith("/") else tmp_path / out)
    assert done.returncode == 2
    assert "Choose another" in done.stderr
    assert "reading" not in done.stderr


def test_an_object_that_is_no_metric_is_refused(both: Path) -> None:
    done = trialogue("score", both, "--metric", "os:system")
    assert done.returncode == 2
    assert "is not a metric" in done.stderr


def test_a_metric_of_a_module_in_this_folder_is_found(both: Path, tmp_path: Path) -> None:
    source = Path(__file__).parent.parent / "plugin_package" / "src" / "trialogue_shouting" / "__init__.py"
    (tmp_path / "my_module.py").write_text(source.read_text())
    command = [
        sys.executable,
        "-c",
        "from trialogue.cli import main; main()",
        "score",
        str(both),
        "-m",
        "my_module:Shouting",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "shouting@letters|v1" in done.stdout


def test_score_reads_a_table_by_a_mapping_and_quiet_prints_the_result_alone(tmp_path: Path) -> None:
    (tmp_path / "turns.csv").write_text("session,who,what\na,user,hi\na,bot,hello there\n")
    (tmp_path / "columns.yaml").write_text("dialogue: session\nspeaker: who\ntext: what\n")
    words = ("score", tmp_path / "turns.csv", "-m", "length@words", "--mapping", tmp_path / "columns.yaml", "-q")
    done = trialogue(*words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("turns\tlength@words|v1\t2\t")  # "hello there": two words
    assert done.stderr == ""
