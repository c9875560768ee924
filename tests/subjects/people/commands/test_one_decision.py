"""People's ratings are decided once: a study's report, the evaluation of its export, and data in memory say the same."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.subjects.people.made import participants, rated
from trialogue.findings.standings import League
from trialogue.records import Response, Score, Situation, Utterance, write_records
from trialogue.records.dialogue import Rating
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate
from trialogue.subjects.people.commands.report import study_findings

SECOND = "human:effort"
POINTS = {str(point): "x" for point in range(1, 6)}


def export(folder: Path, *, workers: int, step: float, seed: int, primary: str | None, lower: bool) -> list[Score]:
    """A study's export of two criteria, one of which may be better where it is lower; returns the ratings that count."""
    first, _ = rated(np.random.default_rng(seed), workers=workers, effects=(0, step, 2 * step), situations=6, pool=24)
    second, _ = rated(
        np.random.default_rng(seed + 1), workers=workers, effects=(0, step, 0), situations=6, pool=24, measure=SECOND
    )
    write_records(folder / "scores.jsonl", [*first, *second])
    flagged = (1,)
    lines = [f"{one.participant},{one.state},{';'.join(one.flags)}" for one in participants(workers, flagged=flagged)]
    (folder / "participants.csv").write_text("\n".join(["participant,state,flags", *lines]) + "\n")
    scales = {
        "human:meaningfulness": {"title": "Meaningfulness", "labels": POINTS},
        SECOND: {"title": "Effort", "labels": POINTS, "better": "lower" if lower else "higher"},
    }
    declared = {} if primary is None else {"primary": primary}
    study = {"title": "Study", "study_hash": "ab" * 32, "scales": scales, **declared}
    (folder / "study.json").write_text(json.dumps(study))
    return [score for score in (*first, *second) if score.rater != "P001"]


def in_memory(scores: list[Score], lower: bool) -> list[Situation | Response]:
    """The same ratings on the replies that they are about."""
    situations: dict[str, Situation] = {}
    given: dict[tuple[str, str], list[Rating]] = {}
    for score in scores:
        assert score.situation_id is not None
        assert score.value is not None
        situations[score.situation_id] = Situation(
            id=score.situation_id,
            dialogue_id=score.dialogue_id,
            context=(Utterance(speaker="user", text=f"Which film {score.situation_id}?"),),
        )
        rating = Rating(
            name=str(score.measure.question),
            value=score.value,
            low=1,
            high=5,
            rater=score.rater,
            better="lower" if lower and score.measure == SECOND else "higher",
        )
        given.setdefault((score.situation_id, score.system or ""), []).append(rating)
    replies = [
        Response(
            situation_id=at,
            system=system,
            utterance=Utterance(speaker="system", text=f"See film {at}.", ratings=tuple(ratings)),
        )
        for (at, system), ratings in given.items()
    ]
    return [*situations.values(), *replies]


def numbers(league: League) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for each in league.contrasts:
        ends = each.difference.interval
        bounds = (None, None) if ends is None else (ends.low, ends.high)
        values = (each.difference.value, each.difference.p, each.p_adjusted, *bounds)
        found.append((each.a, each.b, each.verdict, *(None if one is None else round(float(one), 9) for one in values)))
    return found


def people_leagues(run: Run) -> dict[str, League]:
    return {str(each.measure.measured.question): each for each in run.findings.leagues if each.measure.by == "people"}


@settings(max_examples=8, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from([5, 9, 14]),
    st.sampled_from([0.0, 0.7]),
    st.integers(0, 99),
    st.sampled_from([None, "human:meaningfulness", SECOND]),
    st.booleans(),
)
def test_the_report_of_a_study_decides_as_every_evaluation_of_its_data(
    tmp_path_factory: pytest.TempPathFactory, workers: int, step: float, seed: int, primary: str | None, lower: bool
) -> None:
    folder = tmp_path_factory.mktemp("export")
    counted = export(folder, workers=workers, step=step, seed=seed, primary=primary, lower=lower)
    report = study_findings(folder, seed=0)
    run = evaluate(str(folder), metrics=["length"])
    decide = None if primary is None else {"measure": f"{primary}@response"}
    memory = evaluate(in_memory(counted, lower), metrics=["length"], decide=decide)
    of_run, of_memory = people_leagues(run), people_leagues(memory)
    assert report.primary == run.findings.primary == memory.findings.primary
    assert report.answer[: len(run.findings.answer)] == tuple(each.text for each in run.findings.answer)
    assert report.answer[0] == memory.findings.answer[0].text
    assert report.threats == run.findings.threats
    assert len(report.ratings) == 2
    for each in report.ratings:
        assert each.league is not None
        own = of_run[each.measure.partition(":")[2]]
        assert numbers(each.league) == numbers(own) == numbers(of_memory[each.measure.partition(":")[2]])
        assert [one.validity for one in each.league.contrasts] == [one.validity for one in own.contrasts]
        assert [one.rank_low for one in each.league.standings] == [one.rank_low for one in own.standings]
        assert each.league.questions == own.questions == (2 if primary is None and workers > 6 else 1)  # 4 are refused


def test_a_criterion_that_is_better_where_it_is_lower_is_so_in_every_command(tmp_path: Path) -> None:
    export(tmp_path, workers=18, step=2.5, seed=1, primary=SECOND, lower=True)
    run = evaluate(str(tmp_path), metrics=["length"])
    league = people_leagues(run)["effort"]
    assert league.measure.better == "lower"
    assert run.findings.primary == league.measure.name
    assert {pair.leader for pair in league.contrasts if "kgsf" in (pair.a, pair.b)} == {"kbrd", "rcrs"}
    assert run.findings.protocol is not None
    assert run.findings.protocol.is_kept
    assert not run.findings.protocol.data_existed
