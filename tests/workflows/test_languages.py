"""Measures are not applied to texts in languages that they are not made for, and a line says so."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.test_strategy_commands import run as command
from tests.metrics.satisfaction.test_corpora import chinese, corpora
from tests.subjects.alignment.commands.test_align_bad_input import written
from trialogue.errors import DataError
from trialogue.findings.threats import Severity, ThreatCode
from trialogue.findings.threats.language_texts import language_lines
from trialogue.findings.threats.texts import sentence
from trialogue.metrics.satisfaction.corpora import rated_corpus, train_on_corpora
from trialogue.metrics.satisfaction.learned import write_model
from trialogue.records import Dialogue, LanguageMismatch, MeasureName, Response, Situation, Utterance
from trialogue.subjects.alignment.commands.align import align
from trialogue.subjects.comparison.commands.compare import compare
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate
from trialogue.workflows.experiment import experiment_of, run_experiment
from trialogue.workflows.score import score

GERMAN = (
    "Hast du den neuen Film mit Daniel Brühl schon gesehen?",
    "Wenn dir Inception gefallen hat, dann ist Tenet vielleicht auch etwas für dich.",
    "Was für Filme schaust du denn am liebsten?",
    "Er ist sehr spannend und die Schauspieler sind wirklich gut.",
    "Ich würde dir Das Boot empfehlen, das ist ein Klassiker.",
    "Viel Spaß beim Schauen und einen schönen Abend noch!",
)
ENGLISH = (
    "Have you seen the new film with Tom Hanks yet?",
    "If you liked Inception then you might enjoy Tenet as well.",
    "What kind of movies do you usually like to watch?",
    "It is very exciting and the actors are really good.",
    "I would recommend Jaws to you, it is a classic.",
    "Enjoy the movie and have a great evening!",
)
CHINESE = {
    "gemini": (
        "我推荐《盗梦空间》，这部电影非常精彩。",
        "你喜欢什么类型的电影？",
        "好的，祝你观影愉快！",
        "这部电影讲的是一个人住在机场里的故事。",
    ),
    "claude": (
        "可以看看《阿甘正传》，汤姆·汉克斯主演。",
        "请问你平时喜欢看哪些电影？",
        "不客气，有需要再来找我。",
        "它是八十年代的经典作品，节奏比较慢。",
    ),
    "echo": ("好的。", "我知道了。", "谢谢你的建议。", "是的，是的，我明白你的意思了，请继续。"),
}
CHINESE_USER = (
    "我想看一部有趣的电影，最好是喜剧。",
    "不太喜欢恐怖片，有别的吗？",
    "听起来不错，谢谢你！",
    "我已经看过了，很好看。",
)
FILMS = ("Alien", "Babel", "Casino", "Drive", "Elf", "Fargo", "Gravity", "Heat", "Inside", "Jaws")


def situations(texts: Sequence[str], count: int) -> list[Situation]:
    """Whose references are the texts, in turn, ten dialogues in all."""
    return [
        Situation(
            id=f"s{n}",
            context=(Utterance(speaker="user", text="Ok."),),
            reference=Utterance(speaker="system", text=texts[n % len(texts)]),
            dialogue_id=f"d{n % 10}",
            turn=2,
        )
        for n in range(count)
    ]


def replies(system: str, texts: Sequence[str], count: int) -> list[Response]:
    return [
        Response(
            situation_id=f"s{n}", system=system, utterance=Utterance(speaker="system", text=texts[n * 5 % len(texts)])
        )
        for n in range(count)
    ]


def talks(system: str, said: Sequence[str], asked: Sequence[str], count: int) -> list[Dialogue]:
    """Dialogues of four turns; which text comes when differs from one to the next."""
    return [
        Dialogue(
            id=f"{system}{n}",
            system=system,
            user=f"u{n}",
            utterances=tuple(
                Utterance(speaker=speaker, text=texts[(n * 3 + turn * (1 + n % 2)) % len(texts)])
                for turn in range(4)
                for speaker, texts in (("user", asked), ("system", said))
            ),
        )
        for n in range(count)
    ]


def measured(run: Run) -> set[str]:
    return {league.measure.name for league in run.findings.leagues}


def test_sixty_replies_from_six_german_sentences_have_no_alignment_by_labels_of_a_model_of_english(
    tmp_path: Path,
) -> None:
    path = written(tmp_path / "d.jsonl", *situations(GERMAN, 60), *replies("anna", GERMAN, 60))
    with pytest.raises(DataError) as refused:
        align([path], [], resamples=100, baselines=False)
    what = str(refused.value)
    assert "a model for English" in what
    assert "in German" in what
    assert "anna" in what
    assert "any_language" in what


def test_in_any_language_the_alignment_is_measured_and_a_warning_says_what_it_rests_on(tmp_path: Path) -> None:
    path = written(tmp_path / "d.jsonl", *situations(GERMAN, 60), *replies("anna", GERMAN, 60))
    run = align([path], [], resamples=100, baselines=False, any_language=True)
    assert run.league("behavior_alignment").standings[0].estimate.value is not None
    assert any("a model for English" in line and "German" in line for line in run.findings.warnings)
    assert any(each.is_kept and each.reason == "model_labels" for each in run.findings.language_mismatches)
    blocked = {each.measure for each in run.findings.threats if each.code is ThreatCode.LANGUAGE}
    assert {league.measure.name for league in run.findings.leagues} <= blocked  # no verdict rests on it


def test_a_german_system_among_english_ones_has_no_alignment_and_the_others_do(tmp_path: Path) -> None:
    path = written(
        tmp_path / "d.jsonl",
        *situations(ENGLISH, 60),
        *replies("anna", GERMAN, 60),
        *replies("bea", ENGLISH, 60),
        *replies("carl", ENGLISH[:3], 60),
    )
    run = align([path], [], resamples=100, baselines=False)
    aligned = run.league("implicit_alignment")
    assert {each.system for each in aligned.standings} == {"bea", "carl"}
    (line,) = [line for line in run.findings.warnings if "German" in line]
    assert "anna" in line
    assert {each.system for each in run.profiles} == {"bea", "carl"}


def test_two_hundred_chinese_dialogues_are_not_judged_by_english_words_or_words_between_spaces(tmp_path: Path) -> None:
    held = [talk for system, said in CHINESE.items() for talk in talks(system, said, CHINESE_USER, 67)]
    path = written(tmp_path / "d.jsonl", *held)
    families = {league.measure.measured.metric for league in evaluate(path, resamples=100).findings.leagues}
    assert not families & {"satisfaction", "length", "distinct", "words_per_turn"}
    run = evaluate(path, metrics=["satisfaction", "length", "distinct(n=2)", "repetition"], resamples=100)
    # the same reply twice is the same in every language
    assert {league.measure.measured.metric for league in run.findings.leagues} == {"repetition"}
    lines = [line for line in run.findings.warnings if "Chinese" in line]
    assert len(lines) == 1
    for part in ("claude, echo and gemini", "satisfaction@linear", "length@words", "any_language=true"):
        assert part in lines[0]
    assert "Estimated satisfaction" not in run.answer


def test_a_judge_of_chinese_scores_chinese_systems_and_abstains_on_others(tmp_path: Path) -> None:
    for name, corpus in (("zh", chinese("b", 40)), ("en", corpora()[0])):
        write_model(train_on_corpora([rated_corpus(name, corpus)], origin=name), tmp_path / f"{name}.json")
    held = [
        *talks("gemini", CHINESE["gemini"], CHINESE_USER, 12),
        *talks("claude", CHINESE["claude"], CHINESE_USER, 12),
        *talks("anna", GERMAN, GERMAN, 12),
        *talks("bea", ENGLISH, ENGLISH, 12),
    ]
    path = written(tmp_path / "d.jsonl", *held)
    for name, scored in (("zh", {"gemini", "claude"}), ("en", {"bea"})):
        run = evaluate(path, metrics=[f"satisfaction(model={tmp_path / name}.json)", "turns"], resamples=100)
        league = run.league("satisfaction")
        assert {each.system for each in league.standings if each.estimate.value is not None} == scored
        assert all(0 < (each.estimate.value or 0) < 1 for each in league.standings)
        made_for = {each.made_for for each in run.findings.language_mismatches if each.reason == "language"}
        assert made_for == {(name,)}
        systems = {system for each in run.findings.language_mismatches if each.made_for for system in each.systems}
        assert systems == {"gemini", "claude", "anna", "bea"} - scored


def test_the_languages_that_were_found_are_records(tmp_path: Path) -> None:
    run = evaluate(
        written(tmp_path / "d.jsonl", *talks("gemini", CHINESE["gemini"], CHINESE_USER, 12)),
        metrics=["satisfaction", "turns"],
        resamples=100,
    )
    found = {(each.system, each.writer): each for each in run.findings.languages}
    assert found["gemini", "system"].language == "zh"
    assert found["gemini", "user"].language == "zh"
    assert not found["gemini", "system"].has_spaces
    mismatch = next(each for each in run.findings.language_mismatches if each.reason == "language")
    assert mismatch.made_for == ("en",)
    assert mismatch.systems == ("gemini",)


def test_systems_in_different_languages_are_not_compared_on_their_wording(tmp_path: Path) -> None:
    held = [
        *talks("anna", GERMAN, GERMAN, 12),
        *talks("bea", ENGLISH, ENGLISH, 12),
        *talks("carl", ENGLISH[:3], ENGLISH, 12),
    ]
    path = written(tmp_path / "d.jsonl", *held)
    run = evaluate(path, metrics=["satisfaction", "length", "turns"], resamples=100)
    length = run.league("length@words|v1")
    assert {each.system for each in length.standings} == {"anna", "bea", "carl"}
    verdicts = {frozenset((each.a, each.b)): each.difference.value for each in length.contrasts}
    assert verdicts[frozenset(("anna", "bea"))] is None
    assert verdicts[frozenset(("bea", "carl"))] is not None
    satisfaction = run.league("satisfaction")
    assert {each.system for each in satisfaction.standings} == {"bea", "carl"}
    turns = run.league("turns")
    assert all(each.difference.value is not None for each in turns.contrasts)
    lines = [line for line in run.findings.warnings if "not compared" in line]
    assert len(lines) == 1
    assert "length@words" in lines[0]
    kept = evaluate(path, metrics=["length", "turns"], resamples=100, any_language=True)
    pairs = {each.systems for each in kept.findings.threats if each.code is ThreatCode.LANGUAGE}
    assert pairs == {("anna", "bea"), ("anna", "carl")}


def test_users_in_another_language_than_the_system_leave_out_what_reads_them(tmp_path: Path) -> None:
    path = written(tmp_path / "d.jsonl", *talks("bea", ENGLISH, CHINESE_USER, 12))
    run = evaluate(path, metrics=["satisfaction", "length"], resamples=100)
    names = measured(run)
    assert not any(name.startswith("satisfaction") for name in names)
    assert "length@words|v1" in names
    (line,) = [line for line in run.findings.warnings if "Chinese" in line]
    assert "users of bea" in line


def test_too_little_text_to_tell_a_language_is_said_and_measured(tmp_path: Path) -> None:
    path = written(tmp_path / "d.jsonl", *talks("bea", ("Fargo", "Heat"), ("Hi", "Ok"), 12))
    run = evaluate(path, metrics=["satisfaction"], resamples=100)
    assert any(name.startswith("satisfaction") for name in measured(run))
    (line,) = [line for line in run.findings.warnings if "too little text to detect" in line]
    assert "bea" in line
    assert "satisfaction@linear" in line


def test_too_little_text_of_users_is_said_in_one_sentence() -> None:
    name = MeasureName("length@words|v1")
    unknown = LanguageMismatch(reason="unknown", measures=(name,), systems=("bea",), writer="user", languages=())
    (line,) = language_lines([unknown])
    assert line.startswith("There is too little text to detect the language in which the users of bea write. ")


def test_a_measure_that_was_asked_for_is_left_out_with_a_line_or_kept_on_request(tmp_path: Path) -> None:
    path = written(tmp_path / "d.jsonl", *talks("gemini", CHINESE["gemini"], CHINESE_USER, 12))
    wanted = ["satisfaction", "length@characters"]
    run = evaluate(path, metrics=wanted, resamples=100)
    assert measured(run) == {"length@characters|v1"}
    kept = evaluate(path, metrics=wanted, resamples=100, any_language=True)
    assert measured(kept) == {"satisfaction@linear|v1", "length@characters|v1"}
    assert all(each.is_kept for each in kept.findings.language_mismatches)
    assert any("satisfaction@linear" in line and "Chinese" in line for line in kept.findings.warnings)
    (threat,) = [each for each in kept.findings.threats if each.code is ThreatCode.LANGUAGE]
    assert (threat.severity, threat.systems) == (Severity.BLOCKS, ("gemini",))
    assert sentence(threat) == "gemini writes in Chinese, but the measure supports English."


def test_nothing_but_measures_of_another_language_is_an_error_that_names_the_language(tmp_path: Path) -> None:
    path = written(tmp_path / "d.jsonl", *talks("gemini", CHINESE["gemini"], CHINESE_USER, 12))
    with pytest.raises(DataError, match="Chinese"):
        evaluate(path, metrics=["satisfaction"], resamples=100)
    refused = command("evaluate", path, "-m", "satisfaction", "-o", tmp_path / "out")
    assert isinstance(refused.exception, DataError)  # which main turns into exit code 2
    shown = command(
        "evaluate",
        path,
        "-m",
        "satisfaction",
        "--set",
        "any_language=true",
        "--set",
        "resamples=100",
        "-o",
        tmp_path / "out",
    )
    assert shown.exit_code == 0, shown.output
    found = json.loads((tmp_path / "out" / "findings.json").read_text("utf-8"))
    assert found["languages"][0]["language"] == "zh"


def test_score_leaves_out_what_is_not_made_for_the_language(tmp_path: Path) -> None:
    path = written(
        tmp_path / "d.jsonl",
        *talks("gemini", CHINESE["gemini"], CHINESE_USER, 12),
        *talks("bea", ENGLISH, ENGLISH, 12),
    )
    notes: list[str] = []
    found = score(path, metrics=["length@words", "turns"], note=lambda problem: notes.append(str(problem)))
    assert {(each.measure, each.system) for each in found if each.level == "system"} == {
        ("length@words|v1", "bea"),
        ("turns@user_utterances|v1", "bea"),
        ("turns@user_utterances|v1", "gemini"),
    }
    assert sum("Chinese" in line for line in notes) == 1


def versions(folder: Path) -> list[Path]:
    """Two versions of a Chinese system, the second of which says one thing only."""
    return [
        written(folder / f"{name}.jsonl", *talks("crs", texts, CHINESE_USER, 12))
        for name, texts in (("old", CHINESE["gemini"]), ("new", CHINESE["gemini"][:1]))
    ]


def test_compare_leaves_out_what_is_not_made_for_the_language_and_keeps_it_on_request(tmp_path: Path) -> None:
    files = versions(tmp_path)
    left = compare(*files, resamples=100).comparison
    assert not any(each.measure.startswith("satisfaction") for each in left.judgements)
    with pytest.raises(DataError, match="Chinese"):
        compare(*files, on=["satisfaction"], resamples=100)
    kept = compare(*files, on=["satisfaction"], any_language=True, resamples=100).comparison
    (judged,) = [each for each in kept.judgements if each.measure.startswith("satisfaction")]
    assert judged.difference.value is not None
    assert judged.decides
    assert (judged.light, kept.light) == ("no verdict", "no verdict")  # it is shown, and cannot be green
    blocking = [each for each in kept.threats if each.severity is Severity.BLOCKS]
    assert {(each.code, each.systems) for each in blocking} == {
        (ThreatCode.LANGUAGE, ("old",)),
        (ThreatCode.LANGUAGE, ("new",)),
    }


def test_compare_on_the_command_line_takes_the_same_option(tmp_path: Path) -> None:
    words = ("compare", *versions(tmp_path), "--on", "satisfaction", "--set", "resamples=100", "--fail-if-worse")
    assert isinstance(command(*words).exception, DataError)
    shown = command(*words, "--set", "any_language=true")
    assert shown.exit_code == 3  # a threat blocks the verdict
    assert shown.stdout.startswith("NO VERDICT")


@pytest.mark.parametrize("keeps", [False, True])
def test_an_experiment_keeps_measures_of_another_language_on_request(keeps: bool, tmp_path: Path) -> None:
    held = [*talks("gemini", CHINESE["gemini"], CHINESE_USER, 12), *talks("echo", CHINESE["echo"], CHINESE_USER, 12)]
    fields = {
        "out": str(tmp_path / "out"),
        "dialogues": [str(written(tmp_path / "d.jsonl", *held))],
        "metrics": ["satisfaction", "length@characters"],
        "resamples": 100,
        **({"any_language": True} if keeps else {}),
    }
    found = run_experiment(experiment_of(fields)).findings
    names = {league.measure.name for league in found.leagues}
    assert names == {"length@characters|v1"} | ({"satisfaction@linear|v1"} if keeps else set())
    blocked = {each.systems for each in found.threats if each.code is ThreatCode.LANGUAGE}
    assert (blocked != set()) is keeps
    mismatches = [each for each in found.language_mismatches if "satisfaction@linear|v1" in each.measures]
    assert {each.is_kept for each in mismatches} == {keeps}
