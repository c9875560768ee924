"""A language model as a judge: applies a rubric to dialogues and replies, one at a time."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from trialogue.dask_cluster import ALONE, Workers
from trialogue.errors import UsageError
from trialogue.judges.answers import commonest, empty_reading, read_points, sample_of, settings_hash
from trialogue.judges.asking import Answer, Asker, Cost
from trialogue.judges.judgement import Judgement, Sample, Watch
from trialogue.judges.options import AnyJudgeOptions
from trialogue.judges.prompts import VERSION, schema_of, signature_of, task_of
from trialogue.judges.rubric import Form, JudgedLevel, Rubric
from trialogue.judges.scores import scores_of
from trialogue.judges.units import Showing, Unit, units_of, units_of_responses
from trialogue.llm.chat import Completion
from trialogue.llm.usage import Usage
from trialogue.records import Dialogue, MeasureName, Reason, ReasonCode, Response, Score, Situation
from trialogue.records.measure_name import JUDGE
from trialogue.transport.retry import RetryPolicy


class RubricJudge(ABC):
    """One model with one rubric, for single conversations or for pairs: what it is asked, and what that takes."""

    form: ClassVar[Form]

    def __init__(
        self,
        rubric: Rubric,
        options: AnyJudgeOptions,
        *,
        systems: Iterable[str] = (),
        seed: int = 0,
        showing: Showing | None = None,
        instruction: str | None = None,
        retry_policy: RetryPolicy | None = None,
        workers: Workers = ALONE,
    ) -> None:
        """Check that the rubric can be used so; no request is made yet.

        Args:
            rubric: what is asked.
            options: model, sampling, and how it is asked.
            systems: names of systems that are removed from texts.
            seed: seed for the model's draws.
            showing: that of another judge, to show both the same texts; None: by ``systems`` and the options.
            instruction: other words for the instruction, to probe the judge; None: those of ``prompts``. Columns are
                named as if there were none.
            retry_policy: retry policy of this process, for tests; None: that of the options.
            workers: where models are asked.

        Raises:
            UsageError: the rubric is not for this form, expected points are not possible, or the key is not set.
        """
        self.rubric, self.options, self.seed, self.name = rubric, options, seed, options.model
        self.workers = workers
        self.check()
        self.showing = showing or Showing(systems, mask=options.mask)
        self._asker = Asker(
            options,
            instruction or task_of(rubric, self.form, reasons=options.reasons),
            schema_of(rubric, self.form, reasons=options.reasons),
            seed=seed,
            retry_policy=retry_policy,
            workers=workers,
        )

    @abstractmethod
    def check(self) -> None:
        """Raise UsageError if the rubric or the options are not for this form."""

    @property
    def settings_hash(self) -> str:
        """Eight digits that change with everything that is asked: rubric, prompt, sampling, seed."""
        return settings_hash(self.rubric, self.options, self.seed)

    def usage(self) -> Usage:
        """Requests, tokens and cost so far."""
        return self._asker.usage()

    def close(self) -> None:
        """Close the connections."""
        self._asker.close()

    def _without_reading(self, answer: Answer) -> Sample | None:
        """The sample of an answer that is none or was cut off; None: there is something to read in it."""
        if isinstance(answer, Reason):
            return Sample(whys=dict(empty_reading(self.rubric, answer).whys))
        if answer.is_whole:
            return None
        why = Reason.of(ReasonCode.JUDGE_CUT, finish_reason=answer.finish_reason)
        return sample_of(answer, {}, empty_reading(self.rubric, why).whys)


class LlmJudge(RubricJudge):
    """One model with one rubric, for single conversations or replies."""

    form = Form.POINTWISE

    def check(self) -> None:
        """Raise UsageError if the rubric is for pairs alone, or has points that are no single tokens."""
        if not self.rubric.allows(Form.POINTWISE):
            raise UsageError(f"The rubric {self.rubric.id} is for pairs; use it with 'trialogue judge pairs'.")
        if self.options.expected and any(self.rubric.scale_of(each).high > 9 for each in self.rubric.aspects):
            raise UsageError(
                f"The option expected requires single-digit points, but {self.rubric.id} has larger ones: a token 1 may be "
                "the beginning of 10."
            )

    def measure(self, aspect: str) -> MeasureName:
        """Full name of the column of an aspect, such as ``judge(tiny, overall, 0123abcd)@stated|v1:dialogue_overall``.

        >>> rubric = __import__("trialogue.judges", fromlist=["load_rubric"]).load_rubric("overall")
        >>> from trialogue.judges import JudgeOptions
        >>> judge = LlmJudge(rubric, JudgeOptions(url="http://localhost:1/v1", model="tiny"))
        >>> judge.measure("dialogue_overall").aspect
        'dialogue_overall'
        """
        variant = "expected" if self.options.expected else "stated"
        return MeasureName(
            f"{JUDGE}({self.name}, {self.rubric.id}, {self.settings_hash})@{variant}|v{VERSION}"
        ).with_aspect(aspect)

    def units(self, dialogues: Iterable[Dialogue]) -> list[Unit]:
        """What the judge would be asked about dialogues."""
        return [unit for dialogue in dialogues for unit in units_of(dialogue, self.rubric, self.showing)]

    def units_of_responses(self, situations: Iterable[Situation], responses: Sequence[Response]) -> list[Unit]:
        """What the judge would be asked about replies to situations; [] for a rubric about dialogues."""
        if self.rubric.level is JudgedLevel.DIALOGUE:
            return []
        return list(units_of_responses({each.id: each for each in situations}, responses, self.rubric, self.showing))

    def judge(self, dialogues: Sequence[Dialogue], *, watch: Watch | None = None) -> list[Judgement]:
        """Judge dialogues: one judgement each, or (level ``turn``) one for each reply, in order.

        Raises:
            UsageError: the endpoint cannot be reached, or refuses the key.
        """
        return self.judge_units(self.units(dialogues), watch=watch)

    def judge_units(self, units: Sequence[Unit], *, watch: Watch | None = None) -> list[Judgement]:
        """Judge units; equal texts are asked once."""
        answers = self._asker.ask((unit.text for unit in units if unit.text), watch)
        return [self._judgement(unit, answers.get(unit.text, ())) for unit in units]

    def scores(self, judgements: Sequence[Judgement]) -> list[Score]:
        """Scores of judgements, with their origin in the signature."""
        origin = f"{self.rubric.signature} {signature_of()} settings|{self.settings_hash}"
        return scores_of(judgements, self.rubric, self.measure, origin)

    def cost(self, units: Iterable[Unit]) -> Cost:
        """What judging units will cost; makes no request."""
        return self._asker.cost(unit.text for unit in units if unit.text)

    def _judgement(self, unit: Unit, answers: Sequence[Answer]) -> Judgement:
        samples = tuple(self._sample(answer) for answer in answers)
        values: dict[str, float] = {}
        whys: dict[str, Reason] = {}
        for aspect in self.rubric.aspects:
            if unit.is_worst:
                values[aspect.name] = float(self.rubric.scale_of(aspect).low)
                continue
            points = [sample.values[aspect.name] for sample in samples if aspect.name in sample.values]
            if points:
                values[aspect.name] = sum(points) / len(points)
            else:
                whys[aspect.name] = unit.why or commonest(samples, aspect.name)
        return Judgement(
            judge=self.name,
            rubric=self.rubric.signature,
            system=unit.system,
            dialogue_id=unit.dialogue_id,
            situation_id=unit.situation_id,
            utterance=unit.utterance,
            values=values,
            whys=whys,
            samples=samples,
            is_worst=unit.is_worst,
            masked=unit.masked,
            anonymised=unit.anonymised,
        )

    def _sample(self, answer: Answer) -> Sample:
        if (unread := self._without_reading(answer)) is not None:
            return unread
        assert isinstance(answer, Completion)
        found = read_points(self.rubric, answer.text, answer.tokens if self.options.expected else None)
        return sample_of(answer, found.values, found.whys, found.reason)
