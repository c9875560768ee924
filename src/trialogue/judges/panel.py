"""Several judges as one: the mean of their scores, where at least half of them give one."""

from collections.abc import Sequence

from trialogue.judges.judgement import Judge, Judgement
from trialogue.judges.rubric import Rubric
from trialogue.judges.scores import level_of
from trialogue.records import MeasureName, Reason, ReasonCode, Score
from trialogue.records.measure_name import JUDGE


def panel_scores(rubric: Rubric, judges: Sequence[Judge], judgements: Sequence[Sequence[Judgement]]) -> list[Score]:
    """Mean scores of a panel, unit by unit; [] for a single judge.

    Args:
        rubric: what all were asked.
        judges: the members.
        judgements: judgements of each member, about the same units in the same order.
    """
    if len(judges) < 2:
        return []
    found = []
    for aspect in rubric.aspects:
        name = panel_measure(judges, aspect.name)
        origin = " + ".join(str(judge.measure(aspect.name)) for judge in judges)
        for said in zip(*judgements, strict=True):
            values = [each.values[aspect.name] for each in said if aspect.name in each.values]
            is_enough = 2 * len(values) >= len(judges)
            first = said[0]
            found.append(
                Score(
                    measure=name,
                    level=level_of(first),
                    value=sum(values) / len(values) if is_enough else None,
                    why=None if is_enough else _reason(said, aspect.name, len(judges)),
                    system=first.system,
                    dialogue_id=first.dialogue_id,
                    situation_id=first.situation_id,
                    utterance=first.utterance,
                    scale=rubric.scale_of(aspect).scale,
                    n=len(values),
                    skipped=len(judges) - len(values),
                    signature=f"panel {origin}",
                )
            )
    return found


def panel_measure(judges: Sequence[Judge], aspect: str) -> MeasureName:
    """Name of a panel's column: those of its members."""
    members = " + ".join(judge.measure(aspect).parameters for judge in judges)
    variants = {judge.measure(aspect).variant for judge in judges}
    variant = variants.pop() if len(variants) == 1 else "mixed"
    version = judges[0].measure(aspect).version or 1
    return MeasureName(f"{JUDGE}(panel: {members})@{variant}|v{version}").with_aspect(aspect)


def _reason(said: Sequence[Judgement], aspect: str, judges: int) -> Reason:
    """The reason that all share, such as that there is nothing to judge; else that too few answered."""
    whys = {each.whys[aspect] for each in said if aspect in each.whys}
    return whys.pop() if len(whys) == 1 else Reason.of(ReasonCode.JUDGE_PANEL_INCOMPLETE, judges=judges)
