"""Files of a report, and back."""

import csv
import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.records.runs.made import reseal
from tests.render.made import hostile, nine, one, two, undefined
from trialogue.errors import DataError
from trialogue.findings import Contrast, Findings, Standing
from trialogue.findings.threats import Validity
from trialogue.records import Estimate
from trialogue.records.runs import open_run
from trialogue.render.media.files import csv_files
from trialogue.subjects.evaluation.pages.document import evaluation_document
from trialogue.subjects.evaluation.pages.summary import summary_json
from trialogue.subjects.evaluation.pages.write import read_findings, write_report


def summary_csv(findings: Findings) -> str:
    return csv_files(evaluation_document(findings))["summary.csv"]


def pairs_csv(findings: Findings) -> str:
    return csv_files(evaluation_document(findings))["pairs.csv"]


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_all_files_are_there_and_the_page_is_returned(tmp_path: Path) -> None:
    page = write_report(two(), tmp_path / "run", formats=("png", "pdf"))
    assert page == tmp_path / "run" / "report.html"
    found = set(digests(tmp_path / "run"))
    assert {"report.html", "findings.json", "summary.csv", "summary.json", "pairs.csv"} <= found
    assert {"league.tex", "league.md", "figures/captions.md"} <= found
    assert {f"figures/differences.{suffix}" for suffix in ("svg", "png", "pdf")} <= found
    write_report(two(), tmp_path / "run")  # those of before would be taken for its own
    assert {path.suffix for path in (tmp_path / "run" / "figures").iterdir()} == {".svg", ".md"}
    assert "figures/differences.png" not in open_run(tmp_path / "run")


def test_findings_come_back_as_they_were_and_draw_the_same_bytes(tmp_path: Path) -> None:
    for make in (two, hostile):
        first, second = tmp_path / make.__name__ / "a", tmp_path / make.__name__ / "b"
        write_report(make(), first)
        again = read_findings(first)
        assert again == make()
        write_report(again, second)
        assert digests(first) == digests(second)


def test_figures_of_an_earlier_report_go_and_other_files_stay(tmp_path: Path) -> None:
    write_report(two(), tmp_path)
    mine = tmp_path / "figures" / "my_own_drawing.svg"
    mine.write_text("<svg/>")
    write_report(one(), tmp_path)
    assert mine.exists()
    assert not list((tmp_path / "figures").glob("differences.*"))


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("{", "not valid JSON"),
        ("[]", "no field 'kind'"),
        ('{"kind": "score"}', "expected: findings"),
        ('{"kind": "findings", "title": 3}', "title"),
        ('{"kind": "findings", "v": 99}', "upgrade"),
    ],
)
def test_damaged_findings_are_refused_with_what_to_do(tmp_path: Path, content: str, part: str) -> None:
    (tmp_path / "findings.json").write_text(content)
    reseal(tmp_path)
    with pytest.raises(DataError) as caught:
        read_findings(tmp_path)
    assert part in str(caught.value)
    assert "trialogue evaluate" in str(caught.value)


def test_a_folder_without_findings_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"there is no manifest.json: .*trialogue evaluate"):
        read_findings(tmp_path)


def test_the_summary_has_a_row_for_each_system_and_measure() -> None:
    rows = list(csv.DictReader(io.StringIO(summary_csv(nine()))))
    assert len(rows) == 81  # 9 systems x (1 question + votes + 7 metrics)
    first = rows[0]
    assert (first["measure"], first["system"], first["letters"]) == ("human:satisfaction", "chatgpt_opendialkg", "a")
    assert float(first["value"]) == 23 / 44  # 52.3% of 44 dialogues


def test_an_undefined_value_is_empty_in_csv_and_null_in_json_with_its_reason() -> None:
    rows = list(csv.DictReader(io.StringIO(summary_csv(undefined()))))
    empty = next(row for row in rows if row["system"] == "empty")
    assert (empty["value"], empty["why"]) == ("", "no dialogue of this system mentions an item")
    content = json.loads(summary_json(undefined()))
    assert next(row for row in content["standings"] if row["system"] == "empty")["value"] is None


def test_the_summary_says_of_each_system_what_the_threats_leave_of_its_verdicts() -> None:
    def pair(a: str, b: str, validity: Validity, verdict: str) -> Contrast:
        return Contrast(a=a, b=b, difference=Estimate(value=0.1, n=9), verdict=verdict, validity=validity)

    found = two()
    one = found.leagues[0]
    names = ("broken", "lucky", "sound")
    one = one.model_copy(
        update={
            "standings": tuple(Standing(system=name, estimate=Estimate(value=0.5, n=9)) for name in names),
            "contrasts": (
                pair("broken", "lucky", Validity.BLOCKED, "undefined"),
                pair("broken", "sound", Validity.BLOCKED, "undefined"),
                pair("lucky", "sound", Validity.CONDITIONAL, "a"),  # conditional is what favours lucky
            ),
            "baselines": (),
            "above_baseline": (),
        }
    )
    rows = csv.DictReader(io.StringIO(summary_csv(found.model_copy(update={"leagues": (one,), "votes": None}))))
    assert {row["system"]: row["validity"] for row in rows} == {
        "broken": "blocked",
        "lucky": "conditional",
        "sound": "firm",
    }


def test_pairs_have_a_row_each() -> None:
    rows = list(csv.DictReader(io.StringIO(pairs_csv(two()))))
    assert len(rows) == 8  # one pair on each of 8 measures
    assert rows[0]["verdict"] == "b"


def test_a_spreadsheet_finds_no_formula_and_json_has_the_name_as_it_is() -> None:
    rows = list(csv.DictReader(io.StringIO(summary_csv(hostile()))))
    assert not [row["system"] for row in rows if row["system"].startswith("=")]
    content = json.loads(summary_json(hostile()))
    assert any(row["system"].startswith("=HYPERLINK") for row in content["standings"])


def test_importing_the_report_loads_no_drawing_and_no_template_library() -> None:
    code = "import sys, trialogue.render; print([n for n in ('matplotlib', 'jinja2', 'rich', 'scipy') if n in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert found.strip() == "[]"
