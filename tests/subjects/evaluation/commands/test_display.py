"""Results show themselves: short in a terminal, as tables in notebooks and papers, as figures of matplotlib's."""

import io
from typing import Any

import polars
import pytest
from matplotlib.figure import Figure

import trialogue
from trialogue import Run, UnknownNameError, UsageError

SHORT = 500


@pytest.fixture(scope="module")
def run() -> Run:
    return trialogue.evaluate("demo", resamples=100)


@pytest.fixture(scope="module")
def two() -> Run:
    replies = {"A<b>": ["Have you seen Heat?", "Try Alien."] * 10, "B & C_|": ["What do you like?", "Hm, no."] * 10}
    return trialogue.evaluate(replies, references=["Have you seen Heat?", "Try Alien now."] * 10, resamples=100)


def test_everything_that_is_large_has_a_short_repr(run: Run) -> None:
    compared = trialogue.compare(run, run, systems=["chip", "aria"], resamples=100)
    agreement = trialogue.agree(run, resamples=100)
    dialogue = next(iter(trialogue.read("demo")))
    large: list[Any] = [run, run.findings, *run.findings.leagues, compared, compared.comparison, agreement, dialogue]
    assert [repr(each) for each in large if len(repr(each)) >= SHORT or len(str(each)) >= SHORT] == []
    assert repr(run).startswith("<Run 'Evaluation of demo': 3 systems, 16 measures. Conditional: On Satisfaction")
    assert repr(dialogue).startswith("Dialogue(id='aria-01', utterances=<8 items>, system='aria'")


def test_a_repr_holds_what_is_not_at_its_default() -> None:
    assert repr(trialogue.Utterance(speaker="user", text="hi")) == "Utterance(speaker='user', text='hi')"
    long = trialogue.Utterance(speaker="user", text="x" * 100)
    assert repr(long) == f"Utterance(speaker='user', text='{'x' * 59}'…)"


def test_records_have_the_rows_of_the_summary(run: Run) -> None:
    rows = run.table("records")
    (aria,) = [row for row in rows if row["system"] == "aria" and row["measure"] == "human:satisfaction"]
    standing = run.league("human:satisfaction").standings[0]
    assert (aria["value"], aria["rank_low"], aria["role"]) == (standing.estimate.value, 1, "system")
    pairs = run.table("records", of="pairs")
    assert {(row["a"], row["b"]) for row in pairs if row["measure"] == "human:satisfaction"} == {
        ("aria", "bolt"),
        ("aria", "chip"),
        ("bolt", "chip"),
    }


def test_a_frame_is_made_by_pandas_where_it_is_installed(run: Run) -> None:
    pandas = pytest.importorskip("pandas")
    frame = run.table()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == len(run.table("records"))


def test_a_frame_is_made_by_polars_where_pandas_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialogue.render.exports.find_spec", lambda name: name == "polars" or None)
    rows = run.table("records")
    frame = run.table()
    assert isinstance(frame, polars.DataFrame)
    assert frame.to_dicts() == [dict(row) for row in rows]  # missing values are None in both


def test_records_are_given_where_no_library_of_frames_is_installed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialogue.render.exports.find_spec", lambda name: None)
    assert run.table() == run.table("records")


def test_latex_is_booktabs_with_names_escaped_and_the_answer_above(two: Run) -> None:
    text = two.table("latex")
    assert text == two.to_latex()
    assert text.startswith("% ")
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == text.count(r"\toprule") > 0
    assert r"B \& C\_\textbar{}" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert all(line.replace(r"\&", "").count("&") == rows[0].replace(r"\&", "").count("&") for line in rows)
    assert r"\midrule" in two.table("latex", of="pairs")


def test_markdown_escapes_bars_and_html_escapes_names(two: Run) -> None:
    assert "| B &amp; C_\\| |" in two.to_markdown()
    assert "A&lt;b&gt;" in two._repr_html_()
    assert "<b>" not in two._repr_html_()
    assert str(two.findings.answer[0].text)[:40].replace("<", "&lt;") in two.to_markdown()


def test_no_two_columns_of_a_table_share_a_heading(run: Run) -> None:
    lines = run.to_markdown().splitlines()
    heads = [cell for line in lines if line.startswith("| System") for cell in line.split(" | ")[1:]]
    assert len(set(heads)) == len(heads) == 17


def test_a_figure_is_one_of_matplotlibs_in_any_resolution(run: Run) -> None:
    for kind in ("forest", "pairs", "spread", "votes"):
        assert isinstance(run.figure(kind), Figure)
    named = run.figure("forest", "distinct(n=2)@per_response")
    for format_ in ("pdf", "svg", "png"):
        stream = io.BytesIO()
        named.savefig(stream, format=format_, dpi=50)
        assert stream.tell() > 1_000


def test_a_figure_keeps_its_proportions_in_another_resolution(run: Run) -> None:
    import numpy as np
    from matplotlib.image import imread

    def inked(dpi: int) -> Any:
        stream = io.BytesIO()
        run.figure("forest").savefig(stream, format="png", dpi=dpi)
        stream.seek(0)
        dark = (imread(stream)[..., :3] < 0.9).any(axis=2)
        ys, xs = np.nonzero(dark)
        return np.array([xs.max() / dark.shape[1], ys.max() / dark.shape[0]])

    assert inked(72) == pytest.approx(inked(216), abs=0.02)


def test_what_cannot_be_drawn_or_made_is_refused(run: Run) -> None:
    with pytest.raises(UnknownNameError, match="no figure 'pie'"):
        run.figure("pie")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="no measure 'bluu'"):
        run.figure("forest", "bluu")
    with pytest.raises(UsageError, match="nothing to draw in a figure 'differences' of 3 systems"):
        run.figure("differences")
    with pytest.raises(UsageError, match="a table is 'frame', 'records'"):
        run.table("xlsx")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a table is of 'systems' or of 'pairs'"):
        run.table(of="people")  # type: ignore[arg-type]


def test_two_systems_have_a_figure_of_their_differences(two: Run) -> None:
    assert isinstance(two.figure("differences"), Figure)


def test_scores_show_themselves_as_a_table() -> None:
    scores = trialogue.score({"A": ["a b c d"], "B": ["a b a b"]}, metric="distinct(n=2)")
    assert repr(scores).startswith("<3 scores: A distinct(n=2)@ratio|v1 1, B distinct(n=2)@ratio|v1 0.6667")
    assert [row["value"] for row in scores.table("records")][:2] == [1.0, pytest.approx(2 / 3)]
    assert "0.6667" in scores.to_markdown()
    assert scores._repr_html_().count("<tr>") == 4


def test_agreement_shows_itself_too(run: Run) -> None:
    found = trialogue.agree(run, resamples=100)
    rows = found.table("records")
    assert {row["kind"] for row in rows} >= {"rating", "preference"}
    assert "<table>" in found._repr_html_()
    assert isinstance(found.figure(), Figure)
    assert "| kind |" in found.to_markdown()
    with pytest.raises(UsageError, match="no figure 99"):
        found.figure(99)
