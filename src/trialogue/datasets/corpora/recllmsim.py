"""RecLLMSim: conversations of people, and of a language model as the user, with assistants that are language models.

Three parts, one JSON file per dialogue: ``human_exp_V2`` (people with four assistants; satisfaction and hallucination of
every reply), ``real_human_user`` (an earlier study of other people) and ``LLM_agent_user`` (a model plays the user;
annotators grade the dialogue). ``<k>.json`` restarts in every folder, so ids are paths from the part on. Ratings keep the
publisher's scales, with names in English: ``Memorization`` is read as ``remembered``, 1 for yes, in all parts, although the
questionnaire of people asks whether the assistant forgot and the annotators whether it remembered. The model's dialogues are
in English, with a Chinese translation in ``meta.content_zh`` of every message.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from trialogue.datasets.base import AnyRecord, Head, SimpleFormat
from trialogue.datasets.json_documents import ParseReport, files_at, first_json, kind_of, read_each, read_json
from trialogue.records import Dialogue, JsonValue, Rating, Speaker, Utterance
from trialogue.records.files.jsonl import Note

NAME = "recllmsim"
PARTS = {
    "human_exp_V2": "recllmsim/people-v2",
    "real_human_user": "recllmsim/people",
    "LLM_agent_user": "recllmsim/llm-user",
}
"""Source of the dialogues by the publisher's folder."""
LLM_PART = "LLM_agent_user"
SPEAKERS: dict[str, Speaker] = {"user": "user", "assistant": "system"}
HALLUCINATION = {"否": "no", "是": "yes", "无法判断": "cannot_tell"}
REASONS = {
    "不够细致": "not detailed",
    "不满足需求": "misses the need",
    "不够多样": "not diverse",
    "不可用": "unusable",
    "其它": "other",
}
OPTIONS: Mapping[str, Mapping[str, float]] = {
    "Detail": {"简略": 0, "一般": 1, "详细": 2},
    "Availability": {"不可用": 0, "有一定参考": 1, "很有用": 2},
    "Diversity": {"结果单一": 0, "一般": 1, "结果多样": 2},
    "Memorization": {"是": 0, "否": 1},
}
"""Points of people's answers by question; that of ``Memorization`` is whether the assistant forgot."""
ASPECTS = {
    "Detail": "detail",
    "Detail Level": "detail",
    "Availability": "usefulness",
    "Practical Usefulness": "usefulness",
    "Diversity": "diversity",
    "Memorization": "remembered",
    "Preference Alignment": "preference_alignment",
    "Role-Playing Completeness": "role_playing",
    "Additional Preferences": "additional_preferences",
}
"""Names of ratings by the publisher's."""
BINARY = frozenset({"remembered", "additional_preferences"})
CHINESE = "content_zh"
DEEPEST = 4  # folders from the corpus' own down to a person's task


def read_file(path: Path, note: Note) -> Iterator[AnyRecord]:
    """The dialogue of one file.

    Raises:
        DataError: with every mistake of the file.
    """
    report = ParseReport(str(path), note)
    data = read_json(path, report)
    history = data.get("history") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(history, list):
        report.wrong(f"expected an object with a list 'history', got {kind_of(data)}.")
        report.settle()
        return
    utterances = tuple(_utterances(history, report))
    ratings = (*_answers(data.get("questionnaire"), report), *_grades(data.get("rating"), report))
    report.settle()
    part, inside = _place_of(path, data)
    system, persona = data.get("chat_model"), data.get("preference")
    yield Dialogue(
        id="/".join((part, *inside)),
        utterances=utterances,
        system=system if isinstance(system, str) else None,
        user=_user_of(part, inside, data),
        source=PARTS[part],
        ratings=ratings,
        meta={
            "task": str(data.get("task") or data.get("task_type") or ""),
            "task_context": str(data.get("task_context") or ""),
            **({"persona": persona} if isinstance(persona, str) else {}),
        },
    )


def _place_of(path: Path, data: Mapping[str, JsonValue]) -> tuple[str, tuple[str, ...]]:
    """(part, names below it): from the path, or from the content where the folder has another name."""
    names = path.resolve().with_suffix("").parts
    for part in PARTS:
        if part in names:
            return part, names[names.index(part) + 1 :]
    part = LLM_PART if "preference_id" in data else "human_exp_V2" if "chat_model" in data else "real_human_user"
    return part, names[-2:] if part == LLM_PART else names[-3:]


def _user_of(part: str, inside: tuple[str, ...], data: Mapping[str, JsonValue]) -> str | None:
    """The person; of a model, the persona, which it plays in several tasks."""
    if part == LLM_PART:
        persona = data.get("preference_id")
        return None if persona is None else f"{part}/persona-{persona}"
    return f"{part}/{inside[0]}" if len(inside) > 1 else None  # numbers restart: the parts have other people


def _utterances(history: list[JsonValue], report: ParseReport) -> Iterator[Utterance]:
    for place, message in enumerate(history):
        at = f"history[{place}]"
        if not isinstance(message, dict):
            report.wrong(f"a message must be an object, got {kind_of(message)}.", at)
            continue
        speaker, text = SPEAKERS.get(str(message.get("role"))), message.get("content")
        if speaker is None:
            report.wrong(f'the role must be "user" or "assistant", got {kind_of(message.get("role"))}.', f"{at}.role")
        elif not isinstance(text, str):
            report.wrong(f"a message must be text, got {kind_of(text)}.", f"{at}.content")
        else:
            yield Utterance(
                speaker=speaker,
                text=text,
                ratings=tuple(_satisfaction(message.get("satisfaction"), f"{at}.satisfaction", report)),
                meta=_facts(message, at, report),
            )


def _satisfaction(given: JsonValue, at: str, report: ParseReport) -> Iterator[Rating]:
    """A text from "1" to "5"."""
    if given is None:
        return
    if not isinstance(given, str) or given not in "12345" or len(given) != 1:
        report.wrong(f'satisfaction must be "1" to "5", got {kind_of(given)}.', at)
        return
    yield Rating(name="satisfaction", value=float(given), rater="user", low=1, high=5)


def _facts(message: Mapping[str, JsonValue], at: str, report: ParseReport) -> dict[str, JsonValue]:
    facts: dict[str, JsonValue] = {}
    hallucinated, reason, intent = message.get("hallucination"), message.get("reason"), message.get("intent")
    if isinstance(hallucinated, dict):
        hallucinated = "是" if hallucinated.get("hallucination") is True else "否"
    for name, given, words in (("hallucination", hallucinated, HALLUCINATION), ("reason", reason, REASONS)):
        if isinstance(given, str) and given in words:
            facts[name] = words[given]
        elif given is not None:
            report.wrong(f"expected one of {', '.join(words)}, got {kind_of(given)}.", f"{at}.{name}")
    if intent is not None:
        facts["intents"] = intent if isinstance(intent, list) else [intent]
    if isinstance(message.get(CHINESE), str):
        facts[CHINESE] = message[CHINESE]
    return facts


def _answers(given: JsonValue, report: ParseReport) -> Iterator[Rating]:
    """People's answers to the four questions about a dialogue."""
    for place, entry in enumerate(given if isinstance(given, list) else []):
        at = f"questionnaire[{place}]"
        question = entry.get("summary") if isinstance(entry, dict) else None
        option = entry.get("option") if isinstance(entry, dict) else None
        points = OPTIONS.get(str(question), {}).get(str(option))
        if points is None:
            report.wrong(f"unknown question or option: {question!r}, {option!r}.", at)
        else:
            yield _rating(ASPECTS[str(question)], points, rater="user")


def _grades(given: JsonValue, report: ParseReport) -> Iterator[Rating]:
    """The annotators' grades of a dialogue with a model as the user."""
    for name, value in given.items() if isinstance(given, dict) else ():
        if name not in ASPECTS or isinstance(value, bool) or not isinstance(value, int):
            report.wrong(f"unknown grade or value: {name!r}, {kind_of(value)}.", f"rating.{name}")
        elif not 0 <= value <= (1 if ASPECTS[name] in BINARY else 2):
            report.wrong(f"the grade {value} is outside its scale.", f"rating.{name}")
        else:
            yield _rating(ASPECTS[name], value, rater=None)


def _rating(aspect: str, points: float, *, rater: str | None) -> Rating:
    return Rating(name=aspect, value=points, rater=rater, low=0, high=1 if aspect in BINARY else 2)


def read_folder(folder: Path, note: Note) -> Iterator[AnyRecord]:
    """Every dialogue below a folder, by path.

    Raises:
        DataError: there is none; or with the mistakes of all files.
    """
    what = "this folder contains no dialogues of RecLLMSim."
    hint = "Expected a JSON file for each dialogue, with history and task_context in it."
    paths = files_at(folder, _is_dialogue, what=what, hint=hint, is_deep=True)
    yield from read_each(paths, read_file, note)


def _is_dialogue(head: Head) -> bool:
    return (
        head.is_json_object
        and not head.is_json_lines
        and head.has_keys("history", "role", "content")
        and not head.has_keys("conv_id")
    )


def _recognises(head: Head) -> bool:
    if not head.is_folder:
        return _is_dialogue(head) and head.has_keys("task_context")
    if not head.names & set(PARTS) and head.path.name not in PARTS:
        return False
    first = first_json(head.path, DEEPEST)
    return first is not None and _is_dialogue(Head(first))


FORMAT = SimpleFormat(
    name=NAME,
    summary="RecLLMSim: assistants with people, or a language model, as users; one JSON file each, or folders of them.",
    recognise=_recognises,
    reader=read_file,
    folder_reader=read_folder,
)
