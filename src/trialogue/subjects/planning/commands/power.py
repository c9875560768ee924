"""``trialogue study power``: power of a planned study, and of larger ones."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from trialogue.errors import DataError, Problem, UnknownNameError, UsageError
from trialogue.inputs.study_data import StudyData, countable_participants
from trialogue.inputs.study_files import read_export
from trialogue.options import Alpha, Jobs, Power, Seed, StudySimulations
from trialogue.stats import clmm
from trialogue.study.design.file import StudyFile
from trialogue.subjects.people.models import classes, effects_of
from trialogue.subjects.people.table import FEW_RATERS, RatingTable, table_of
from trialogue.subjects.planning.quick_test import calibrate
from trialogue.subjects.planning.study_plan import StudyPlan, Variances, even_thresholds, tie_band
from trialogue.subjects.planning.study_power import (
    PowerFindings,
    curves_of,
    enlargements_of,
    find_alternative,
    study_power,
)
from trialogue.subjects.planning.variance_presets import INSPIRED2, PRESETS, preset

STEP = 0.5  # logits between systems, where nobody says more
PARTICIPANTS = 50
SPREADS = {
    "rater": "rater",
    "rater x system": "rater_system",
    "item": "item",
    "item x system": "item_system",
    "dialogue": "dialogue",
    "dialogue x system": "dialogue_system",
}
"""Fields of Variances by the names of the model's random effects."""
DESIGN = frozenset({"participants", "tasks", "situations", "points", "ties", "dropout", "excluded", *SPREADS.values()})
TIES = 0.2  # share of ties between systems of equal effect, where nobody says more
"""Changeable settings of a plan."""


@dataclass(frozen=True)
class Base:
    """Initial plan."""

    plan: StudyPlan
    source: str
    """Source of its variances."""
    notes: tuple[str, ...] = ()


def base_plan(given: str | Path | None, *, effects: tuple[float, ...] | None = None) -> Base:
    """Plan from a study folder, a pilot's export, or a preset.

    Args:
        given: a folder with ``study.yaml`` (design from the file, variances from INSPIRED2), an export of a pilot (design
            and variances from the pilot), or the name of a preset; None: the preset ``inspired2``.
        effects: effect of each system, in logits; None: 0.5 apart, for as many systems as there are.

    Raises:
        UsageError: neither a folder nor a preset, or a study without ratings on a scale.
        DataError: files that cannot be read, or a pilot to which the model cannot be fitted.
    """
    if given is not None and Path(given).is_dir():
        folder = Path(given)
        if (folder / "study.yaml").is_file():
            return _of_study(folder, effects)
        return _of_pilot(folder, effects)
    if given is not None and str(given) not in PRESETS:
        raise UsageError(
            f"{given} is neither a folder (of a study, or of a pilot's export) nor a preset ({', '.join(sorted(PRESETS))})."
        )
    found = preset(str(given or INSPIRED2.name))
    return Base(found.plan(effects or _steps(found.systems)), found.source)


def plan_study(
    base: Base | Path | str | None = None,
    *,
    effects: tuple[float, ...] | None = None,
    power: Power = 0.8,
    alpha: Alpha = 0.05,
    simulations: StudySimulations = 1_000,
    seed: Seed = 0,
    jobs: Jobs = 1,
    search: bool = True,
    full: bool = False,
    progress: Callable[[str], None] | None = None,
    **design: float | int | None,
) -> PowerFindings:
    """Estimate the power of a planned rating study, and search for plans with the desired power.

    Args:
        base: the plan, or what it is made from: a folder with ``study.yaml``, an export of a pilot, or the name of a preset
            (``base_plan``).
        effects: effect of each system, in logits; None: 0.5 apart, for as many systems as there are.
        power: required probability of detecting every true difference.
        alpha: significance level of the tests, after correction.
        simulations: number of simulated studies per plan. 100 give an uncertainty of .08, and 1,000 give .025.
        seed: random seed for the simulated studies.
        jobs: number of processes; it does not change the findings.
        search: if this plan does not reach the required power, search for plans that do.
        full: preferences: use the report's test for every simulated study, instead of a calibrated quick test. It takes
            minutes; the quick test is calibrated on the report's analysis of a few studies
            (``planning.quick_test``).
        progress: called with progress lines.
        design: replacements for settings of the plan: participants, tasks (situations that each of them judges), situations
            (different ones in total), points of the scale, ties (share of choices between equal systems), dropout and
            excluded (shares), and standard deviations in logits (rater, rater_system, item, item_system).

    Raises:
        UsageError: an option out of range or unknown, or an impossible plan.
        DataError: files that cannot be read.
    """
    if unknown := sorted(design.keys() - DESIGN):
        raise UnknownNameError("plan option", unknown[0], DESIGN)
    base = change_base(base if isinstance(base, Base) else base_plan(base, effects=effects), **design)
    plan = base.plan
    is_quick = plan.answers == "choices" and not full
    quick = calibrate(plan, seed=seed, level=alpha, jobs=jobs) if is_quick else None
    found = study_power(
        plan, seed=seed, simulations=simulations, level=alpha, jobs=jobs, progress=progress, calibration=quick
    )
    wanted = search and found.every_pair.value is not None and found.every_pair.value < power
    ways = tuple(
        find_alternative(
            plan, way, power=power, seed=seed, simulations=simulations, level=alpha, jobs=jobs, progress=progress,
            calibration=quick,
        )
        for way in (enlargements_of(plan) if wanted else ())
    )  # fmt: skip
    return PowerFindings(
        source=base.source,
        effects=plan.effects,
        variances={name: getattr(plan.variances, field) for name, field in SPREADS.items()},
        thresholds=plan.thresholds,
        dropout=plan.dropout,
        excluded=plan.excluded,
        level=alpha,
        power=power,
        seed=seed,
        plan=found,
        ways=ways,
        curves=curves_of(plan, level=alpha) if found.every_pair.value is not None else {},
        notes=base.notes,
    )


def _steps(systems: int) -> tuple[float, ...]:
    return tuple(STEP * place for place in range(systems))


def _of_study(folder: Path, effects: tuple[float, ...] | None) -> Base:
    """Design from a study file, with variances from INSPIRED2, since there are no ratings yet."""
    from trialogue.study.opening import read_folder

    file, items, _ = read_folder(folder)
    names = {name for item in items for name in item.systems}
    systems, each = max(2, len(names)), min(file.items_per_participant, len(items))
    if file.type == "preference":
        return _of_choices(folder, file, effects or _steps(systems), each=each, situations=len(items))
    points, chats = _points(file, folder), file.type == "chat"
    talks = each * min(len(item.systems) for item in items)
    met = min(systems, talks)
    plan = StudyPlan(
        effects=effects or _steps(systems),
        participants=max(2, len(items) * file.raters_per_item // each),
        tasks=talks // met if chats else each,
        situations=None if chats else len(items),
        variances=INSPIRED2.variances,
        thresholds=even_thresholds(points),
        met=met if chats and met < systems else None,
    )
    return Base(
        plan,
        f"design from {folder}; standard deviations from {INSPIRED2.source}; all points equally likely for an average reply",
    )


def _of_choices(folder: Path, file: StudyFile, effects: tuple[float, ...], *, each: int, situations: int) -> Base:
    """Design of a preference study."""
    plan = StudyPlan(
        effects=effects,
        participants=max(2, situations * file.raters_per_item // each),
        tasks=each,
        situations=situations,
        variances=INSPIRED2.variances,
        thresholds=tie_band(INSPIRED2.variances, TIES),
        answers="choices",
    )
    return Base(
        plan,
        f"design from {folder}; standard deviations from {INSPIRED2.source}; {TIES:.0%} ties between equal systems",
    )


def _points(file: StudyFile, folder: Path) -> int:
    scale = next((question.scale for question in file.criteria if question.scale is not None), None)
    if file.type not in ("rating", "chat") or scale is None:
        raise UsageError(
            f"power analysis supports ratings of replies or chats on a scale, and preferences; {folder} is of type "
            f"{file.type}{'' if scale is not None else ' without a criterion with a scale'}."
        )
    return len(scale)


def _of_pilot(folder: Path, effects: tuple[float, ...] | None) -> Base:
    """Design and variances from a pilot, estimated with the report's own model."""
    data, _ = read_export(folder)
    measure = data.primary or min((score.measure for score in data.scores), default=None)
    if measure is None:
        raise DataError(Problem("variances cannot be estimated from a pilot without ratings.", file=str(folder)))
    everything, _ = table_of([score for score in data.scores if score.measure == measure], data.presentations)
    table = everything.select_raters(countable_participants(data.people, data.rules))
    if len(set(table.ratings)) < 2 or len(table.systems) < 2:
        raise DataError(
            Problem(
                "variances can be estimated only from a pilot with ratings of at least two systems.", file=str(folder)
            )
        )
    variances, thresholds, notes = fitted_variances(table)
    per_person = Counter(row.rater for row in {(row.rater, row.item): row for row in table.rows}.values())
    items, dialogues = len(set(table.column("item"))), len(set(table.column("group")))
    shared = len(table.rows) > len({row.thing for row in table.rows})
    tasks = max(1, round(median(per_person.values()) / (1 if shared else len(table.systems))))
    begun, finished, counted = _flow(data, everything)
    plan = StudyPlan(
        effects=effects or _steps(len(table.systems)),
        participants=max(2, begun),
        tasks=min(tasks, items),
        situations=items if shared else None,
        variances=variances,
        thresholds=thresholds,
        dropout=1 - finished / begun if begun else 0.0,
        excluded=1 - counted / finished if finished else 0.0,
        per_dialogue=max(1, round(items / dialogues)) if shared else 1,
    )
    return Base(plan, f"the pilot {folder}, {table.raters} participants, {len(table.rows):,} ratings", tuple(notes))


def _flow(data: StudyData, table: RatingTable) -> tuple[int, int, int]:
    """Numbers of participants who began, finished and count."""
    if not data.people:
        return table.raters, table.raters, table.raters
    answered = set(table.column("rater"))
    begun = [one for one in data.people if one.furthest(answered) in ("active", "completed")]
    finished = [one for one in begun if one.state == "completed"]
    return len(begun), len(finished), len((countable_participants(data.people, data.rules) or frozenset()) & answered)


def fitted_variances(table: RatingTable) -> tuple[Variances, tuple[float, ...], list[str]]:
    """Standard deviations and thresholds (around the average system and position) by the report's model.

    Fewer than six raters are fixed effects in the report, but random here, since a plan is about other raters. What the data
    cannot tell is taken from INSPIRED2, with a note.

    Raises:
        DataError: the model has no fit.
    """
    effects = effects_of(table)
    fixed, random = dict(effects.fixed), dict(effects.random)
    notes: list[str] = []
    if 1 < table.raters < FEW_RATERS and table.known_raters:
        fixed.pop("rater", None)
        random["rater"] = table.column("rater")
        random["rater x system"] = [f"{row.rater}\x1f{row.system}" for row in table.rows]
        notes.append(f"Standard deviations between participants rest on only {table.raters} participants.")
    model = clmm(classes(table.ratings), fixed, random)
    if not model.converged:
        raise DataError(Problem(f"no ordinal model fits the pilot's ratings ({model.why}). Use a longer pilot."))
    found: dict[str, float] = {}
    borrowed = []
    for name, field in SPREADS.items():
        estimate = model.spreads.get(name)
        if estimate is not None and estimate.value is not None:
            found[field] = estimate.value
        elif name in ("dialogue", "dialogue x system"):
            found[field] = 0.0
        else:
            found[field] = getattr(INSPIRED2.variances, field)
            borrowed.append(f"{name} {found[field]:g}")
    if borrowed:
        notes.append(
            "Some standard deviations cannot be estimated from the pilot and are taken from INSPIRED2: "
            f"{', '.join(borrowed)}."
        )
    cuts = len(model.points) - 1
    slopes = model.flat[cuts : cuts + len(model.design.names)]
    shift = float(np.mean(model.design.matrix @ slopes))
    return Variances(**found), tuple((model.flat[:cuts] - shift).tolist()), notes


def change_base(base: Base, **changes: float | int | None) -> Base:
    """Copy of a plan with another design or other standard deviations; None leaves a value unchanged.

    Raises:
        UsageError: an impossible plan.
    """
    given = {name: value for name, value in changes.items() if value is not None}
    spreads = {name: float(given.pop(name)) for name in list(given) if name in SPREADS.values()}
    points, ties = given.pop("points", None), given.pop("ties", None)
    plan = replace(base.plan, **given, variances=replace(base.plan.variances, **spreads))  # type: ignore[arg-type]
    choices = plan.answers == "choices"
    if (points is not None and choices) or (ties is not None and not choices):
        raise UsageError("points applies to ratings, ties to preferences: give only one of them.")
    if points is not None and int(points) != plan.points:
        plan = replace(plan, thresholds=even_thresholds(int(points)))
    if choices and (ties is not None or spreads):
        plan = replace(plan, thresholds=tie_band(plan.variances, TIES if ties is None else ties))
    set_by_hand = [name.replace("_", " x ") for name in spreads] + (["ties"] if ties is not None else [])
    source = base.source + (f"; set by hand: {', '.join(set_by_hand)}" if set_by_hand else "")
    return replace(base, plan=plan, source=source)
