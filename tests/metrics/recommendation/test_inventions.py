"""The share of titles that the catalogue lacks: from a log, in a simulation, and what it does to verdicts."""

import random
from pathlib import Path
from typing import Any

import pytest

from trialogue.catalogue import Catalogue, Item, TitleLinker
from trialogue.catalogue.presenting.check import TitleCheck
from trialogue.catalogue.presenting.real_items import RealItems
from trialogue.errors import UsageError
from trialogue.findings.threats import Severity, ThreatCode
from trialogue.inputs.knowledge import load_catalogue
from trialogue.metrics.base import Reply, Undefined
from trialogue.metrics.needs.need_met import NeedMet
from trialogue.metrics.needs.need_ranking import OutOfCatalogue
from trialogue.metrics.recommendation.inventions import UnrecognisedTitles
from trialogue.records import Dialogue, Mention, MentionedBy, Need, ReasonCode, Utterance
from trialogue.study.design.file import preset
from trialogue.subjects.agreement.commands.agree import agree
from trialogue.subjects.board.commands.board import board
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate

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


def test_real_titles_and_newer_ones_are_counted_apart_and_change_the_share() -> None:
    linker = TitleLinker(Catalogue.from_items([Item(id="3", title="Heat", year=1995)]))
    real = RealItems((Item(id="1", title="Ronin", year=1998),), "films.txt")
    text = "1. Heat\n2. Ronin\n3. Brindle Harbor (1980)\n4. Vantage Ledger (2020)"
    said = linker.link_utterance(Utterance(speaker="system", text=text))
    shares = {}
    for name, check in (("list", TitleCheck(linker, real=real)), ("none", TitleCheck(linker))):
        reply = Reply(system="a", utterance=check.check_utterance(said))
        shares[name] = {
            variant: UnrecognisedTitles(variant=variant).statistics(reply)
            for variant in ("presented", "outside", "newer")
        }
    assert shares["list"] == {"presented": (1.0, 3.0), "outside": (1.0, 3.0), "newer": (1.0, 4.0)}
    assert (shares["none"]["presented"], shares["none"]["newer"]) == ((2.0, 3.0), (1.0, 4.0))
    missing = shares["none"]["outside"]
    assert isinstance(missing, Undefined)
    assert missing.why.code is ReasonCode.NO_LIST_OF_ITEMS


def test_version_2_leaves_out_what_version_1_counted_as_lacking() -> None:
    metric = UnrecognisedTitles()
    assert metric.measure == "unrecognised_titles@presented|v2"
    linker = TitleLinker(Catalogue.from_items([Item(id="3", title="Heat", year=1995)]))
    said = linker.link_utterance(Utterance(speaker="system", text='Try "Heat" or "Vantage Ledger" (2020).'))
    found = TitleCheck(linker).check_utterance(said)
    assert metric.statistics(Reply(system="a", utterance=found)) == (0.0, 1.0)  # v1: (1, 2)


def test_a_language_in_which_titles_cannot_be_recognised_has_no_share() -> None:
    linker = TitleLinker(Catalogue.from_items([Item(id="3", title="Das Boot", year=1981)]))
    said = linker.link_utterance(
        Utterance(
            speaker="system", text="Ich empfehle dir Das Boot und den Silbergarten, beide sind wirklich spannend."
        )
    )
    found = TitleCheck(linker).check_utterance(said).model_copy(update={"claims": ()})
    undefined = UnrecognisedTitles().statistics(Reply(system="a", utterance=found))
    assert isinstance(undefined, Undefined)
    assert undefined.why.code is ReasonCode.TITLES_NOT_RECOGNISABLE


@pytest.mark.parametrize(
    ("text", "declared", "is_met"),
    [
        ("Try Heat (1995).", True, True),
        ("Try Heat (1995).", False, True),
        ("Try Heat Wave in Brindle (2001).", False, False),  # the linker finds "Heat" in it
        ("Try Brindle Harbor (2001).", True, False),  # the agent says that this is the item wanted
        ('Try "Brindle Harbor".', True, False),
    ],
)
def test_an_invented_item_is_never_a_met_need(text: str, declared: bool, is_met: bool) -> None:
    linker = TitleLinker(Catalogue.from_items([Item(id="3", title="Heat", year=1995)]))
    said = linker.link_utterance(Utterance(speaker="system", text=text))
    if declared:
        title = text.removeprefix("Try ").rstrip(".")
        place = {"start": 4, "end": 4 + len(title)} if "(" in title else {}
        mention = Mention(title=title, item_id="3", by=MentionedBy.DECLARED, **place)
        said = said.model_copy(update={"mentions": (mention,)})
    need = Need(id="n", acceptable=("3",), fits={"3": 1.0}, is_resolved=True)
    asked = Utterance(speaker="user", text="A film, please.", mentions=())
    dialogue = Dialogue(id="d", need=need, utterances=(asked, TitleCheck(linker).check_utterance(said)))
    found = NeedMet().statistics(dialogue)
    assert found == (float(is_met), 1.0)


def test_a_list_is_recorded_and_read_with_a_catalogue_only(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("Brindle Harbor (2001)\n")
    logs = [
        {"system": "a", "messages": [{"role": "user", "content": "A film?"}, {"role": "assistant", "content": text}]}
        for text in ('Try "Brindle Harbor" or "Vantage Ledger".', 'Try "Zelkova Riddle" (2031).') * 4
    ]
    run = evaluate(logs, catalogue="demo", known=tmp_path / "real.txt", resamples=200)
    values = {
        league.measure.measured.variant: league.standings[0].estimate.value
        for league in run.findings.leagues
        if league.measure.measured.metric == "unrecognised_titles"
    }
    assert values == {"presented": 0.5, "outside": 0.5, "newer": pytest.approx(1 / 3)}
    recorded = run.findings.manifest.call["known"]
    assert isinstance(recorded, dict)
    assert (recorded["path"], len(str(recorded["sha256"]))) == ("real.txt", 64)
    for given in ({"known": tmp_path / "real.txt"}, {"catalogue_date": 2020}):
        with pytest.raises(UsageError, match="require a catalogue"):
            evaluate(logs, resamples=200, **given)


def test_the_answer_names_an_inventor_first_and_the_board_has_a_column(tmp_path: Path) -> None:
    run = evaluated({"honest": 0, "inventor": 2})
    assert run.findings.answer[0].text.startswith(
        ("100% of the titles that inventor", "99% of the titles that inventor")
    )
    run.write(tmp_path / "run")
    columns = board(tmp_path / "run").findings.columns
    assert [each.measure.measured.metric for each in columns][-1] == "unrecognised_titles"


def judged(rng: random.Random, *, follow: bool) -> list[dict[str, Any]]:
    """60 dialogues with two titles, 0 to 2 of them invented; a person's answer to the question follows that, or chance."""
    real = [item.title for item in load_catalogue("demo").catalogue.values()]
    logs = []
    for place in range(60):
        invented = place % 3
        named = [f"{rng.choice(FIRST)} {rng.choice(SECOND)}" for _ in range(invented)] + rng.sample(real, 2 - invented)
        messages = [
            {"role": "user", "content": "Can you recommend a film?"},
            {"role": "assistant", "content": 'You could try "{}" or "{}".'.format(*named)},
        ]
        answer = min(5, max(1, 5 - 2 * invented + rng.choice([-1, 0, 1]))) if follow else rng.randint(1, 5)
        logs.append({"system": "ab"[place % 2], "messages": messages, "rating": answer})
    return logs


@pytest.mark.parametrize("follow", [True, False])
def test_agree_tells_whether_the_share_predicts_what_people_think_does_not_exist(follow: bool) -> None:
    run = evaluate(judged(random.Random(5), follow=follow), catalogue="demo", origin="person", resamples=200)
    found = agree(run, resamples=200)
    (row,) = (
        each for each in found.ratings if each.measure == UnrecognisedTitles().measure and each.level == "dialogue"
    )
    agreed = row.get("spearman")
    assert agreed is not None
    interval = agreed.estimate.interval
    assert interval is not None
    assert (interval.low > 0.5) if follow else (interval.low < 0 < interval.high)


def test_a_study_can_ask_the_question() -> None:
    (question,) = preset("invented-items")
    assert (question.name, len(question.scale or ())) == ("invented_items", 5)
