"""Judges whose model runs in this process: the same questions, cache, consent and records, without schema and server."""

import json
from pathlib import Path

import pytest

from tests.judges.conftest import OPEN, talk
from tests.llm.scripted import script, weights_in
from trialogue.errors import DataError, UsageError
from trialogue.judges import JudgeOptions, LlmJudge, LlmPairJudge, LocalJudgeOptions, judge_options, load_rubric
from trialogue.llm.models import model_identity
from trialogue.records.reasons.codes import ReasonCode
from trialogue.subjects.judging.commands.ask import prepare_panel

TALKS = [talk("a", "Hi", "good good"), talk("b", "Hi", "bad")]


def answer(prompt: str) -> str:
    """The rubric's points, as many as the conversation says "good"; what has none is rambled about."""
    good = prompt.rpartition("<conversation>")[2].count("good")
    return json.dumps({"reason": "so", "dialogue_overall": good}) if good else "Well, well."


def judge_of(options: LocalJudgeOptions) -> LlmJudge:
    made = LlmJudge(load_rubric("overall"), options, systems=["kbrd"])
    OPEN.append(made)
    return made


def test_a_model_in_a_folder_judges_and_what_it_rambles_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(monkeypatch, answer)
    options = LocalJudgeOptions(folder=weights_in(tmp_path))
    judge = judge_of(options)
    good, bad = judge.judge(TALKS)
    assert good.values == {"dialogue_overall": 2.0}
    assert bad.whys["dialogue_overall"].code is ReasonCode.JUDGE_UNREADABLE
    assert good.samples[0].model == model_identity(options)
    usage = judge.usage()
    assert (usage.calls, usage.prompt_tokens, usage.model) == (2, 6, "tiny")


def test_a_second_judge_asks_nothing_and_prices_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted = script(monkeypatch, answer)
    options = LocalJudgeOptions(folder=weights_in(tmp_path), cache=tmp_path / "cache")
    first = judge_of(options)
    units = first.units(TALKS)
    assert (first.cost(units).requests, first.cost(units).cached) == (2, 0)
    before = first.judge(TALKS)
    again = judge_of(options)
    assert (again.cost(units).requests, again.cost(units).cached) == (0, 2)
    assert again.judge(TALKS) == before
    assert len(scripted.prompts) == 2


def test_pairs_are_judged_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def better(prompt: str) -> str:
        first, second = prompt.split("<conversation>")[-2:]
        return json.dumps({"dialogue_overall": "A" if "good" in first else "B" if "good" in second else "tie"})

    script(monkeypatch, better)
    judge = LlmPairJudge(load_rubric("overall"), LocalJudgeOptions(folder=weights_in(tmp_path)))
    OPEN.append(judge)
    (found,) = judge.compare([(TALKS[0], talk("b", "Hi", "bad", system="barcor"))])
    assert found.choices == {"dialogue_overall": "a"}


def test_columns_name_the_weights_and_not_their_place(tmp_path: Path) -> None:
    folder = weights_in(tmp_path)
    before = judge_of(LocalJudgeOptions(folder=folder)).settings_hash
    (tmp_path / "other").mkdir()
    moved = folder.rename(tmp_path / "other" / "tiny")
    assert judge_of(LocalJudgeOptions(folder=moved)).settings_hash == before
    (moved / "model.safetensors").write_bytes(b"\x01" * 8)
    assert judge_of(LocalJudgeOptions(folder=moved)).settings_hash != before


def test_a_folder_is_given_by_name_in_a_file_or_as_options(tmp_path: Path) -> None:
    folder = weights_in(tmp_path)
    file = tmp_path / "judge.yaml"
    file.write_text(f"folder: {folder}\nmax_tokens: 50\n")
    for found in (judge_options(f"huggingface:{folder}", {"max_tokens": 50}), judge_options(file)):
        assert found == LocalJudgeOptions(folder=folder, max_tokens=50)
    file.write_text(f"folder: {folder}\nexpected: true\nurl: http://h/v1\n")
    with pytest.raises(DataError) as caught:
        judge_options(file)
    assert {each.field for each in caught.value.problems} == {"expected", "url"}
    with pytest.raises(UsageError, match="samples above 1 need a temperature above 0"):
        judge_options(f"huggingface:{folder}", {"samples": 3})


def test_a_folder_without_a_model_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="contains no language model"):
        judge_of(LocalJudgeOptions(folder=tmp_path)).settings_hash  # noqa: B018


def test_people_s_texts_stay_here_so_no_consent_is_needed(tmp_path: Path) -> None:
    folder = weights_in(tmp_path)
    here = prepare_panel([TALKS], rubric="overall", model=f"huggingface:{folder}")
    assert here.disclosure is None
    there = prepare_panel([TALKS], rubric="overall", model=JudgeOptions(url="https://api.example.org/v1", model="m"))
    assert there.disclosure is not None
