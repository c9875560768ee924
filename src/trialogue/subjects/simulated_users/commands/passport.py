"""Compute the passport of simulated users from users (or their dialogues) and dialogues of real users."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from trialogue.analysis.calls import arguments_of, manifest_of, short_name
from trialogue.errors import DataError, Problem, UsageError
from trialogue.findings.resampling import Resampling
from trialogue.inputs.inputs import InputRecords, gather
from trialogue.inputs.memory import Data, with_data_read
from trialogue.long_work import Progress
from trialogue.metrics import AnyMetric, get_metric
from trialogue.options import Confidence, Resamples, Seed
from trialogue.records import Dialogue, JsonValue, Manifest, MeasureName, Reason, ReasonCode, Role
from trialogue.stats import cluster_sums, estimate_of_sums
from trialogue.stats.resampling.bootstrap import mean_of
from trialogue.subjects.simulated_users.answer import passport_answer
from trialogue.subjects.simulated_users.behavior import Copies, behavior_of
from trialogue.subjects.simulated_users.commands.beside import wordings_of
from trialogue.subjects.simulated_users.commands.realism import PREDICTORS, values_of
from trialogue.subjects.simulated_users.commands.realism_features import FEATURES, has_words, user_turns_of
from trialogue.subjects.simulated_users.commands.sides import (
    annotated_alike,
    copied_dialogues,
    gate_flags,
    models_of,
    recognised_dialogues,
    user_side,
    with_names,
)
from trialogue.subjects.simulated_users.commands.simulated_sample import (
    PassportPlan,
    SimulatedSample,
    are_dialogues,
    read_side,
    simulate_side,
)
from trialogue.subjects.simulated_users.gates import gate_shares
from trialogue.subjects.simulated_users.known_groups import known_group
from trialogue.subjects.simulated_users.methods import SOURCES, methods_of
from trialogue.subjects.simulated_users.ranking import Outcomes, order_of, rankings_of
from trialogue.subjects.simulated_users.records import (
    Behavior,
    Cost,
    Factor,
    KnownGroup,
    MissingPart,
    PassportFindings,
    PassportPart,
    Sample,
    Stability,
)
from trialogue.subjects.simulated_users.stability import stability_of
from trialogue.subjects.simulated_users.threats import passport_threats

OUTCOMES = ("need_met", "constraints_satisfied@mean", *PREDICTORS)
"""Outcomes to compute; those without data are omitted."""


@dataclass(frozen=True)
class SampleOutcomes:
    """Every outcome of the dialogues of one side."""

    values: dict[str, Outcomes] = field(default_factory=dict)
    """By full name of the measure."""
    judgements: tuple[str, ...] = ()
    """Outcomes judged by people or by a publisher."""


def outcomes_of(material: InputRecords, metrics: Sequence[AnyMetric]) -> SampleOutcomes:
    """The outcomes that are defined for dialogues with a known system, and scores that came with them.

    Args:
        material: dialogues, and scores of files about them.
        metrics: what is measured; what has no direction puts nothing in order.
    """
    ranking = [metric for metric in metrics if metric.card.better != "neither"]
    directions = {metric.measure: metric.card.better for metric in ranking}
    found = {
        name: Outcomes(values, tuple(systems), tuple(clusters), directions.get(name) == "lower")
        for name, (values, systems, clusters) in values_of(material, ranking).items()
        if len(values)
    }
    judgements = tuple(name for name in found if MeasureName(name).is_judgement)
    return SampleOutcomes({**_scores_of_file(material), **found}, judgements)


def _scores_of_file(material: InputRecords) -> dict[str, Outcomes]:
    """Scores of dialogues that were published with them, such as another toolkit's flags of success."""
    clusters = {(each.system, each.id): each.cluster for each in material.dialogues}
    rows: dict[str, list[tuple[float, str, str]]] = {}
    for score in material.scores:
        cluster = clusters.get((score.system, score.dialogue_id or ""))
        if score.level != "dialogue" or score.measure.is_judgement or cluster is None or score.system is None:
            continue
        if score.value is not None:
            rows.setdefault(score.measure, []).append((score.value, score.system, cluster))
    return {
        name: Outcomes(
            np.array([value for value, _, _ in given]),
            tuple(system for _, system, _ in given),
            tuple(cluster for _, _, cluster in given),
        )
        for name, given in rows.items()
    }


AGENTS = ("reference:guided", "reference:item-centred", "reference:genre-led")
"""Default agents."""


def passport(
    users: str | Data | SimulatedSample,
    real: Sequence[str | Path | Data] = (),
    *,
    plan: PassportPlan | None = None,
    outcome: str = "need_met",
    same: Mapping[str, str] | None = None,
    out: Path | str = "runs/passport",
    seed: Seed = 0,
    resamples: Resamples = 2_000,
    confidence: Confidence = 0.95,
    progress: Progress | None = None,
) -> PassportFindings:
    """The passport of some simulated users.

    Args:
        users: a kind of users (``"cir6-pkg"``, a folder of fitted users, ``"llm:single"``), which are simulated with the
            agents of the plan; or existing dialogues of simulated users: a file, a corpus, the folder of a simulation,
            records, or a sample that was read before.
        real: dialogues of real users, to compare them with; (): behavior and ranking validity stay unknown.
        plan: what is simulated; for dialogues, only its versions are read.
        outcome: measure for sabotaged agents, seeds and versions.
        same: names, in the simulated dialogues, of the systems in the real dialogues.
        out: folder for what is simulated; an earlier simulation in it is resumed.
        seed: random seed for the statistics.
        resamples: number of resamples of users.
        confidence: confidence level of the intervals.
        progress: called with progress lines.

    Raises:
        UsageError: users, agents or a measure that do not exist.
        DataError: unreadable files, or no dialogues in them; every mistake at once.
    """
    call = arguments_of(passport, locals())
    tell = progress or (lambda _line: None)
    how = Resampling(seed, resamples, confidence)
    metric = get_metric(outcome)
    plan = plan or PassportPlan(AGENTS)
    if not plan.agents:
        raise UsageError("a passport needs at least one agent for the users to talk to.")
    people = gather(with_data_read(list(real))) if real else InputRecords()
    people.dialogues = with_names([each for each in people.dialogues if each.role is Role.SYSTEM], same or {})
    if real and not people.dialogues:
        raise DataError(Problem("it contains no dialogues.", file=", ".join(map(str, real))))
    side = _side(users, plan, Path(out), tell)
    if not side.material.dialogues:
        raise DataError(Problem("it contains no dialogues.", file=users if isinstance(users, str) else side.name))
    tell(f"{len(people.dialogues):,} real and {len(side.dialogues):,} simulated dialogues")
    found = PassportFindings(
        title=f"Passport of simulated users ({side.name})",
        users=side.name,
        signature=side.signature,
        real=tuple(each if isinstance(each, str) else "data" for each in map(_name, real)),
        manifest=_manifest(call, users, real, side, people, plan, how, metric),
    )
    return _with_parts(found, people, side, metric, how)


def _name(given: str | Path | Data) -> str:
    return short_name(given) if isinstance(given, str | Path) else "data"


def _side(users: str | Data | SimulatedSample, plan: PassportPlan, out: Path, tell: Progress) -> SimulatedSample:
    if isinstance(users, SimulatedSample):
        return users
    if not isinstance(users, str):
        material = gather(with_data_read([users]))
        material.dialogues = [each for each in material.dialogues if each.role is Role.SYSTEM]
        return SimulatedSample("simulated users", material)
    return read_side(users, plan.versions) if are_dialogues(users) else simulate_side(users, plan, out, tell)


def _manifest(
    call: Mapping[str, JsonValue],
    users: str | Data | SimulatedSample,
    real: Sequence[str | Path | Data],
    side: SimulatedSample,
    people: InputRecords,
    plan: PassportPlan,
    resampling: Resampling,
    metric: AnyMetric,
) -> Manifest:
    config: dict[str, JsonValue] = {
        "users": users.name if isinstance(users, SimulatedSample) else _name(users),
        "real": [_name(each) for each in real],
        "outcome": metric.measure,
        "resamples": resampling.resamples,
        "confidence": resampling.confidence,
        "versions": dict(plan.versions),
    }
    if isinstance(users, str) and not are_dialogues(users):
        config |= {
            "agents": list(plan.agents),
            "n": plan.n,
            "seeds": plan.seeds,
            "sabotage": list(plan.ways),
            "catalogue": plan.catalogue,
            "ratings": plan.ratings,
            "simulation_seed": plan.seed,
        }
    inputs = {
        f"{kind}/{name}": digest
        for kind, material in (("real", people), ("simulated", side.material))
        for name, digest in material.hashes.items()
    }
    return manifest_of("users passport", call, config=config, inputs=inputs, seed=resampling.seed)


def _with_parts(
    found: PassportFindings, people: InputRecords, side: SimulatedSample, metric: AnyMetric, resampling: Resampling
) -> PassportFindings:
    missing: list[MissingPart] = []
    robots = side.dialogues
    behavior = _behavior(people.dialogues, robots, resampling, missing)
    simulated = outcomes_of(
        InputRecords(dialogues=robots, scores=side.material.scores), [get_metric(n) for n in OUTCOMES]
    )
    real = outcomes_of(people, [get_metric(name) for name in OUTCOMES])
    rankings = rankings_of(simulated.values, real.values, real.judgements, resampling)
    shared = sorted({each.system or "" for each in people.dialogues} & {each.system or "" for each in robots})
    if not rankings:
        missing.append(MissingPart(part=PassportPart.RANKING, why=_no_ranking(people.dialogues, shared)))
    groups = _known_groups(side, metric, resampling)
    if not groups:
        missing.append(MissingPart(part=PassportPart.KNOWN_GROUPS, why=Reason.of(ReasonCode.NO_AGENT_MADE_WORSE)))
    stability = _stability(side, metric, resampling)
    if not stability:
        missing.append(MissingPart(part=PassportPart.STABILITY, why=Reason.of(ReasonCode.NOTHING_VARIED)))
    gates = gate_shares(
        gate_flags(people.dialogues, people.catalogue),
        gate_flags(robots, side.material.catalogue),
        confidence=resampling.confidence,
    )
    copies = Copies(
        dialogues=copied_dialogues(people.dialogues, robots),
        recognised=recognised_dialogues(people.dialogues, side.trained),
        is_fitted_on_known_text=side.is_fitted_on_known_text,
        failed=sum(each.fault is not None for each in robots),
    )
    found = found.model_copy(
        update={
            "behavior": behavior,
            "rankings": rankings,
            "orders": tuple(
                order_of(name, given, resampling, side="simulated")[0]
                for name, given in simulated.values.items()
                if len(set(given.systems)) > 1
            ),
            "known_groups": groups,
            "stability": stability,
            "gates": gates,
            "cost": _cost(side, robots, resampling),
            "missing": tuple(missing),
            "threats": passport_threats(behavior, gates, copies, shared=shared, models=models_of(robots)),
            "warnings": _warnings(people, side),
            "methods": methods_of(behavior),
            "sources": SOURCES,
        }
    )
    return found.model_copy(update={"answer": passport_answer(found)})


def _no_ranking(people: Sequence[Dialogue], shared: Sequence[str]) -> Reason:
    if not people:
        return Reason.of(ReasonCode.NO_REAL_USERS)
    if len(shared) < 2:
        return Reason.of(ReasonCode.NO_SHARED_SYSTEMS, shared=len(shared))
    return Reason.of(ReasonCode.NO_OUTCOME_ON_BOTH_SIDES)


def _behavior(
    people: Sequence[Dialogue], robots: Sequence[Dialogue], resampling: Resampling, missing: list[MissingPart]
) -> Behavior | None:
    sides = [[each for each in side if has_words(each)] for side in (people, robots)]
    if not sides[0]:
        missing.append(MissingPart(part=PassportPart.BEHAVIOR, why=Reason.of(ReasonCode.NO_REAL_USERS)))
        return None
    if not sides[1]:
        why = Reason.of(ReasonCode.ALL_SIMULATED_FAILED, dialogues=len(robots))
        missing.append(MissingPart(part=PassportPart.BEHAVIOR, why=why))
        return None
    labelled = annotated_alike(*sides)
    one, other = (user_side(side, from_labels=labelled) for side in sides)
    return behavior_of(one, other, {name: title for name, (title, _) in FEATURES.items()}, resampling)


def _known_groups(side: SimulatedSample, metric: AnyMetric, resampling: Resampling) -> tuple[KnownGroup, ...]:
    given = outcomes_of(side.material, [metric]).values.get(metric.measure) if side.dosed else None
    if given is None:
        return ()
    found = (
        known_group(each.agent, each.way, metric.measure, each.doses, given, resampling, is_share=metric.card.is_share)
        for each in side.dosed
    )
    return tuple(each for each in found if each is not None)


def _stability(side: SimulatedSample, metric: AnyMetric, resampling: Resampling) -> tuple[Stability, ...]:
    found = []
    for factor, levels in ((Factor.SEED, side.seeds), (Factor.VERSION, side.versions)):
        values = {name: outcomes_of(material, [metric]).values.get(metric.measure) for name, material in levels.items()}
        known: dict[str, Outcomes] = {name: each for name, each in values.items() if each is not None}
        stability = stability_of(factor, metric.measure, known, resampling)
        if stability is not None:
            found.append(stability)
    return tuple(found)


def _cost(side: SimulatedSample, robots: Sequence[Dialogue], resampling: Resampling) -> Cost:
    turns = [[float(len(user_turns_of(each).turns)), 1.0] for each in robots]
    sums = cluster_sums(turns, [each.cluster for each in robots])
    why, usage, count = None, side.usage, len(side.material.dialogues)
    if usage is None:
        why = Reason.of(ReasonCode.USERS_ASK_NO_MODEL if side.asks_model is False else ReasonCode.USAGE_NOT_RECORDED)
    return Cost(
        sample=Sample(simulated=count, cases=len({each.cluster for each in side.material.dialogues})),
        turns=estimate_of_sums(sums, mean_of, confidence=resampling.confidence),
        calls=None if usage is None else (usage.calls + usage.cached) / count,
        tokens_in=None if usage is None or not usage.calls else usage.prompt_tokens / count,
        tokens_out=None if usage is None or not usage.calls else usage.completion_tokens / count,
        money=None if usage is None or usage.cost is None else usage.cost / count,
        currency=None if usage is None else usage.currency,
        seconds=side.seconds,
        why=why,
        models=models_of(robots),
        wordings=wordings_of(robots),
    )


def _warnings(people: InputRecords, side: SimulatedSample) -> tuple[str, ...]:
    silent = [sum(not has_words(each) for each in dialogues) for dialogues in (people.dialogues, side.dialogues)]
    found = [
        f"{count:,} {kind} dialogues without any user text are left out of the comparison of behavior."
        for kind, count in zip(("real", "simulated"), silent, strict=True)
        if count
    ]
    if side.usage is not None and side.usage.cached and not side.usage.calls:
        found.append("The users' model was replayed from the cache: this is not a replication.")
    return tuple(dict.fromkeys([*found, *people.warnings, *side.material.warnings]))
