"""Ask language models to judge dialogues and replies: judgements, scores with their origin, cost, and what was sent."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trialogue.analysis.saved_results import holds_run
from trialogue.dask_cluster import Workers
from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.inputs.memory import Data, with_data_read
from trialogue.judges import (
    AnyJudgeOptions,
    Judge,
    Judgement,
    JudgeOptions,
    LlmJudge,
    LlmPairJudge,
    LocalJudgeOptions,
    Rubric,
    judge_options,
    judge_record,
    load_rubric,
)
from trialogue.judges.asking import Cost
from trialogue.judges.judgement import JudgingProgress
from trialogue.judges.panel import panel_scores
from trialogue.judges.rubric import JudgedLevel
from trialogue.llm.families import family_of
from trialogue.llm.usage import Usage
from trialogue.options import Jobs, Seed
from trialogue.records import Manifest, MeasureName, Score, write_records
from trialogue.records.completion import UNNAMED
from trialogue.records.runs import run_draft
from trialogue.subjects.judging.commands.consent import Disclosure, check_consent, disclosure_of

SCORES, JUDGEMENTS, USAGE = "judge_scores.jsonl", "judgements.jsonl", "judge_usage.jsonl"
CACHE = "answers"
EVERY_S = 2.0  # between two lines of progress

JudgeGiven = str | Path | AnyJudgeOptions | Mapping[str, Any] | Judge
"""A judge: ``openai:MODEL``, ``huggingface:FOLDER``, a YAML file of options, options, or an object like ``Judge``."""


@dataclass(frozen=True)
class JudgeScores:
    """Judgements of dialogues."""

    rubric: Rubric
    """What they were asked."""
    scores: tuple[Score, ...]
    """Scores of every judge, and of the panel where there are several; missing ones have a reason."""
    judgements: tuple[Judgement, ...]
    """Answers of every judge, with their text."""
    columns: Mapping[str, MeasureName]
    """By aspect, the column that stands for all judges: the only one's, or the panel's."""
    usage: tuple[Usage, ...]
    """Requests, tokens and cost, by judge."""
    notes: tuple[str, ...]
    """What was masked, removed, and sent."""

    def write(self, folder: Path | str) -> None:
        """Write scores, answers and usage as JSON Lines."""
        with run_draft(folder, Manifest(command="judge --model")) as draft:
            write_records(draft / SCORES, self.scores)
            write_records(draft / JUDGEMENTS, self.judgements)
            write_records(draft / USAGE, self.usage)


@dataclass(frozen=True)
class Panel:
    """Judges that are ready to be asked about some records."""

    rubric: Rubric
    """What they are asked."""
    judges: tuple[Judge, ...]
    material: InputRecords
    disclosure: Disclosure | None
    """What is sent to servers of others without recorded consent."""

    def costs(self) -> list[tuple[str, Cost]]:
        """(judge, cost) of language models, in advance; makes no request."""
        return [
            (each.name, each.cost(_units(each, self.material))) for each in self.judges if isinstance(each, LlmJudge)
        ]

    def ask(self, *, tell: Callable[[str], None] = lambda _line: None) -> JudgeScores:
        """Ask all judges, one after the other.

        Raises:
            UsageError: an endpoint cannot be reached, or refuses the key; what was answered is in the cache.
        """
        judgements: list[list[Judgement]] = []
        scores: list[list[Score]] = []
        usage: list[Usage] = []
        for judge in self.judges:
            watch = JudgingLines(tell, judge.name)
            try:
                if isinstance(judge, LlmJudge):
                    found = judge.judge_units(_units(judge, self.material), watch=watch)
                else:
                    found = judge.judge(self.material.dialogues, watch=watch)
            except KeyboardInterrupt:
                raise KeyboardInterrupt(watch.interrupted) from None
            finally:
                if isinstance(judge, LlmJudge):
                    judge.close()
            judgements.append(found)
            scores.append(judge.scores(found))
            usage += [judge.usage()] if isinstance(judge, LlmJudge) else []
        together = panel_scores(self.rubric, self.judges, judgements)
        columns = {each.name: self.judges[0].measure(each.name) for each in self.rubric.aspects}
        if together:
            columns = {each.measure.aspect or "": each.measure for each in together}
        return JudgeScores(
            rubric=self.rubric,
            scores=tuple(score for each in (*scores, together) for score in each),
            judgements=tuple(each for found in judgements for each in found),
            columns=columns,
            usage=tuple(usage),
            notes=tuple(_notes(self, judgements)),
        )


def judge_scores(
    *given: str | Path | Data,
    rubric: str | Path | Rubric,
    model: JudgeGiven | Sequence[JudgeGiven],
    options: Mapping[str, Any] | None = None,
    cache: Path | None = None,
    seed: Seed = 0,
    i_may: bool = False,
    jobs: Jobs = 1,
    cluster: str | None = None,
    out: Path | str | None = None,
    progress: Callable[[str], None] | None = None,
) -> JudgeScores:
    """Let language models judge dialogues or replies by a rubric; scores without an answer have a reason.

    Args:
        given: dialogues, or situations and replies: files, corpora, or data in memory, as ``evaluate`` takes them.
        rubric: a name such as ``"overall"``, a YAML file, or a ``Rubric``.
        model: ``"openai:MODEL"``, a YAML file of options, options, or any ``Judge``; several are a panel.
        options: further options of all models, such as ``url``, ``temperature`` or ``samples``.
        cache: folder of answers, so that no question is paid for twice; None: that of the options, or none.
        seed: random seed for the models' draws.
        i_may: whether dialogues of people may be sent to other people's servers without recorded consent.
        jobs: processes that ask (or that models in this process run in); the results are the same for any number.
        cluster: address of a Dask scheduler whose workers see the same files, or ``"local"`` for one of ``jobs`` processes
            on this machine; None: no cluster.
        out: folder for scores, answers and usage; None: nothing is written.
        progress: called with progress lines.

    Raises:
        DataError: unreadable input, a rubric with mistakes, or nothing to judge.
        UsageError: unknown names, impossible options, no consent, or an endpoint that cannot be reached.
    """
    panel = prepare_panel(with_data_read(given), rubric, model, options, cache, seed, jobs, cluster)
    check_consent(panel.disclosure, i_may=i_may)
    found = panel.ask(tell=progress or (lambda _line: None))
    if out is not None:
        found.write(out)
    return found


def shared_families(material: InputRecords, found: JudgeScores) -> dict[str, str]:
    """By system, the family of language models that both it and a judge are of, as far as their ids say."""
    judges = {family_of(sample.model) for each in found.judgements for sample in each.samples if sample.model}
    judges |= {family_of(each.model) for each in found.usage}
    families: dict[str, str] = {}
    replies = [
        (each.system or UNNAMED, said)
        for each in material.dialogues
        for said in each.utterances
        if said.speaker == "system"
    ]
    replies += [(each.system, each.utterance) for each in material.responses]
    for system, said in replies:
        model = said.meta.get("model")
        family = family_of(model) if isinstance(model, str) else None
        if family is not None and family in judges:
            families[system] = family.value
    return families


def prepare_panel(
    given: Sequence[Any],
    rubric: str | Path | Rubric,
    model: JudgeGiven | Sequence[JudgeGiven],
    options: Mapping[str, Any] | None = None,
    cache: Path | None = None,
    seed: int = 0,
    jobs: int = 1,
    cluster: str | None = None,
) -> Panel:
    """Read the input and make the judges; arguments as for ``judge_scores``. Nobody is asked."""
    asked = rubric if isinstance(rubric, Rubric) else load_rubric(rubric)
    refuse_results(given)
    material = gather(given)
    dialogues = material.dialogues
    if not (dialogues or (asked.level is JudgedLevel.TURN and material.responses)):
        what = "there are no dialogues" if asked.level is JudgedLevel.DIALOGUE else "there are no replies"
        raise DataError(Problem(f"{what} to judge.", file=", ".join(map(str, given))))
    systems = {each.system or UNNAMED for each in dialogues} | {each.system for each in material.responses}
    many = model if isinstance(model, Sequence) and not isinstance(model, str) else [model]
    more = {"systems": sorted(systems), "seed": seed, "workers": Workers(jobs, cluster)}
    judges = tuple(_judge(each, asked, options or {}, cache, **more) for each in many)
    if not judges:
        raise UsageError("Give at least one judge.")
    names = [str(judge.measure(asked.aspects[0].name)) for judge in judges]
    if len(set(names)) < len(names):
        raise UsageError(
            "Two judges of the panel are the same model with the same options. For several answers of a model, use samples."
        )
    urls = urls_of(each for each in judges if isinstance(each, LlmJudge))
    responses = material.responses if asked.level is JudgedLevel.TURN else []
    return Panel(asked, judges, material, disclosure_of(dialogues, responses, urls))


def refuse_results(given: Sequence[Any]) -> None:
    """Raise DataError for folders that ``evaluate`` wrote, which hold no texts that a judge could read."""
    for each in given:
        if isinstance(each, str | Path) and holds_run(Path(each)):
            hint = "Give the dialogues themselves."
            raise DataError(
                Problem("a folder of results contains scores, but no dialogues.", file=str(each), hint=hint)
            )


class JudgingLines:
    """Lines on how far a judge is, at intervals.

    >>> said = []
    >>> lines = JudgingLines(said.append, "tiny")
    >>> lines(JudgingProgress(done=40, total=100, cached=10, failed=1, elapsed_s=30))
    >>> said
    ['tiny: 40 of 100 answers, 10 from the cache, 1 failed, 60 s to go']
    """

    def __init__(self, tell: Callable[[str], None], name: str) -> None:
        """``name``: the judge's."""
        self._tell, self._name, self._last = tell, name, -EVERY_S
        self._state: JudgingProgress | None = None

    def __call__(self, now: JudgingProgress) -> None:
        """Receive progress; print it at intervals and at the end."""
        self._state = now
        if now.elapsed_s - self._last >= EVERY_S or now.done == now.total:
            self._last = now.elapsed_s
            eta = "" if now.eta_s is None else f", {now.eta_s:.0f} s to go"
            parts = f"{now.cached:,} from the cache, {now.failed:,} failed{eta}"
            self._tell(f"{self._name}: {now.done:,} of {now.total:,} answers, {parts}")

    @property
    def interrupted(self) -> str:
        """What to say of an interruption."""
        done = "0" if self._state is None else f"{self._state.done:,} of {self._state.total:,}"
        return f"interrupted: {done} answers of {self._name}; with a cache, the same command resumes from there"


def urls_of(judges: Iterable[LlmJudge | LlmPairJudge]) -> list[str]:
    """Endpoints that texts are sent to; models in this process send nothing."""
    return [each.options.url for each in judges if isinstance(each.options, JudgeOptions)]


def _judge(
    given: JudgeGiven,
    rubric: Rubric,
    options: Mapping[str, Any],
    cache: Path | None,
    **more: Any,
) -> Judge:
    if isinstance(given, str | Path):
        made = judge_options(given, options)
    elif isinstance(given, JudgeOptions | LocalJudgeOptions):
        made = type(given).model_validate({**given.model_dump(), **options})
    elif isinstance(given, Mapping):
        fields = {**given, **options}
        made = judge_record(fields).model_validate(fields)
    else:
        return given
    if made.cache is None and cache is not None:
        made = made.model_copy(update={"cache": cache})
    return LlmJudge(rubric, made, **more)


def _units(judge: LlmJudge, material: InputRecords) -> list[Any]:
    return [*judge.units(material.dialogues), *judge.units_of_responses(material.situations, material.responses)]


def _notes(panel: Panel, judgements: Sequence[Sequence[Judgement]]) -> Iterable[str]:
    if panel.disclosure is not None:
        yield f"{panel.disclosure.sentence('were sent')} The data record no consent to this."
    masked = sum(each.masked for each in judgements[0])
    named = sum(each.anonymised for each in judgements[0])
    if masked:
        yield f"{masked:,} e-mail addresses, phone numbers or platform ids were masked before the judge saw them."
    if named:
        yield f"{named:,} names of systems or users were removed from texts before the judge saw them."
    kept = next((each.showing.kept_names for each in panel.judges if isinstance(each, LlmJudge)), ())
    if kept:
        yield (
            f"Names of systems that are ordinary words or shorter than three letters stay in texts: {', '.join(kept)}."
        )
    worst = sum(each.is_worst for each in judgements[0])
    if worst:
        yield f"{worst:,} dialogues failed through the system's fault and get the lowest score; no judge was asked."
