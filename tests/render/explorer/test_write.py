"""The explorer's files: what they hold, the same bytes for the same run, and nothing of an earlier run."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from tests.render.explorer.made import HOSTILE, LENGTH, TURNS, part, replies, talk, written
from tests.render.made import two
from trialogue.findings import Findings
from trialogue.findings.threat import Severity, Threat, ThreatCode
from trialogue.records import MeasureName, Score
from trialogue.render.explorer import write
from trialogue.render.explorer.chunks import plain
from trialogue.render.explorer.entries import Part
from trialogue.render.explorer.write import write_explorer
from trialogue.subjects.evaluation.pages.write import write_report


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_rows_are_the_dialogues_in_their_order(tmp_path: Path) -> None:
    index = written(tmp_path, part())["index"]
    rows = index["rows"]
    assert rows["id"] == ["rich", "second", "third", "fourth", "rich"]
    assert [index["systems"][code][0] for code in rows["system"]] == ["A", "A", "A", "B", "B"]
    assert rows["length"] == [2, 4, 2, 2, 2]
    assert rows["shared"] == [0, -1, -1, 0, -1]  # the need that A and B met
    assert [index["endings"][code] if code >= 0 else None for code in rows["ending"]] == [
        ["agent_error", "agent"],
        ["user_ended", ""],
        None,
        None,
        None,
    ]


def test_baselines_are_marked_unless_they_are_evaluated_themselves(tmp_path: Path) -> None:
    findings = two()
    first = findings.leagues[0]
    baselines = tuple(
        first.standings[0].model_copy(update={"system": name}) for name in ("B", findings.systems[0].system)
    )
    with_baselines = first.model_copy(update={"baselines": baselines})
    findings = findings.model_copy(update={"leagues": (with_baselines, *findings.leagues[1:])})
    evaluated = replace(part(), dialogues=[*part().dialogues, talk("more", findings.systems[0].system, ["hello"])])
    systems = written(tmp_path, evaluated, findings=findings)["index"]["systems"]
    assert {name: is_baseline for name, _, is_baseline in systems} == {
        "A": False,
        "B": True,
        findings.systems[0].system: False,
    }


def test_a_column_holds_means_of_answers_values_and_means_of_replies(tmp_path: Path) -> None:
    data = written(tmp_path, part())
    columns = {each["name"]: data[f"measure-{at}"] for at, each in enumerate(data["index"]["measures"])}
    assert columns["human:satisfaction"] == [2.5, None, None, 2.0, None]  # (4 + 1) / 2
    assert columns[TURNS] == [2.0, 4.0, None, None, None]
    assert columns[LENGTH] == [3.0, 6.5, None, None, None]  # (5 + 8) / 2
    known = {each["name"]: (each["rows"], each["low"], each["high"]) for each in data["index"]["measures"]}
    assert known[TURNS] == (2, 2.0, 4.0)


def test_measures_of_the_report_come_first_with_its_titles(tmp_path: Path) -> None:
    findings = two()
    name = findings.leagues[-1].measure.name
    extra = Score(measure=MeasureName(name), level="dialogue", value=1.0, system="A", dialogue_id="third")
    measures = written(tmp_path, replace(part(), scores=[*part().scores, extra]), findings=findings)["index"][
        "measures"
    ]
    assert name in [each["name"] for each in measures[:2]]
    by_name = {each["name"]: each for each in measures}
    assert by_name[name]["unit"] == findings.leagues[-1].measure.unit
    assert by_name[TURNS]["label"] == "turns"


def test_facets_name_the_rows_that_have_something(tmp_path: Path) -> None:
    data = written(tmp_path, part())
    assert data["index"]["facets"]["strategy"] == [[["offer_help"], 1]]
    assert data["index"]["facets"]["act"] == [[["user", "Disclose"], 1]]
    assert data["index"]["facets"]["rater"] == [[["p9"], 2], [["u1"], 2], [["u2"], 1]]
    assert data["facet-rater"] == [[0, 3], [0, 3], [0]]  # steps from row to row


def test_texts_are_whole_and_previews_are_short(tmp_path: Path) -> None:
    long = talk("long", "A", ["hi", "hello", "x" * 300 + " y z w", "ok"])
    data = written(tmp_path, part(), Part(scores=(), name="other", dialogues=[long]))
    assert data["text-0"][2] == [plain(HOSTILE), plain(HOSTILE)]
    assert data["text-0"][5][2] == "x" * 300 + " y z w"
    assert data["previews-0"][1] == "more, please, of that kind"  # "hello" says nothing
    assert data["previews-0"][5] == "x" * 90 + "…"


def test_a_reply_is_a_row_with_its_situation(tmp_path: Path) -> None:
    data = written(tmp_path, replies())
    rows = data["index"]["rows"]
    assert (rows["id"], rows["shared"]) == (["s1", "s1"], [0, 0])
    assert data["index"]["replies"] == 2
    assert data["text-0"] == [["hi there, I would like a film", "Ronin?"], ["hi there, I would like a film", ""]]
    assert data["measure-0"] == [1.0, None]
    detail = data["detail-0"]["rows"][0]
    assert (detail["own"], detail["e"]) == (1, "See Heat.")
    assert [each[0] for each in data["index"]["endings"]] == ["agent_timeout"]


def test_parts_keep_their_columns_apart(tmp_path: Path) -> None:
    simulated = replace(part(), name="cir6", users="cir6")
    index = written(tmp_path, replace(part(), name="people"), simulated)["index"]
    assert index["parts"] == [["people", None], ["cir6", "cir6"]]
    assert {"turns|v1", "cir6: turns|v1"} <= {each["name"] for each in index["measures"]}
    assert index["rows"]["shared"][:4] == [0, -1, -1, 0]
    assert index["rows"]["shared"][5] == 0  # equal needs are one, no matter in which part


def test_chunks_are_cut_where_they_are_full_and_rows_stay_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "TEXT_CHUNK", 40)
    monkeypatch.setattr(write, "DETAIL_CHUNK", 2)
    talks = [talk(f"d{at}", "A", ["x" * 15, f"reply {at}"]) for at in range(5)]
    data = written(tmp_path, Part(scores=(), dialogues=talks))
    chunks = data["index"]["chunks"]
    assert chunks["preview"] == write.PREVIEW_CHUNK
    assert (chunks["text"], chunks["detail"]) == ([0, 2, 4], [0, 2, 4])  # 22 characters a row: two fill a chunk of 40
    assert [row[1] for at in range(3) for row in data[f"text-{at}"]] == [f"reply {at}" for at in range(5)]
    assert [len(data[f"detail-{at}"]["rows"]) for at in range(3)] == [2, 2, 1]


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        write_explorer(two(), [part(), replies()], tmp_path / name)
    assert digests(tmp_path / "a") == digests(tmp_path / "b")


def test_nothing_of_an_earlier_explorer_stays(tmp_path: Path) -> None:
    write_report(two(), tmp_path / "a", explored=[part()])
    write_report(two(), tmp_path / "a", explored=[replies()])
    write_report(two(), tmp_path / "b", explored=[replies()])
    assert digests(tmp_path / "a") == digests(tmp_path / "b")


def test_without_rows_there_is_no_explorer(tmp_path: Path) -> None:
    assert write_explorer(two(), [Part(scores=())], tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_report_links_to_the_explorer_beside_it_and_only_then(tmp_path: Path) -> None:
    findings = two()
    system = findings.systems[0].system
    page = write_report(findings, tmp_path, explored=[part()])
    text = page.read_text(encoding="utf-8")
    assert f'href="explorer.html#system={system}"' in text
    assert f"explorer.html#system={system}&amp;measure=" in text
    assert write_report(findings, tmp_path).read_text(encoding="utf-8") == text  # drawn again
    assert "explorer.html" not in write_report(findings, tmp_path, explored=()).read_text(encoding="utf-8")
    assert not (tmp_path / "explorer.html").exists()


def with_threats(*threats: Threat) -> Findings:
    return two().model_copy(update={"threats": threats})


def test_threats_are_conditions_on_rows(tmp_path: Path) -> None:
    facts = {"failed": 1, "missing": 0, "dialogues": 3}
    failing = Threat(code=ThreatCode.FAILURES, severity=Severity.NOTES, systems=("A",), facts=facts)
    again = failing.model_copy(update={"severity": Severity.DEMOTES, "measure": "turns|v1"})
    everything = Threat(code=ThreatCode.NO_HUMAN_JUDGEMENT, severity=Severity.NOTES)
    threats = written(tmp_path, part(), findings=with_threats(failing, again, everything))["index"]["threats"]
    assert [(each["key"], each["systems"], each["faults"]) for each in threats] == [
        (["failures", "", "A"], ["A"], ["agent"])
    ]


def test_the_explorer_loads_only_what_lies_beside_it(tmp_path: Path) -> None:
    write_explorer(two(), [part()], tmp_path)
    page = (tmp_path / "explorer.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert "unsafe" not in page
    for path in [tmp_path / "explorer.html", *(tmp_path / "explorer" / "app").iterdir()]:
        text = path.read_text(encoding="utf-8")
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in text
        for sink in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "fetch(",
        ):
            assert sink not in text, (path.name, sink)


def test_previews_are_cut_into_chunks_of_equal_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "PREVIEW_CHUNK", 2)
    talks = [talk(f"d{at}", "A", [f"the message number {at}"]) for at in range(5)]
    data = written(tmp_path, Part(scores=(), dialogues=talks))
    sizes = [len(data[name]) for name in sorted(data) if name[:4] == "prev"]
    assert (data["index"]["chunks"]["preview"], sizes) == (2, [2, 2, 1])
    assert data["previews-1"][0] == "the message number 2"
