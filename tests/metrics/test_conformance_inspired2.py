"""The same 465 replies of two systems under every definition: the table that made named variants necessary."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from trialogue.datasets.corpora.inspired2_study import read_study
from trialogue.metrics import Conversation, Settings, get_metrics, measure, offline_conversations
from trialogue.records import Response, Situation

RB, CRB = "RB-CRS/INSPIRED2", "CRB-CRS/INSPIRED"

# measure, RB-CRS v2, CRB-CRS v1, decimals of the published or recomputed number
TABLE = (
    ("distinct(n=2)@per_response|v1", 2.768, 4.587, 3),
    ("distinct(n=2)@chars|v1", 1.271, 1.615, 3),
    ("distinct(n=2)@ratio|v1", 0.527, 0.555, 3),
    ("distinct(n=2)@laps|v2", 0.498, 0.528, 3),
    ("distinct(n=4)@per_response|v1", 2.449, 4.677, 3),  # 2.450 in the table: the unrounded value is 2.44946
    ("distinct(n=4)@chars|v1", 6.686, 10.841, 3),
    ("distinct(n=4)@ratio|v1", 0.729, 0.745, 3),
    ("bleu(k=2)@crslab|v1", 0.0098, 0.0089, 4),
    ("bleu(k=2)@mese|v1", 0.0738, 0.1072, 4),  # .0737 in the table: the unrounded value is .07377
    ("bleu(k=4)@crslab|v1", 0.0028, 0.0007, 4),
    ("bleu(k=4)@mese|v1", 0.0327, 0.0429, 4),  # .0326 in the table: the unrounded value is .03266
    ("bleu(k=4)@sacrebleu|v1", 0.0548, 0.0538, 4),
)

Values = Mapping[tuple[str, str], float | None]


@pytest.fixture(scope="module")
def conversations(mirror: Path) -> list[Conversation]:
    pytest.importorskip("openpyxl", reason="the study's workbooks are read with openpyxl")
    records = list(read_study(mirror / "inspired2_study", note=lambda problem: None))
    return offline_conversations(
        [record for record in records if isinstance(record, Situation)],
        [record for record in records if isinstance(record, Response) and record.system in (RB, CRB)],
    )


@pytest.fixture(scope="module")
def values(conversations: list[Conversation]) -> Values:
    names = [measure for measure, *_ in TABLE] + ["rouge_l@f1", "rouge_l@f1_stem"]
    found = measure(conversations, get_metrics(names), settings=Settings(resamples=2, permutations=2))
    return {(score.measure, score.system or ""): score.value for score in found if score.level == "system"}


@pytest.mark.mirror
@pytest.mark.parametrize(("name", "rb", "crb", "decimals"), TABLE)
def test_the_table_of_definitions_comes_out(values: Values, name: str, rb: float, crb: float, decimals: int) -> None:
    assert (values[name, RB], values[name, CRB]) == pytest.approx((rb, crb), abs=0.5 * 10**-decimals)


@pytest.mark.mirror
def test_stemming_moves_rouge(values: Values) -> None:
    assert values["rouge_l@f1|v1", RB] == pytest.approx(0.136, abs=0.0005)
    assert values["rouge_l@f1_stem|v1", RB] == pytest.approx(0.145, abs=0.0005)


@pytest.mark.mirror
def test_the_better_system_by_bleu_depends_on_the_formula(values: Values) -> None:
    ahead = {
        name: (values[name, RB] or 0) > (values[name, CRB] or 0) for name, *_ in TABLE if name.startswith("bleu(k=4)")
    }
    assert ahead == {"bleu(k=4)@crslab|v1": True, "bleu(k=4)@mese|v1": False, "bleu(k=4)@sacrebleu|v1": True}
