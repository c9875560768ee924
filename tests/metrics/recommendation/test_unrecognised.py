"""The share of titles that the catalogue lacks: from a log, in a simulation, and what it does to verdicts."""

import random
from typing import Any

import pytest

from trialogue.catalogue import Catalogue, Item, TitleLinker
from trialogue.catalogue.presenting.check import TitleCheck
from trialogue.findings.threats import Severity, ThreatCode
from trialogue.metrics.base import Reply, Undefined
from trialogue.metrics.needs.need_ranking import OutOfCatalogue
from trialogue.metrics.recommendation.unrecognised import UnrecognisedTitles
from trialogue.records import Dialogue, Need, ReasonCode, Utterance
from trialogue.workflows.evaluation import Run, evaluate
from trialogue.workflows.inputs.knowledge import load_catalogue

FIRST, SECOND = (
    ("Zelkova", "Quarrel", "Brindle", "Vantage", "Ossuary"),
    ("Harbor", "Lantern", "Ledger", "Sparrow", "Riddle"),
)


def statistics(text: str, *, is_checked: bool = True) -> Any:
    linker = TitleLinker(Catalogue.from_items([Item(id="3", title="Heat", year=1995)]))
    said = linker.link_utterance(Utterance(speaker="system", text=text))
    said = TitleCheck(linker).check_utterance(said) if is_checked else said
    return UnrecognisedTitles().statistics(Reply(system="a", utterance=said))


def test_the_share_is_of_all_titles_and_undefined_where_there_is_none_or_nobody_looked() -> None:
    assert statistics("1. Heat\n2. Brindle Harbor\n3. Vantage Ledger") == (2.0, 3.0)
    assert statistics("I recommend Heat.") == (0.0, 1.0)
    for found, code in (
        (statistics("What do you like?"), ReasonCode.NO_TITLE_PRESENTED),
        (statistics("I recommend Heat.", is_checked=False), ReasonCode.ITEMS_NOT_LINKED),
    ):
        assert isinstance(found, Undefined)
        assert found.why.code is code


def evaluated(shares: dict[str, int]) -> Run:
    """Systems of 30 dialogues with two replies that name two titles each, so many of which are invented."""
    rng = random.Random(3)
    real = [item.title for item in load_catalogue("demo").catalogue.values()]
    logs = []
    for system, invented in shares.items():
        for _ in range(30):
            messages = [{"role": "user", "content": "Can you recommend a film?"}]
            for _ in range(2):
                made = [f"{rng.choice(FIRST)} {rng.choice(SECOND)}" for _ in range(invented)]
                named = [*made, *rng.sample(real, 2 - invented)]
                messages += [
                    {"role": "assistant", "content": 'You could try "{}" or "{}".'.format(*named)},
                    {"role": "user", "content": "Another one, please."},
                ]
            logs.append({"system": system, "messages": messages})
    return evaluate(logs, catalogue="demo", resamples=200)


def test_an_inventor_is_found_and_loses_its_verdicts() -> None:
    run = evaluated({"honest": 0, "half": 1, "inventor": 2})
    shares = {each.system: each.estimate.value for each in run.league("unrecognised_titles").standings}
    assert shares == {"honest": 0.0, "half": pytest.approx(0.5, abs=0.02), "inventor": pytest.approx(1.0, abs=0.02)}
    found = {
        each.systems: each.severity for each in run.findings.threats if each.code is ThreatCode.UNRECOGNISED_TITLES
    }
    assert found == {("half",): Severity.DEMOTES, ("inventor",): Severity.BLOCKS}


def test_without_a_catalogue_nothing_is_said() -> None:
    logs = [{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "Try Brindle Harbor."}]}]
    run = evaluate(logs * 3, resamples=200)
    assert all(league.measure.measured.metric != "unrecognised_titles" for league in run.findings.leagues)


def test_users_of_a_catalogue_count_titles_in_texts_as_outside_of_it() -> None:
    linker = TitleLinker(Catalogue.from_items([Item(id="3", title="Heat", year=1995)]))
    said = linker.link_utterance(Utterance(speaker="system", text="Try Heat (1995) or Brindle Harbor (2001)."))
    need = Need(id="n", acceptable=("3",), fits={"3": 1.0}, is_resolved=True)
    dialogue = Dialogue(id="d", need=need, utterances=(TitleCheck(linker).check_utterance(said),))
    metric = OutOfCatalogue()
    assert metric.measure == "out_of_catalogue@declared|v2"
    assert metric.statistics(dialogue) == (1.0, 2.0)


def test_contradicted_facts_are_counted_over_those_that_the_catalogue_can_judge() -> None:
    rows = list(load_catalogue("demo").catalogue.values())
    film, other = rows[0], next(row for row in rows if row.attributes["director"] != rows[0].attributes["director"])
    talks = [
        {"role": "user", "content": "Can you recommend a film?"},
        {
            "role": "assistant",
            "content": f'Try "{film.title}" ({film.year}), directed by {film.attributes["director"][0]}.',
        },
        {"role": "user", "content": "Another one?"},
        {"role": "assistant", "content": f'Try "{film.title}", directed by {other.attributes["director"][0]}.'},
    ]
    run = evaluate([{"system": "a", "messages": talks}] * 4, catalogue="demo", resamples=200)
    (standing,) = run.league("contradicted_facts").standings
    assert standing.estimate.value == pytest.approx(1 / 3)
