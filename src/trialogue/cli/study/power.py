"""``trialogue study power``."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trialogue.errors import UsageError

if TYPE_CHECKING:
    from trialogue.records import Estimate
    from trialogue.stats.planning.study_power import StudyPlan, StudyPower


STEP = 0.5  # logits between systems, where nobody says more
FURTHEST = 20.0  # logits; nothing is further apart


def power(
    folder: Annotated[
        Path | None, typer.Argument(help="A study folder: its items, tasks and scale are those of the plan.")
    ] = None,
    effects: Annotated[
        str | None,
        typer.Option(
            help="Of each system, in logits, such as 0,0.5,1: a step of 0.5 is about a third of a point. By default as many "
            "systems as the items have (else 2), 0.5 apart."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=2, help="People who pass all checks; without it, found out.")
    ] = None,
    situations: Annotated[int | None, typer.Option(min=1, help="That each of them sees.")] = None,
    pool: Annotated[int | None, typer.Option(min=1, help="Different situations in all.")] = None,
    points: Annotated[int | None, typer.Option(min=2, help="Of the scale.")] = None,
    worker: Annotated[float, typer.Option(min=0, help="Standard deviation of severity, in logits.")] = 0.8,
    item: Annotated[float, typer.Option(min=0, help="Standard deviation of situations.")] = 0.6,
    taste: Annotated[float, typer.Option(min=0, help="Standard deviation of worker by system.")] = 0.4,
    wanted: Annotated[float, typer.Option("--power", help="Chance to find every difference that is there.")] = 0.8,
    simulations: Annotated[int, typer.Option(min=10, help="Studies drawn.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of everything random.")] = 0,
) -> None:
    """What a planned study of ratings would find, or how many people it takes: studies drawn from the plan, and analysed.

    The tests are Friedman's and Wilcoxon's on people's means; the mixed model of the report finds about as much.
    """
    import numpy as np

    from trialogue.seeds import rng_for
    from trialogue.stats.planning.study_power import StudyPlan, study_power, workers_needed

    told = _of_folder(folder) if folder else {}
    plan = StudyPlan(
        _numbers(effects) if effects is not None else tuple(STEP * place for place in range(told.get("systems", 2))),
        workers=workers or 2,
        situations=situations or told.get("situations", 9),
        pool=pool or told.get("pool", 180),
        points=points or told.get("points", 5),
        worker=worker,
        item=item,
        taste=taste,
    )
    if workers is None:
        found = workers_needed(plan, rng=rng_for(seed, "study power"), power=wanted, simulations=simulations)
        if found is None:
            raise UsageError("More than 5,000 people would be needed: the difference is too small to be looked for.")
        typer.echo(f"About {found} people find every difference with a chance of {wanted:.0%}.")
        plan = replace(plan, workers=found)
    drawn = np.random.default_rng(int(rng_for(seed, "study power").integers(2**62)))  # the studies that were looked at
    for line in _lines(plan, study_power(plan, rng=drawn, simulations=simulations)):
        typer.echo(line)
    if told:
        typer.echo(_places(plan, told["raters_per_item"]))


def _numbers(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(each) for each in text.split(","))
    except ValueError:
        found = ()
    if not found or not all(abs(each) <= FURTHEST for each in found):
        raise UsageError(f"--effects wants numbers of logits with commas between them, such as 0,0.5,1; got {text!r}.")
    return found


def _of_folder(folder: Path) -> dict[str, int]:
    """What a study file says of the plan."""
    from trialogue.study.opening import read_folder

    file, items, _ = read_folder(folder)
    scale = next((question.scale for question in file.criteria if question.scale is not None), None)
    if file.type != "rating" or scale is None:
        raise UsageError(
            f"power is for studies of ratings on a scale; {folder} is of type {file.type}. "
            "How many judgements a preference needs: trialogue.stats.judgements_needed."
        )
    return {
        "situations": min(file.items_per_participant, len(items)),
        "pool": len(items),
        "points": len(scale),
        "systems": max(2, *(len(item.systems) for item in items)),
        "raters_per_item": file.raters_per_item,
    }


def _places(plan: "StudyPlan", raters: int) -> str:
    """Whether the study file has room for so many people."""
    there = plan.pool * raters // plan.situations
    if there >= plan.workers:
        return f"The study file has room for {there} people ({raters} raters for each of {plan.pool} items)."
    needed = -(-plan.workers * plan.situations // plan.pool)
    return (
        f"The study file has room for {there} people only ({raters} raters for each of {plan.pool} items): "
        f"raters_per_item: {needed} lets in {plan.workers}."
    )


def _lines(plan: "StudyPlan", found: "StudyPower") -> list[str]:
    """What the plan finds, in lines."""
    lines = [
        f"{plan.workers} people, {plan.situations} of {plan.pool} situations each, {len(plan.effects)} systems, "
        f"{plan.points} points; {found.simulations:,} simulated studies:",
    ]
    if len(plan.effects) > 2:  # of two systems it would be another test of the same
        lines.append(f"  some difference (Friedman): {_chance(found.omnibus)}")
    for (a, b), chance in found.pairs.items():
        what = "false positives" if plan.effects[a] == plan.effects[b] else f"{found.ratings_apart[a, b]:+.2f} points"
        lines.append(f"  systems {a + 1} and {b + 1} ({what}): {_chance(chance)}")
    return [*lines, f"  every difference: {_chance(found.every_pair)}"]


def _chance(estimate: "Estimate") -> str:
    if estimate.value is None:
        return f"undefined: {estimate.why}"
    between = estimate.interval
    return f"{estimate.value:.0%}" + (f" ({between.low:.0%} to {between.high:.0%})" if between else "")
