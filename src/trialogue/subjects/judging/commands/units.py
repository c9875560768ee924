"""Build judged units from files or data: dialogues, judge scores and partial human labels."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from trialogue.analysis.saved_results import holds_run, read_run
from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.inputs import InputRecords, gather, summarise_repairs
from trialogue.inputs.memory import InMemory, in_memory
from trialogue.inputs.read import read
from trialogue.metrics.engine.conversations import conversations_of
from trialogue.metrics.human_ratings import rating_scores
from trialogue.records import MeasureName, Raters, Scale, Score, read_records
from trialogue.records.completion import UNNAMED
from trialogue.records.kinds.origins import kinds_of
from trialogue.records.runs import digests_of
from trialogue.records.score import AGGREGATE
from trialogue.stats.correction.table import Estimand
from trialogue.subjects.judging.commands.score_tables import questions_in, scores_in, single_name, table_in
from trialogue.subjects.judging.coverage import JudgeCoverage, coverage_of
from trialogue.subjects.judging.records import PlannedLabel
from trialogue.subjects.judging.units import JudgedUnit, Key


def text_lengths(material: InputRecords) -> dict[Key, int]:
    """Characters of the system's text by unit: of whole dialogues, of single messages in them, and of replies."""
    lengths: dict[Key, int] = {}
    for dialogue in material.dialogues:
        system, whole = dialogue.system or UNNAMED, 0
        for place, each in enumerate(dialogue.utterances):
            if each.speaker == "system":
                whole += len(each.text)
                lengths[system, dialogue.id, None, place] = len(each.text)
        lengths[system, dialogue.id, None, None] = whole
    for reply in material.responses:
        lengths[reply.system or UNNAMED, None, reply.situation_id, None] = len(reply.utterance.text)
    return lengths


Level = Literal["dialogue", "turn"]
LEVELS: dict[str, Level] = {"dialogue": "dialogue", "utterance": "turn", "response": "turn"}


@dataclass(frozen=True)
class JudgedInput:
    """Judged units that were read."""

    units: tuple[JudgedUnit, ...]
    """Judged units, those labelled included."""
    judge: MeasureName
    question: str
    level: Level
    labels_by: tuple[Raters, ...]
    """Kinds of those who labelled."""
    raters: frozenset[str]
    """Their codes, without those of aggregates."""
    warnings: tuple[str, ...]
    hashes: dict[str, str]
    """sha256 of the inputs."""
    scale: Scale | None = None
    """Scale of the judge's scores, where it is declared."""
    label_scale: Scale | None = None
    """Scale of the labels, where all of them declare the same."""
    coverage: tuple[JudgeCoverage, ...] = ()
    """How much of what it was asked the judge answered, by system."""
    columns: Mapping[MeasureName, Mapping[Key, float]] = field(default_factory=dict)
    """Values of the run's other measures of these units."""


def refuse_other_scale(found: JudgedInput, scale: tuple[float | None, float | None]) -> None:
    """Refuse a declared scale that is not that of the labels: intervals would be cut off where no label ends.

    Raises:
        UsageError: labels lie outside of it, or declare another one.
    """
    low, high = scale
    if low is None and high is None:
        return
    values = [value for unit in found.units for _, value in unit.answers]
    declared = Scale.of(low, high)
    own = found.label_scale
    if declared is None or not values:
        return
    outside = sum(not declared.holds(value) for value in values)
    ends = f"{min(values):g} to {max(values):g}"
    hint = "Give the ends of the labels' scale (--set scale=LOW,HIGH), or leave both out."
    if outside:
        what = f"{outside:,} of {len(values):,} labels of {found.question!r} lie outside of it (they go from {ends})"
        raise UsageError(f"the scale was given as {declared.words}, but {what}. {hint}")
    if own is not None and own != declared and None not in (low, high):
        raise UsageError(f"the scale was given as {declared.words}, but the labels declare {own.words}. {hint}")


@dataclass(frozen=True)
class _Run:
    scores: Sequence[Score]
    users: dict[tuple[str, str], str | None]
    """User by (system, dialogue)."""
    hashes: dict[str, str]
    warnings: tuple[str, ...]
    answers: Sequence[Score]
    """People's answers that the run holds: the labels, unless others are given."""
    lengths: Mapping[Key, int]
    """Characters of the system's text by unit; empty if texts are not known."""


def judged_material(
    given: Sequence[Any],
    *,
    scores: Any,
    aspect: str | None,
    labels: Any,
    chances: Path | None,
    estimand: Estimand,
    also: Sequence[str] = (),
    families: Mapping[str, str] | None = None,
) -> JudgedInput:
    """Read the units of a run with judge scores and human labels.

    Args:
        given: a folder that ``evaluate`` wrote; or dialogues, as ``evaluate`` takes them; or records that were read.
        scores: the judge's, in any format that holds scores, ``FILE:COLUMN``, a data frame, or records; None: a column of
            the run.
        aspect: which of them, by the full name of the measure, or by the question that it predicts; None: the only one.
        labels: people's answers to the question, likewise; None: those that the run holds, if any.
        chances: a plan with the chance of each unit to be labelled; None: equal within a system.
        estimand: turns of one dialogue are one cluster, and dialogues of one user are for the estimand ``POPULATION``.
        also: other names of the question in the labels.
        families: by system, the family of language models that it shares with the judge.

    Raises:
        DataError: there are no such scores or labels, they are of different units, or none is about the run.
    """
    source = _run(given)
    run = ", ".join(map(str, given))
    repairs: list[Problem] = []
    dialogues = {dialogue for _, dialogue in source.users}
    all_answers = list(source.answers) if labels is None else _labels(labels, dialogues, repairs)
    where = run if scores is None else name_of(scores, "scores")
    column, aspect = _judge_column(scores, aspect, source, all_answers, dialogues, repairs)
    said = _of_judge(column, aspect, where, asked=_of_people(all_answers, MeasureName(aspect).aspect or aspect))
    names = tuple(dict.fromkeys((MeasureName(aspect).aspect or aspect, *also)))
    answers = next(filter(None, (_of_people(all_answers, name) for name in names)), [])
    level = LEVELS[said[0].level]
    answers = [each for each in answers if LEVELS.get(each.level) == level]
    if labels is not None and not answers:
        raise DataError(
            Problem(
                f"there are no labels of {' or '.join(map(repr, names))} for a {level}.",
                file=name_of(labels, "labels"),
                hint=_questions(all_answers),
            )
        )
    by_id: dict[str, list[str]] = defaultdict(list)
    for system, dialogue in source.users:
        by_id[dialogue].append(system)
    keyed = [(_key(each, source, by_id), each.value) for each in said]
    judge_of = {key: value for key, value in keyed if key is not None}
    if not judge_of:
        raise DataError(Problem("none of the scores belongs to a dialogue of the run.", file=where))
    answers_of: dict[Key, list[tuple[str, float]]] = defaultdict(list)
    unknown = 0
    for each in answers:
        key = _key(each, source, by_id)
        if key is None or each.value is None:
            unknown += each.value is not None
        else:
            answers_of[key].append((each.rater or AGGREGATE, each.value))
    if labels is not None and not answers_of:
        raise DataError(Problem("none of the labels belongs to a dialogue of the run.", file=name_of(labels, "labels")))
    keys = set(judge_of) | set(answers_of)
    if level == "dialogue":
        keys |= {(system, dialogue, None, None) for system, dialogue in source.users}
    warnings = list(dict.fromkeys([*source.warnings, *summarise_repairs(repairs)]))
    planned = {} if chances is None else _chances(chances, answers_of, warnings)
    strange = sum(key is None for key, _ in keyed)
    if strange:
        warnings.append(
            f"{strange} scores of the judge belong to dialogues that are not in the run, or whose id occurs in several "
            "systems; they are left out."
        )
    if unknown:
        warnings.append(f"{unknown} labels belong to dialogues that are not in the run; they are left out.")
    raters = [each.raters for each in answers if _key(each, source, by_id) in answers_of]
    units = tuple(
        JudgedUnit(
            key,
            judge_of.get(key),
            tuple(sorted(answers_of.get(key, ()))),
            _cluster(key, source, level, estimand),
            planned.get(key, 1.0 if planned and key not in answers_of else None),
            source.lengths.get(key),
        )
        for key in sorted(keys, key=lambda key: tuple("" if part is None else f"{part!s:>9}" for part in key))
    )
    lost = [unit.key[1] or unit.key[2] for unit in units if planned and unit.answers and unit.key not in planned]
    if lost:
        what = f"it has no sampling probability for {len(lost)} labelled units, such as {lost[0]!r}."
        raise DataError(Problem(what, file=str(chances)))
    hashes = dict(source.hashes)
    for kind, name in (("scores", scores), ("labels", labels), ("chances", chances)):
        hashes |= _hashes_of(name, kind)
    return JudgedInput(
        units=units,
        judge=said[0].measure,
        question=_question(aspect, answers),
        level=level,
        labels_by=kinds_of(raters),
        raters=frozenset(rater for given in answers_of.values() for rater, _ in given) - {AGGREGATE},
        warnings=tuple(warnings),
        hashes=hashes,
        scale=said[0].scale,
        label_scale=answers[0].scale if len({each.scale for each in answers}) == 1 else None,
        coverage=coverage_of(
            [unit.key[0] for unit in units],
            [unit.judge is not None for unit in units],
            [(key[0], each) for each in said if (key := _key(each, source, by_id)) is not None],
            dict(families or {}),
        ),
        columns=_columns(source, by_id, keys, said[0].measure),
    )


def _columns(
    source: _Run, by_id: dict[str, list[str]], keys: Container[Key], judge: MeasureName
) -> dict[MeasureName, dict[Key, float]]:
    """Values of the run's measures of the judged units, by name; without the judge, other judges and people's answers."""
    found: dict[MeasureName, dict[Key, float]] = defaultdict(dict)
    for each in source.scores:
        if each.rater is not None or each.value is None or each.measure == judge or each.measure.is_of_judge:
            continue
        key = _key(each, source, by_id)
        if key is not None and key in keys:
            found[each.measure][key] = each.value
    return {name: found[name] for name in sorted(found)}


def name_of(given: Any, kind: str) -> str:
    """Name of an input in messages: its path, or what it is."""
    return str(given) if isinstance(given, str | Path | InMemory) else kind


def _hashes_of(given: Any, kind: str) -> dict[str, str]:
    """sha256 of a file by its name, or of records by what they are; {} for corpora and folders."""
    if given is None:
        return {}
    if isinstance(given, str | Path):
        return {path.name: digest for path, digest in digests_of(filter(Path.is_file, [Path(given)])).items()}
    return {kind: next(iter(_in_memory(given).digests().values()))}


def _in_memory(given: Any) -> InMemory:
    return given if isinstance(given, InMemory) else in_memory(given)


def _run(given: Sequence[Any]) -> _Run:
    """The dialogues of a run, and its scores."""
    one = given[0] if len(given) == 1 else None
    folder = Path(one) if isinstance(one, str | Path) else None
    if folder is not None and holds_run(folder):
        stored = read_run(folder)
        units = {
            (each.system or UNNAMED, each.dialogue_id): None for each in stored.scores if each.dialogue_id is not None
        }
        answers = [each for each in stored.scores if each.rater is not None]
        return _Run(stored.scores, dict(units), stored.inputs, (), answers, {})
    material = one if isinstance(one, InputRecords) else gather(given)
    users: dict[tuple[str, str], str | None] = {
        (each.system or UNNAMED, each.id): each.user for each in material.dialogues
    }
    answers = [each for each in material.scores if each.rater is not None]
    answers += [each for one in conversations_of(material.dialogues) for each in rating_scores(one)]
    hashes, warnings = dict(material.hashes), tuple(material.warnings)
    return _Run(material.scores, users, hashes, warnings, answers, text_lengths(material))


def _of_judge(scores: Iterable[Score], aspect: str, file: str, *, asked: Sequence[Score] = ()) -> list[Score]:
    """The scores of one column, at one level; ``asked``: people's answers to the question of that name."""
    own = [each for each in scores if each.rater is None and each.level in LEVELS]
    found = [each for each in own if each.measure == aspect or each.measure.aspect == aspect]
    found = found or [each for each in own if each.measure.is_called(aspect)]
    columns = sorted({(str(each.measure), each.level) for each in found})
    there = ", ".join(sorted({each.measure.aspect or str(each.measure) for each in own})) or "none"
    if not found and asked:  # of a judge, nothing: people's answers alone are evaluated in one way, by one command
        what = f"people answered {aspect!r}, but no judge gave scores for it."
        hint = f"To compare systems by people's answers alone: trialogue evaluate. Columns of judges: {there}."
        raise DataError(Problem(what, file=file, hint=hint))
    if not found:
        raise DataError(Problem(f"there are no scores for {aspect!r}.", file=file, hint=f"There are: {there}."))
    if len(columns) > 1:
        what = f"{aspect!r} may mean {' or '.join(f'{name} ({level}s)' for name, level in columns)}."
        raise DataError(Problem(what, file=file, hint="Give the full name of one."))
    return found


def _of_people(scores: Iterable[Score], aspect: str) -> list[Score]:
    """Answers to one question; an aspect may be the name of a measure that predicts it."""
    question = MeasureName(aspect).aspect or aspect
    return [
        each
        for each in scores
        if each.rater is not None and question in (each.measure.question, str(each.measure)) and each.value is not None
    ]


def _question(aspect: str, answers: Sequence[Score]) -> str:
    """The question to people; without answers, the one that the judge's column predicts."""
    if not answers:
        return MeasureName(aspect).aspect or aspect
    return answers[0].measure.question or str(answers[0].measure)


def _questions(scores: Iterable[Score]) -> str:
    names = {each.measure.question or str(each.measure) for each in scores if each.rater is not None}
    return f"There are: {', '.join(sorted(names)) or 'none'}."


def _judge_column(
    scores: Any,
    aspect: str | None,
    source: _Run,
    answers: Sequence[Score],
    dialogues: Container[str],
    repairs: list[Problem],
) -> tuple[list[Score], str]:
    """(The judge's scores, the name by which its column is found)."""
    table = None if scores is None else table_in(scores, repairs.append)
    if table is None:
        if aspect is None:
            raise UsageError("Give the judge's column (aspect), or a rubric and a model that judges by it.")
        return (list(source.scores) if scores is None else _scores(scores, repairs)), aspect
    columns = questions_in(table)
    asked = [question for each in answers if each.level == "dialogue" and (question := each.measure.question)]
    question = aspect if aspect is not None and aspect not in columns else single_name(asked)
    if question is None and single_name(columns) is None and aspect is None:
        hint = f"The table has the columns {', '.join(columns)}."
        raise UsageError(f"Give the question that the judge predicts (aspect). {hint}")
    found = scores_in(table, dialogues, question=question or "")
    if aspect in columns:
        found = [each for each in found if each.measure.family == aspect or each.measure == aspect]
    return found, str(found[0].measure) if found else aspect or ""


def _labels(given: Any, dialogues: Container[str], repairs: list[Problem]) -> list[Score]:
    table = table_in(given, repairs.append)
    return _scores(given, repairs) if table is None else scores_in(table, dialogues)


def _scores(given: Any, repairs: list[Problem]) -> list[Score]:
    if isinstance(given, Sequence) and not isinstance(given, str) and all(isinstance(each, Score) for each in given):
        return list(given)
    return [each for each in read(given, note=repairs.append) if isinstance(each, Score)]


def _key(score: Score, run: _Run, by_id: dict[str, list[str]]) -> Key | None:
    """Key of a score's unit; None for dialogues outside the run."""
    if score.dialogue_id is None:
        return (score.system or UNNAMED, None, score.situation_id, score.utterance)
    systems = by_id.get(score.dialogue_id, [])
    system = score.system if score.system is not None else systems[0] if len(systems) == 1 else None
    if system is None or (system, score.dialogue_id) not in run.users:
        return None
    return (system, score.dialogue_id, score.situation_id, score.utterance)


def _cluster(key: Key, run: _Run, level: Level, estimand: Estimand) -> str | None:
    """Cluster of a unit: the dialogue for turns, the user for dialogues of a population."""
    system, dialogue, situation, _ = key
    user = run.users.get((system, dialogue)) if dialogue is not None else None
    if estimand is Estimand.POPULATION and user is not None:
        return f"user {user}"
    return f"{system} {dialogue or situation}" if level == "turn" else None


def _chances(path: Path, labelled: Container[Key], warnings: list[str]) -> dict[Key, float]:
    """Chances by unit, from a plan; where planned labels are missing, times the share of a system's that are there."""
    planned = {
        (each.system, each.dialogue_id, each.situation_id, each.utterance): each.chance
        for each in read_records(path, PlannedLabel)
    }
    by_system: dict[str, list[bool]] = defaultdict(list)
    for key in planned:
        by_system[key[0]].append(key in labelled)
    share = {system: sum(given) / len(given) for system, given in by_system.items()}
    for system, given in sorted(by_system.items()):
        if 0 < share[system] < 1:
            warnings.append(
                f"{len(given) - sum(given)} of {len(given)} planned units of {system} have no label; those that have one "
                "are treated as a random sample of the plan."
            )
    return {key: chance * (share[key[0]] or 1.0) for key, chance in planned.items()}
