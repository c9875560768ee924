"""The passport from users and dialogues to findings, and attempts to cheat it."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.findings.threats import Severity, ThreatCode
from trialogue.records import Dialogue, Ending, Estimate, Interval, Rating, Reason, ReasonCode, Utterance, write_records
from trialogue.render.media.files import csv_files
from trialogue.render.media.page import document_page
from trialogue.render.media.terminal import document_text
from trialogue.simulation.bundled import bundled_dialogues
from trialogue.simulation.users.fit import fit_users
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.subjects.simulated_users.answer import cost_text, headline
from trialogue.subjects.simulated_users.commands.passport import passport
from trialogue.subjects.simulated_users.commands.simulated_sample import PassportPlan, are_dialogues
from trialogue.subjects.simulated_users.pages.document import passport_document
from trialogue.subjects.simulated_users.records import Cost, Folds, PassportFindings, PassportPart, Sample
from trialogue.workflows.write_findings import write_findings

_TEXT = """
funny scary old new french long short good war love space dog city music blue red green fast slow warm
""".strip()
WORDS_OF_PEOPLE = _TEXT.split()


def talk(
    number: int, system: str, rng: np.random.Generator, *, words: float, user: str, ending: Ending | None = None
) -> Dialogue:
    """A dialogue of a few messages of about so many words each."""
    said = []
    for _ in range(int(rng.integers(2, 6))):
        text = " ".join(rng.choice(WORDS_OF_PEOPLE, size=1 + int(rng.poisson(words))).tolist())
        said += [Utterance(speaker="user", text=text), Utterance(speaker="system", text="what about this one?")]
    return Dialogue(
        id=f"{system}/{number}",
        system=system,
        user=user,
        utterances=tuple(said),
        ended_by=ending,
        ratings=(Rating(name="satisfaction", value=float(rng.integers(1, 6)), rater="user", low=1, high=5),),
    )


def talks(
    users: int,
    *,
    words: float,
    seed: int,
    systems: Sequence[str] = ("a", "b"),
    name: str = "p",
    ending: Ending | None = None,
) -> list[Dialogue]:
    rng = np.random.default_rng(seed)
    return [
        talk(number, system, rng, words=words, user=f"{name}{number}", ending=ending)
        for system in systems
        for number in range(users)
    ]


@pytest.fixture(autouse=True)
def few_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The classifier's yardstick over four random halves, not twenty: it takes most of the time."""
    monkeypatch.setattr("trialogue.subjects.simulated_users.behavior.SPLITS", 4)


@pytest.fixture
def people(tmp_path: Path) -> str:
    return written(tmp_path / "people.jsonl", talks(40, words=4, seed=1, ending=Ending.USER_ENDED))


def written(path: Path, dialogues: Sequence[Dialogue]) -> str:
    write_records(path, dialogues)
    return str(path)


def of(users: str, real: str | None, **options: object) -> PassportFindings:
    return passport(users, [real] if real else [], resamples=200, **options)  # type: ignore[arg-type]


def codes(found: PassportFindings) -> dict[ThreatCode, Severity]:
    return {each.code: each.severity for each in found.threats}


def why(found: PassportFindings, part: PassportPart) -> ReasonCode | None:
    return next((each.why.code for each in found.missing if each.part is part), None)


def test_users_like_people_are_not_distinguished_and_talkative_ones_are(tmp_path: Path, people: str) -> None:
    same = of(written(tmp_path / "same.jsonl", talks(40, words=4, seed=2, name="s", ending=Ending.USER_ENDED)), people)
    assert same.behavior is not None
    auc = same.behavior.discriminators[0].auc
    assert auc.interval is not None
    assert auc.interval.contains(0.5)
    assert same.behavior.folds is Folds.PERSON_AND_AGENT
    assert same.behavior.is_fair
    assert all(each.excess.interval and each.excess.interval.contains(0) for each in same.behavior.distances)
    wordy = of(written(tmp_path / "wordy.jsonl", talks(40, words=12, seed=3, name="s")), people)
    assert wordy.behavior is not None
    found = {each.name: each for each in wordy.behavior.discriminators}
    assert (found["classifier"].auc.value or 0) > 0.95
    assert (found["words"].auc.value or 0) > 0.95  # length alone tells as much
    assert found["words"].is_trivial
    assert found["classifier-matched"].auc.value is None or found["classifier-matched"].auc.n < 80


def test_a_simulator_that_copies_real_dialogues_has_no_verdict(tmp_path: Path, people: str) -> None:
    copies = [
        each.model_copy(update={"id": f"copy/{each.id}", "user": f"robot{place}"})
        for place, each in enumerate(talks(40, words=4, seed=1, ending=Ending.USER_ENDED))
    ]
    found = of(written(tmp_path / "copies.jsonl", copies), people)
    assert codes(found)[ThreatCode.COPIED_DIALOGUES] is Severity.BLOCKS
    assert found.answer[0] == "Behavior: no verdict, see the threats."
    assert "80 of 80 simulated dialogues occur word for word" in document_text(passport_document(found), width=120)


def test_a_simulator_that_copies_single_messages_is_found_though_no_dialogue_is_copied(
    tmp_path: Path, people: str
) -> None:
    rng = np.random.default_rng(5)
    pool = [each.text for one in talks(40, words=4, seed=1) for each in one.utterances if each.speaker == "user"]
    mixed = []
    for each in talks(40, words=4, seed=9, name="s"):
        said = [
            one.model_copy(update={"text": str(rng.choice(pool))}) if one.speaker == "user" else one
            for one in each.utterances
        ]
        mixed.append(each.model_copy(update={"utterances": tuple(said)}))
    found = of(written(tmp_path / "mixed.jsonl", mixed), people)
    assert codes(found)[ThreatCode.COPIED_MESSAGES] is Severity.DEMOTES
    assert ThreatCode.COPIED_DIALOGUES not in codes(found)


def test_a_tiny_real_sample_gives_reasons_and_no_numbers(tmp_path: Path) -> None:
    few = written(tmp_path / "few.jsonl", talks(3, words=4, seed=1))
    found = of(written(tmp_path / "own.jsonl", talks(40, words=4, seed=2, name="s")), few)
    assert found.behavior is not None
    assert all(each.value.value is None for each in found.behavior.distances)
    assert found.behavior.discriminators[0].auc.why is not None
    assert found.behavior.split_half.value is None
    assert found.behavior.is_fair is None
    assert codes(found)[ThreatCode.FEW_REAL_USERS] is Severity.NOTES
    assert "no classifier (one side has 3 users" in found.answer[0]
    document_page(passport_document(found))


def test_one_agent_alone_is_a_threat_and_no_ranking(tmp_path: Path) -> None:
    real = written(tmp_path / "real.jsonl", talks(40, words=4, seed=1, systems=("a",)))
    found = of(written(tmp_path / "own.jsonl", talks(40, words=4, seed=2, systems=("a",), name="s")), real)
    assert codes(found)[ThreatCode.ONE_AGENT] is Severity.DEMOTES
    assert why(found, PassportPart.RANKING) is ReasonCode.NO_SHARED_SYSTEMS
    assert found.behavior is not None
    assert found.behavior.folds is Folds.PERSON
    assert found.orders == ()


def test_simulations_that_all_failed_are_no_users(tmp_path: Path, people: str) -> None:
    silent = [
        each.model_copy(update={"utterances": (), "ended_by": Ending.USER_ERROR})
        for each in talks(40, words=4, seed=2, name="s")
    ]
    found = of(written(tmp_path / "silent.jsonl", silent), people)
    assert found.behavior is None
    assert why(found, PassportPart.BEHAVIOR) is ReasonCode.ALL_SIMULATED_FAILED
    assert "all 80 simulated dialogues failed before the user could speak" in found.answer[0]
    document_page(passport_document(found))
    broken = [each.model_copy(update={"ended_by": Ending.AGENT_ERROR}) for each in talks(40, words=4, seed=2, name="s")]
    found = of(written(tmp_path / "broken.jsonl", broken), people)
    assert codes(found)[ThreatCode.SIMULATIONS_FAILED] is Severity.BLOCKS


def test_real_dialogues_without_endings_leave_that_distance_undefined(tmp_path: Path) -> None:
    real = written(tmp_path / "real.jsonl", talks(40, words=4, seed=1))
    found = of(written(tmp_path / "own.jsonl", talks(40, words=4, seed=2, name="s", ending=Ending.TURN_LIMIT)), real)
    assert found.behavior is not None
    endings = next(each for each in found.behavior.distances if each.name == "endings")
    assert endings.value.why is not None
    assert endings.value.why.facts == {"side": "real"}
    assert "the real dialogues do not record it" in document_page(passport_document(found))


def test_without_real_users_the_other_parts_stand(tmp_path: Path) -> None:
    found = of(written(tmp_path / "own.jsonl", talks(40, words=4, seed=2, name="s")), None)
    assert why(found, PassportPart.BEHAVIOR) is ReasonCode.NO_REAL_USERS
    assert why(found, PassportPart.RANKING) is ReasonCode.NO_REAL_USERS
    assert found.gates is not None
    assert found.cost is not None
    assert found.cost.why is not None
    assert found.cost.why.code is ReasonCode.USAGE_NOT_RECORDED


TOO_FEW = Reason.of(ReasonCode.TOO_FEW_USERS_FOR_HALVES, users=3, least=10)


@pytest.mark.parametrize(
    ("value", "low", "line"),
    [
        (0.94, 0.9, "Distinguishable from real users (AUC 0.94)."),
        (0.55, 0.45, "Not distinguished from real users (AUC 0.55)."),
        (None, None, "Too few users to compare with real ones."),
    ],
)
def test_the_headline_is_about_behavior_alone(
    tmp_path: Path, people: str, value: float | None, low: float | None, line: str
) -> None:
    found = of(written(tmp_path / "s.jsonl", talks(15, words=4, seed=2, name="s")), people)
    assert found.behavior is not None
    interval = None if low is None else Interval(low=low, high=1.0, confidence=0.95, method="percentile")
    first = found.behavior.discriminators[0].model_copy(
        update={"auc": Estimate(value=value, interval=interval, why=None if value is not None else TOO_FEW)}
    )
    behavior = found.behavior.model_copy(update={"discriminators": (first,)})
    assert headline(found.model_copy(update={"behavior": behavior, "threats": ()})) == line
    assert headline(found.model_copy(update={"behavior": None})) == "Not compared with real users."


def test_systems_of_another_name_are_matched_and_four_are_refused(tmp_path: Path) -> None:
    names = ("a", "b", "c", "d")
    real = written(tmp_path / "real.jsonl", talks(20, words=4, seed=1, systems=[f"{name}_redial" for name in names]))
    own = written(tmp_path / "own.jsonl", talks(20, words=4, seed=2, systems=names, name="s"))
    assert of(own, real).rankings == ()
    found = of(own, real, same={f"{name}_redial": name for name in names})
    assert found.rankings
    assert {len(each.real.ranks) for each in found.rankings} == {4}
    assert all(each.refusal is not None for each in found.rankings)
    assert "at least 5 are needed" in " ".join(document_text(passport_document(found)).split())


def test_a_passport_of_a_kind_simulates_doses_and_seeds_and_is_the_same_again(tmp_path: Path, people: str) -> None:
    plan = PassportPlan(("reference:guided", "reference:item-centred"), n=12, seeds=2)
    found = of("cir6-pkg", people, plan=plan, out=tmp_path / "out")
    assert [round(100 * each.share) for each in found.known_groups[0].doses] == [0, 10, 30, 60]
    assert found.known_groups[0].sample.cases == 12
    assert found.stability[0].levels == ("0", "1")
    assert found.cost is not None
    assert found.cost.why is not None
    assert found.cost.why.code is ReasonCode.USERS_ASK_NO_MODEL
    assert found.behavior is not None
    assert found.behavior.sample.simulated == 24  # sabotaged agents are left out
    page = write_findings(found, tmp_path / "page")
    again = of("cir6-pkg", people, plan=plan, out=tmp_path / "out")
    write_findings(again, tmp_path / "again")
    names = sorted(path.relative_to(tmp_path / "page") for path in page.parent.rglob("*") if path.is_file())
    assert names
    for name in names:
        assert (tmp_path / "page" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    folder = of(str(tmp_path / "out" / "simulation"), people)
    assert [each.doses for each in folder.known_groups] == [each.doses for each in found.known_groups]
    assert folder.gates == found.gates


def test_the_report_of_a_simulation_shows_the_passport_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "sim"
    own = written(folder / "dialogues.jsonl", talks(15, words=4, seed=2, name="s"))
    assert evaluate(own, metrics=["turns"], resamples=100).findings.sections == ()
    write_findings(of(own, None), folder / "passport")
    found = evaluate(own, metrics=["turns"], resamples=100).findings
    (section,) = found.sections
    assert section.title == "Passport of the simulated users (dialogues.jsonl)"
    assert [row[0] for row in section.rows] == [
        "Behavior", "Ranking validity", "Known groups", "Stability", "Gates", "Cost",
    ]  # fmt: skip
    assert section.rows[0][1] == "Not known: no dialogues of real users were given."
    assert "passport of dialogues.jsonl" in found.manifest.inputs
    (folder / "passport" / "passport.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match=r"passport.json: this file of the run was changed"):
        evaluate(own, metrics=["turns"], resamples=100)


def test_users_compared_with_the_text_they_were_fitted_on_are_marked_under_another_name(tmp_path: Path) -> None:
    text = [each.model_copy(update={"id": f"x{place}"}) for place, each in enumerate(bundled_dialogues("guided"))]
    fit_users(bundled_dialogues("guided"), calibrate=False).save(tmp_path / "users")
    real = written(tmp_path / "text.jsonl", text)
    plan = PassportPlan(("reference:guided",), n=12, seeds=1, ways=())
    for users in (str(tmp_path / "users"), "cir6-pkg/guided"):
        found = of(users, real, plan=plan, out=tmp_path / users.replace("/", "-"))
        threat = next(each for each in found.threats if each.code is ThreatCode.FITTED_ON_SAME_TEXT)
        assert threat.facts == {"recognised": len(text), "dialogues": len(text)}
    (tmp_path / "users" / "training.json").unlink()  # as an earlier version wrote it
    found = of(str(tmp_path / "users"), real, plan=plan, out=tmp_path / "old")
    assert ThreatCode.FITTED_ON_UNKNOWN_TEXT in codes(found)


def test_the_table_holds_every_number_with_its_sample(tmp_path: Path, people: str) -> None:
    found = of(written(tmp_path / "own.jsonl", talks(40, words=4, seed=2, name="s")), people)
    rows = [line.split(",") for line in csv_files(passport_document(found))["passport.csv"].splitlines()]
    assert rows[0] == ["part", "what", "about", "value", "low", "high", "n", "clusters", "p", "why"]
    assert {row[0] for row in rows[1:]} >= {"behavior", "gates", "cost", "ranking"}
    json.dumps(found.to_json(), allow_nan=False)


def test_several_models_in_one_batch_and_rejected_wordings_are_said(tmp_path: Path, people: str) -> None:
    played = []
    for place, each in enumerate(talks(20, words=4, seed=2, name="s")):
        meta = {
            "model": "tiny",
            "system_fingerprint": f"fp_{place % 2}",
            "wording": "model" if place % 4 else "too_long",
        }
        said = [one.model_copy(update={"meta": meta}) if one.speaker == "user" else one for one in each.utterances]
        played.append(each.model_copy(update={"utterances": tuple(said)}))
    found = of(written(tmp_path / "played.jsonl", played), people)
    assert found.cost is not None
    assert list(found.cost.models) == ["tiny (fp_0)", "tiny (fp_1)"]
    assert codes(found)[ThreatCode.SEVERAL_USER_MODELS] is Severity.DEMOTES
    messages, rejected = sum(found.cost.wordings.values()), found.cost.wordings["too_long"]
    assert 0 < rejected < messages
    assert f"{rejected} of {messages} phrasings by the model were rejected" in found.answer[-1]
    page = document_page(passport_document(found))
    assert "tiny (fp_0) and tiny (fp_1)" in page
    first = re.search(r'<p class="answer">(.*?)</p>', page)
    assert first is not None
    assert len(re.sub("<[^>]*>", "", first[1])) <= 60  # the parts follow it, none of them in bold
    (section,) = evaluate(str(tmp_path / "played.jsonl"), metrics=["turns"], resamples=100).findings.sections
    assert section.title == "Wordings of the simulated users"
    assert section.sentences[0].startswith(
        f"Of {messages} messages worded by a language model, {rejected} were rejected"
    )
    assert section.heads == ["System", "Messages", "Said", "Too long"]
    assert sum(row[3] for row in section.rows if isinstance(row[3], int)) == rejected


def test_tokens_that_are_unknown_are_not_said_to_be_none() -> None:
    """Every answer came from the cache, so that no tokens were counted."""
    cost = Cost(sample=Sample(), turns=Estimate(value=3.0), calls=2.0)
    assert cost_text(cost) == "a dialogue takes 3.0 (no interval) user messages and 2.0 model calls"
    known = cost.model_copy(update={"tokens_in": 1200.0, "tokens_out": 40.0})
    assert cost_text(known).endswith("2.0 model calls, 1,200 + 40 tokens")


def test_mistakes_are_said(tmp_path: Path, people: str) -> None:
    with pytest.raises(UnknownNameError):
        of("no-such-users", people, out=tmp_path)
    with pytest.raises(UsageError, match="at least one agent"):
        of("cir6-pkg", people, plan=PassportPlan(()), out=tmp_path)
    with pytest.raises(DataError, match="is empty"):
        of(written(tmp_path / "none.jsonl", []), people)
    assert are_dialogues(people)
    assert not are_dialogues("cir6-pkg")
