"""Studies whose agenda-based users understand agents by a language model: records, replay, accounts, failures, threats."""

import json
import re
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.agents.conftest import endpoint, start
from tests.cli.words import trialogue
from trialogue.errors import DataError, UsageError
from trialogue.findings.threat import ThreatCode
from trialogue.findings.threats.texts import clause
from trialogue.records import ActOrigin, Dialogue, Ending, UnknownAct, Utterance, read_records
from trialogue.simulating.model_usage import USAGE, Meter, usages
from trialogue.simulating.simulate import simulate
from trialogue.simulation import load_users
from trialogue.simulation.batch.workers import SIGNATURE
from trialogue.simulation.language.nlu_llm import DEFINITIONS, TASK, ModelClassifier
from trialogue.simulation.llm.kinds import KINDS
from trialogue.simulation.users.population import UserModel
from trialogue.subjects.evaluation.commands.evaluate import evaluate

__all__ = ["endpoint", "start"]
OURS = f"{TASK} {' '.join(DEFINITIONS.values())}"
FIXED = "fixed:How about Heat (1995)?"


def model(endpoint: str, name: str = "acts/plain", **more: Any) -> dict[str, Any]:
    return {"llm": {"url": f"{endpoint}/{name}", "model": "tiny", "retries": {"most": 0}, **more}}


def study(endpoint: str, out: Path, name: str = "acts/plain", **more: Any) -> dict[str, Any]:
    users = {"users": "cir6-pkg", "understanding": model(endpoint, name, **more.pop("options", {}))}
    fields = {"agents": {"fixed": FIXED}, "users": {"asking": users}, "n": 3, "baselines": 0, "max_turns": 4}
    return {**fields, "out": str(out), **more}


def dialogues(out: Path) -> list[Dialogue]:
    return list(read_records(out / "dialogues.jsonl", Dialogue))


def replies(out: Path) -> list[Utterance]:
    return [said for each in dialogues(out) for said in each.utterances if said.speaker == "system"]


def test_acts_are_recorded_with_their_labeller_and_probability(endpoint: str, tmp_path: Path) -> None:
    simulate(study(endpoint, tmp_path))
    kind = load_users("cir6-pkg", understanding=model(endpoint))
    origin = (kind.signature or "").removeprefix("agenda|understanding:")
    assert origin.startswith("llm|v1|tiny|")
    assert {each.meta[SIGNATURE] for each in dialogues(tmp_path)} == {kind.signature}
    for said in replies(tmp_path):
        assert (said.acts_by, said.acts_labeller, said.acts_unknown) == (ActOrigin.RECOGNISED, origin, None)
        assert [(act.intent, act.probability) for act in said.acts or ()] == [("List", 0.799)]
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["config"]["user_signatures"] == {"asking": kind.signature}


def test_messages_that_the_model_has_no_act_for_say_why_and_the_users_go_on(endpoint: str, tmp_path: Path) -> None:
    simulate(study(endpoint, tmp_path / "off", agents={"fixed": "fixed:The rain in Spain."}))
    simulate(study(endpoint, tmp_path / "unsure", "acts/unsure"))
    for folder, why in (("off", UnknownAct.NONE_OF_THESE), ("unsure", UnknownAct.UNSURE)):
        assert {(said.acts, said.acts_unknown) for said in replies(tmp_path / folder)} == {((), why)}
        assert not any(each.ended_by is not None and each.ended_by.is_failure for each in dialogues(tmp_path / folder))


def test_users_go_by_what_is_sure_enough_to_be_recorded_unless_they_have_a_threshold(endpoint: str) -> None:
    for options, least in (({}, 0.6), ({"unknown_below": 0.3}, 0.3), ({"unknown_below": 0.9}, 0.9)):
        heard = load_users("cir6-pkg", understanding=model(endpoint), **options).new_understanding()
        assert isinstance(heard, ModelClassifier)
        assert heard.unknown_below == least
        heard.reader.close()


def test_no_prompt_holds_the_need_or_what_the_user_said(endpoint: str, tmp_path: Path) -> None:
    simulate(study(endpoint, tmp_path, "acts/heard-needs", n=4))
    with urllib.request.urlopen(f"{endpoint}/heard") as answer:
        heard = json.loads(answer.read())
    prompt = heard["last"]["/acts/heard-needs"]["messages"][0]["content"]
    assert heard["heard"]["/acts/heard-needs"] == 1  # one message, whoever hears it and whatever they have just said
    for dialogue in dialogues(tmp_path):
        assert dialogue.need is not None
        values = [value for each in dialogue.need.constraints for value in each.values]
        said = [each.text for each in dialogue.utterances if each.speaker == "user" and each.text not in OURS]
        assert values
        assert said
        assert not [text for text in (*values, *said, "Heat") if text in prompt]


def test_a_second_run_asks_nothing_writes_the_same_bytes_and_is_called_a_replay(endpoint: str, tmp_path: Path) -> None:
    agents = {"guided": "reference:guided", "fixed": FIXED}
    fields: dict[str, Any] = {"options": {"cache": str(tmp_path / "cache")}, "agents": agents, "at_once": 2}
    for run in ("one", "two"):
        simulate(study(endpoint, tmp_path / run, **fields))
    assert (tmp_path / "one/dialogues.jsonl").read_bytes() == (tmp_path / "two/dialogues.jsonl").read_bytes()
    first, second = (usages(tmp_path / run / USAGE)[0][1] for run in ("one", "two"))
    assert first.calls > 1
    assert (second.calls, second.cached) == (0, first.calls)
    simulate({**study(endpoint, tmp_path / "three", **fields), "at_once": 1, "jobs": 2})
    assert (tmp_path / "one/dialogues.jsonl").read_bytes() == (tmp_path / "three/dialogues.jsonl").read_bytes()
    assert sum(usage.calls for _, usage in usages(tmp_path / "three" / USAGE)) == 0


def test_calls_are_counted_and_priced_under_the_users_name(endpoint: str, tmp_path: Path) -> None:
    meter = Meter(tmp_path)
    price = {"prompt_per_million": 10.0, "completion_per_million": 0.0}
    simulate(study(endpoint, tmp_path, options={"price": price}))
    asked = meter.usage_by_agent()["asking"]
    assert asked.calls == 1
    assert asked.cost == pytest.approx(100 * 10 / 1e6)


@pytest.mark.parametrize(
    ("path", "ending"),
    [
        ("html", Ending.USER_ERROR),
        ("status/500", Ending.USER_ERROR),
        ("status/401", Ending.HARNESS_ERROR),
        ("status/429", Ending.RATE_LIMITED),
    ],
)
def test_a_model_that_cannot_be_asked_is_never_the_agents_failure(
    endpoint: str, tmp_path: Path, path: str, ending: Ending
) -> None:
    simulate(study(endpoint, tmp_path, path, n=1))
    (dialogue,) = dialogues(tmp_path)
    assert dialogue.ended_by is ending
    assert [said.text for said in dialogue.utterances if said.speaker == "system"] == ["How about Heat (1995)?"]
    assert dialogue.utterances[-1].acts is None  # said, and not labelled


def test_a_study_is_gone_on_with_only_by_the_same_understanding(
    endpoint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate(study(endpoint, tmp_path, n=1))
    simulate(study(endpoint, tmp_path, n=2))
    with pytest.raises(UsageError, match="user_options"):
        simulate(study(endpoint, tmp_path, n=3, options={"max_tokens": 5}))
    with pytest.raises(UsageError, match="user_options"):
        simulate({**study(endpoint, tmp_path, n=3), "users": {"asking": "cir6-pkg"}})
    monkeypatch.setattr("trialogue.simulation.language.nlu_llm.VERSION", "v99")
    with pytest.raises(UsageError, match="user_signatures"):
        simulate(study(endpoint, tmp_path, n=3))


def test_measures_that_rest_on_the_models_acts_say_so(endpoint: str, tmp_path: Path) -> None:
    agents = {"one": FIXED, "two": "fixed:The rain in Spain."}
    simulate(study(endpoint, tmp_path, agents=agents, n=6))
    found = evaluate(tmp_path / "dialogues.jsonl", metrics=["turn_success", "turns"], resamples=50)
    signed = [(str(score.measure), score.signature or "") for score in found.scores if score.system == "one"]
    of_acts, of_turns = ({text for name, text in signed if name.startswith(of)} for of in ("turn_success", "turns"))
    assert all("|act-labellers:llm|v1|tiny|" in text for text in of_acts if text)
    assert any(of_acts)
    assert any(of_turns)
    assert not any("act-labellers" in text for text in of_turns)
    completions = {each.system: each.completion for each in found.findings.systems}
    one, two = (completions[name].acts for name in ("one", "two"))  # type: ignore[union-attr]
    assert (one.recognised > 0, one.unrecognised) == (True, 0)
    assert (two.total, two.unrecognised > 0) == (0, True)
    threats = {each.systems: each for each in found.findings.threats if each.code is ThreatCode.RECOGNISED_ACTS}
    assert set(threats) == {("one",), ("two",)}  # that nothing was recognised rests on the model, too
    assert "by a language model: llm|v1|tiny|" in clause(threats[("one",)])
    assert re.search(r", which gave no act for \d\d messages\)$", clause(threats[("two",)]))


def test_a_words_understanding_is_that_of_its_agenda_or_a_model(endpoint: str, tmp_path: Path) -> None:
    options = {"url": f"{endpoint}/play/countless", "model": "tiny", "retries": {"most": 0}}
    users = {"worded": {"users": "llm:worded", **options, "understanding": model(endpoint)}}
    meter = Meter(tmp_path)
    simulate({**study(endpoint, tmp_path), "users": users})
    assert {said.acts_labeller is not None for said in replies(tmp_path)} == {True}
    worded = len([1 for each in dialogues(tmp_path) for said in each.utterances if said.speaker == "user"])
    assert meter.usage_by_agent()["worded"].calls == worded + 1
    plain = KINDS.member("worded").with_options(**options)
    asking = plain.with_options(understanding=model(endpoint))
    assert asking.signature.startswith(f"{plain.signature}|agenda|understanding:llm|v1|tiny|")
    with pytest.raises(UsageError, match="only llm:worded goes by acts"):
        KINDS.member("single").with_options(**options, understanding=model(endpoint))


def test_users_keep_their_understanding_in_their_folder(endpoint: str, tmp_path: Path) -> None:
    users = load_users("cir6-pkg", understanding=model(endpoint, samples=3, temperature=1.0))
    users.save(tmp_path / "mine")
    again = UserModel.load(tmp_path / "mine")
    assert again.options == users.options
    assert again.signature == users.signature
    assert load_users("cir6-pkg").signature is None
    assert again.with_options(understanding="linear").signature is None


def test_a_study_file_says_all_mistakes_in_the_models_options_before_anything_is_asked(tmp_path: Path) -> None:
    users = {"a": {"users": "cir6-pkg", "understanding": {"llm": {"url": "http://a", "temperature": 99}}}}
    with pytest.raises(DataError) as caught:
        simulate({"agents": ["echo"], "users": users, "out": str(tmp_path)})
    text = str(caught.value)
    assert "users.a.understanding" in text
    assert "llm.temperature: expected a number of at most 10, got 99" in text
    assert "llm.model: this field is required" in text


def test_paths_of_the_model_are_relative_to_the_study_file(endpoint: str, tmp_path: Path) -> None:
    fields = study(endpoint, Path("run"), options={"cache": "./answers"})
    (tmp_path / "study.yaml").write_text(json.dumps(fields))
    simulate(tmp_path / "study.yaml")
    assert len(list((tmp_path / "answers").glob("*/*.json"))) == 1
    assert not Path("answers").exists()  # where the test runs


def test_the_command_line_takes_a_model_and_refuses_wrong_ones_without_a_traceback(
    endpoint: str, tmp_path: Path
) -> None:
    words = ("simulate", "-a", FIXED, "-n", "2", "--set", "max_turns=2", "--out", tmp_path / "run")
    given = json.dumps(model(endpoint, price={"prompt_per_million": 1, "completion_per_million": 1}))
    done = trialogue(*words, "--set", f"user.understanding={given}")
    assert done.returncode == 0, done.stderr
    assert re.search(r"cir6-pkg: \d+ calls, 0 answers from the cache; [\d,]+ prompt tokens, .* USD", done.stderr)
    for wrong, said in (
        ("llm", "'llm'"),
        ("{llm: {url: 'http://a'}}", "llm.model: this field is required"),
        ("{llm: {url: a, model: m}}", "a"),
        ("[1]", "understanding"),
        ("{llm: {url: 'http://a', model: m, definitions: {Bow: bows}}}", "'Bow' is defined, but is not an act"),
        (
            "{llm: {url: 'http://a', model: m, api_key_env: NO_SUCH_KEY_HERE}}",
            "NO_SUCH_KEY_HERE is not set; it must contain the API key",
        ),
    ):
        refused = trialogue(*words[:-1], tmp_path / "no", "--set", f"user.understanding={wrong}")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert said in refused.stderr
        assert "Traceback" not in refused.stderr


def test_a_run_stops_where_no_answer_can_ever_be_read(endpoint: str, tmp_path: Path) -> None:
    words = ("simulate", "-a", FIXED, "-n", "1", "--set", "max_turns=2", "--out", tmp_path / "run", "--set")
    silent = trialogue(*words, f"user.understanding={json.dumps(model(endpoint, 'acts/silent'))}")
    assert silent.returncode == 2
    assert "does not return log-probabilities. Set log_probabilities: false" in silent.stderr
    assert "Traceback" not in silent.stderr


def test_the_prompt_can_be_shown(tmp_path: Path) -> None:
    file = tmp_path / "asking.yaml"
    file.write_text(
        "users: cir6-pkg\nunderstanding: {llm: {url: 'http://a', model: m, definitions: {Fail: gives up}}}\n"
    )
    shown = trialogue("list", "users", file)
    assert shown.returncode == 0, shown.stderr
    assert "cir6-pkg, signature agenda|understanding:llm|v1|m|" in shown.stdout
    assert "\nO. Fail: gives up.\n" in shown.stdout
    assert "<message>{message}</message>" in shown.stdout
    as_json = json.loads(trialogue("list", "users", file, "--json").stdout)
    assert as_json["prompts"]["understanding"] in shown.stdout
    assert "prompts" not in json.loads(trialogue("list", "users", "cir6-pkg", "--json").stdout)


def test_a_dialogue_is_continued_with_the_same_understanding(endpoint: str, tmp_path: Path) -> None:
    fields = study(endpoint, Path("run"), options={"cache": "./answers"})
    (tmp_path / "study.yaml").write_text(json.dumps(fields))
    simulate(tmp_path / "study.yaml")
    source = tmp_path / "run" / "dialogues.jsonl"
    words = ("--set", "dialogue=fixed/asking/1", "--turn", "2", "--out", tmp_path / "more")
    done = trialogue("simulate", "--continue-from", source, *words)
    assert done.returncode == 0, done.stderr
    assert "asking: replayed from the cache (1 answers, 0 calls)" in done.stderr
    assert {said.acts_labeller for said in replies(tmp_path / "more")} == {replies(tmp_path / "run")[0].acts_labeller}
