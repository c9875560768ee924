"""How users go on as the paper, its released code and Trialogue have it: each ingredient, and whole models."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.simulation.made import dialogue, film_ratings, films, rng
from trialogue.errors import UnknownNameError, UsageError
from trialogue.records import Dialogue
from trialogue.records.kinds.acts import CIR6, CIR6_STATES
from trialogue.simulation import Users, converse, load_users
from trialogue.simulation.actions import QRFA_PAPER, QRFA_RELEASED
from trialogue.simulation.bundled import bundled_dialogues, bundled_users
from trialogue.simulation.kdd2020 import ReplayAgent
from trialogue.simulation.language.wordings import hand_written_phrases, template_phrases
from trialogue.simulation.users.course import Course, Group, class_transitions, group_counts, two_step
from trialogue.simulation.users.interaction import END, InteractionModel, class_bigrams, fit_interaction, labels_of
from trialogue.simulation.users.options import METHODS, SOURCES, UserOptions
from trialogue.simulation.users.population import UserModel

STEMS = {"A": "1219_andchill", "B": "1225_mb", "C": "1224_ms"}
FEW = fit_interaction(
    [
        dialogue("u:Non-disclose", "a:Elicit", "u:Disclose", "a:List", "u:Note-yes", "a:Elicit-review", "u:Similar"),
        dialogue("u:Non-disclose", "a:Fail", "u:Interrupt", "a:Elicit", "u:Revise", "a:List", "u:Complete", "a:End"),
    ]
)


def test_entries_are_labels_classes_or_actions() -> None:
    def drawn(**options: str) -> set[tuple[str, ...]]:
        course = Course(FEW, QRFA_PAPER, agenda="corpus", **options)  # type: ignore[arg-type]
        return {course.draw(rng(seed)) for seed in range(30)}

    assert drawn(level="label") == {
        ("Non-disclose", "Disclose", "Note-yes", "Similar"),
        ("Non-disclose", "Interrupt", "Revise", "Complete"),
    }
    assert drawn(level="class") == {
        ("Non-disclose", "Query", "Feedback", "Query"),
        ("Non-disclose", "Query", "Query", "Feedback"),
    }
    assert drawn(level="action") == {
        ("Non-disclose", "Disclose", "Note", "Inquire"),
        ("Non-disclose", "Reveal", "Complete"),  # mixed initiative is no action of CIR6
    }


def test_the_act_of_an_entry_is_drawn_as_often_as_people_said_it() -> None:
    course = Course(FEW, QRFA_PAPER, agenda="corpus", level="class")
    source = rng(1)
    drawn = Counter(course.act(Group("Query"), source) for _ in range(6000))
    # Non-disclose 2, Disclose, Similar, Interrupt, Revise 1 each: 6 queries of Table 2
    assert {label: round(6 * count / 6000, 1) for label, count in drawn.items()} == pytest.approx(
        {"Non-disclose": 2, "Disclose": 1, "Similar": 1, "Interrupt": 1, "Revise": 1}, abs=0.11
    )
    assert course.act("Note", source) == "Note"  # a label stays what it is, though an action has the same name


@given(seed=st.integers(0, 2**32), start=st.sampled_from(sorted(label for label in CIR6 if CIR6[label] != "MI")))
def test_actions_follow_each_other_only_where_they_did_in_the_dialogues(seed: int, start: str) -> None:
    model = fit_interaction(bundled_dialogues())
    course = Course(model, QRFA_PAPER, agenda="chain", level="action", replacement="chain")
    states = [[CIR6[label] for speaker, label in labels_of(each) if speaker == "user"] for each in bundled_dialogues()]
    edges = {edge for said in states for edge in pairwise([*(state for state in said if state != "MI"), END])}
    agenda = course.draw(rng(seed))
    walked = ["Disclose", *agenda[1:], END]
    assert set(pairwise(walked)) <= edges
    assert set(agenda[1:]) <= set(CIR6_STATES)
    if any(first == CIR6[start] and last != END for first, last in edges):
        assert (CIR6[start], CIR6[course.replace(start, "Fail", rng(seed))]) in edges


def test_edges_of_ones_own_forbid_all_others() -> None:
    edges = (("Disclose", "Note"), ("Note", END))
    course = Course(fit_interaction(bundled_dialogues()), QRFA_PAPER, agenda="chain", level="action", edges=edges)
    assert {course.draw(rng(seed)) for seed in range(50)} == {("Non-disclose", "Note")}
    with pytest.raises(UsageError, match="'Talk', '<end>'"):
        UserOptions().change({"edges": [["Disclose", "Talk"], [END, "Note"]]})


def test_a_class_is_drawn_given_the_agents_class_and_then_a_label_of_it() -> None:
    # after requests (Elicit, Elicit-review): Disclose, Similar, Revise, all queries, though no query but Similar followed
    # Elicit-review; after answers (List, Fail): Note-yes and Complete (feedback), Interrupt (query): 2 of 3 feedback
    course = Course(FEW, QRFA_PAPER, replacement="class")
    source = rng(3)
    after_request = Counter(course.replace("Note", "Elicit-review", source) for _ in range(3000))
    assert set(after_request) == {"Non-disclose", "Disclose", "Similar", "Interrupt", "Revise"}
    after_answer = Counter(course.replace("Note", "Show", source) for _ in range(3000))
    feedback = after_answer["Note-yes"] + after_answer["Complete"]
    assert feedback / 3000 == pytest.approx(2 / 3, abs=0.03)


def test_the_agent_has_no_say_in_the_replacement_by_the_chain() -> None:
    model = fit_interaction(bundled_dialogues())
    course = Course(model, QRFA_PAPER, agenda="chain", level="action", replacement="chain")
    by_label = [
        [course.replace("Disclose", heard, rng(seed)) for seed in range(40)] for heard in ("Fail", "List", None)
    ]
    assert by_label[0] == by_label[1] == by_label[2]


def test_two_steps_are_sums_over_the_agents_classes() -> None:
    # Query is followed by Request 2 (Non-disclose, Interrupt) and Answer 3 (Disclose, Non-disclose, Revise);
    # Request by Query 3; Answer by Feedback 2, Query 1: P(Q | Q) = 2/5 * 1 + 3/5 * 1/3 = 3/5
    assert class_transitions(FEW.with_qrfa(QRFA_PAPER), QRFA_PAPER)["Query"] == {"Request": 2, "Answer": 3, END: 1}
    assert two_step(FEW.with_qrfa(QRFA_PAPER), QRFA_PAPER)["Query"] == pytest.approx({"Query": 0.6, "Feedback": 0.4})


def test_models_without_their_dialogues_say_what_to_do() -> None:
    old = InteractionModel.from_json({**FEW.to_json(), "sequences": []})
    for options in ({"agenda": "corpus"}, {"level": "class"}, {"qrfa": "paper"}):
        with pytest.raises(UsageError, match=r"Fit them again \(trialogue users fit\)"):
            UserOptions().change(options).course(old)
    data = FEW.to_json()
    assert InteractionModel.from_json(data) == FEW
    del data["sequences"]
    assert InteractionModel.from_json(data) == old  # a file of an earlier version


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("method", METHODS)
def test_one_switch_selects_the_whole_model_and_each_ingredient_can_be_changed(source: str, method: str) -> None:
    users = load_users(method, **{"as": source, "stop": "released"})
    assert users.options.preferences == METHODS[method].preferences
    assert users.options.is_qrfa == METHODS[method].is_qrfa
    assert users.options.stop == "released"
    assert UserOptions().change(users.options.to_json()) == users.options
    assert (
        users.options.as_in("paper" if source == "code" else "code").as_in(source).change({"stop": "released"})
        == users.options
    )  # nothing of one is left in the other


def test_an_unknown_source_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="paper"):
        load_users("cir6-pkg", **{"as": "book"})


def simulated(method: str, **options: str) -> list[list[str]]:
    """Texts of users of each dialogue with a replay."""
    replay = ReplayAgent(bundled_dialogues("guided"), name="x")
    users = Users(bundled_users(method, "guided").with_options(**options), films(), film_ratings())
    talks = [converse(replay, users.new(str(number), seed=1), str(number), seed=number) for number in range(60)]
    return [[said.text for said in talk.utterances if said.speaker == "user"] for talk in talks]


def test_typos_occur_in_the_papers_users_and_in_no_others() -> None:
    slips = {
        phrase.text
        for label, phrases in template_phrases().phrases.items()
        for phrase in phrases
        if phrase not in hand_written_phrases()[label]
    }
    assert len(slips) >= 10
    plain = {text for text in slips if "{" not in text}
    said = [text for texts in simulated("cir6-single", **{"as": "paper"}) for text in texts]
    assert 0.01 < sum(text in plain for text in said) / len(said) < 0.25
    assert not plain & {text for texts in simulated("cir6-single") for text in texts}


def test_templates_are_repeated_as_often_as_chance_has_it() -> None:
    paper = simulated("qrfa-single", **{"as": "paper"})
    varied = simulated("qrfa-single", **{"as": "paper", "phrasing": "varied"})
    repeats = [sum(len(texts) - len(set(texts)) for texts in side) for side in (paper, varied)]
    assert repeats[0] > repeats[1]


def real(mirror: Path) -> dict[str, list[Dialogue]]:
    from trialogue.datasets.corpora.kdd2020 import read_file

    return {
        letter: list(read_file(mirror / "kdd2020" / f"{stem}.json", note=lambda _: None))
        for letter, stem in STEMS.items()
    }


PAIRS = {  # kdd2020_as_written.md §2: (Request → Q, F), (Answer → Q, F), (Query → R, A), (Feedback → R, A)
    "A": (116, 32, 23, 33, 95, 68, 9, 56),
    "B": (98, 4, 203, 40, 92, 234, 10, 34),
    "C": (75, 0, 227, 178, 48, 279, 27, 151),
}
ORDER = [
    *(("Request", "Query"), ("Request", "Feedback"), ("Answer", "Query"), ("Answer", "Feedback")),
    *(("Query", "Request"), ("Query", "Answer"), ("Feedback", "Request"), ("Feedback", "Answer")),
]


@pytest.mark.mirror
def test_classes_follow_each_other_as_often_as_table_2_has_it(mirror: Path) -> None:
    for letter, dialogues in real(mirror).items():
        counts = class_bigrams([labels_of(each) for each in dialogues], qrfa=QRFA_PAPER)
        assert tuple(counts[pair] for pair in ORDER) == PAIRS[letter]


# kdd2020_as_written.md §2: turns of 2,000 dialogues with replayed agents, of A, B and C, stop as released
TURNS = {"qrfa-single": (11.2, 17.4, 27.1), "cir6-single": (10.9, 17.6, 26.1)}


@pytest.mark.mirror
@pytest.mark.parametrize("method", TURNS)
def test_dialogues_as_in_the_paper_are_as_long_as_the_literal_model_makes_them(mirror: Path, method: str) -> None:
    n = 250
    for (letter, dialogues), expected in zip(real(mirror).items(), TURNS[method], strict=True):
        options = METHODS[method].change({"as": "paper", "stop": "released", "labels_from": "declared"})
        fitted = bundled_users(method)
        model = UserModel(letter, fit_interaction(dialogues), fitted.examples, fitted.phrasebook, options=options)
        users, replay = Users(model, films(), film_ratings()), ReplayAgent(dialogues, name="x")
        talks = [
            converse(replay, users.new(str(number), seed=4), str(number), seed=number, max_turns=100)
            for number in range(n)
        ]
        turns = np.array([sum(said.speaker == "user" for said in talk.utterances) for talk in talks])
        error = turns.std() * (1 / n + 1 / 2000) ** 0.5
        assert abs(turns.mean() - expected) < 2.6 * error + 0.05, (letter, turns.mean(), error)  # 1 in 100 by chance


def test_group_counts_leave_out_what_has_no_group() -> None:
    assert group_counts({"a": {"b": 1, "c": 2, END: 1}}, {"a": "X", "b": None, "c": "X"}) == {"X": {"X": 2, END: 1}}


def test_the_released_classes_are_those_that_models_are_fitted_with() -> None:
    assert FEW.with_qrfa(QRFA_RELEASED) is FEW
    typo = fit_interaction([dialogue("u:Non-disclose", "a:Suggesnt", "u:Note", "a:Record")])
    assert typo.steps["Non-disclose"] == {"Answer": 1}  # whatever is no request
    assert typo.with_qrfa(QRFA_PAPER).steps["Non-disclose"] == {"Request": 1}
