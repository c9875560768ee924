"""``trialogue study power``: power of a planned study."""

from pathlib import Path
from typing import Annotated

import typer
from annotated_types import Ge, Le

from trialogue.cli.shared.progress import check_folder, steps
from trialogue.errors import UsageError
from trialogue.options import Alpha, Help, Jobs, Power, Seed, Setting, Simulations

FURTHEST = 20.0  # logits; nothing is further apart


def power(
    given: Annotated[
        str | None,
        typer.Argument(
            metavar="[STUDY]",
            help="A study folder, the export of a pilot, or a preset (inspired2, infact). Default: inspired2.",
        ),
    ] = None,
    effects: Annotated[
        str | None,
        Help("Effect of each system in logits, such as 0,0.3,0.6; equal effects are true nulls (default: 0.5 apart)."),
    ] = None,
    participants: Annotated[int | None, Ge(2), Help("Number of participants who start.")] = None,
    situations: Annotated[int | None, Ge(1), Help("Number of situations that each participant judges.")] = None,
    jobs: Jobs = 1,
    out: Annotated[Path | None, Help("Output folder for the figure, CSV and JSON.", ("--out", "-o"))] = None,
    pool: Annotated[int | None, Ge(1), Setting("Number of different situations in total.")] = None,
    points: Annotated[
        int | None, Ge(2), Setting("Number of points on the rating scale (each equally likely for an average reply).")
    ] = None,
    ties: Annotated[
        float | None, Ge(0), Le(0.99), Setting("Preferences: share of ties between equal systems (default: 0.2).")
    ] = None,
    dropout: Annotated[float | None, Ge(0), Le(0.99), Setting("Share of participants who drop out.")] = None,
    excluded: Annotated[
        float | None, Ge(0), Le(0.99), Setting("Share of participants who finish and are excluded.")
    ] = None,
    rater: Annotated[float | None, Ge(0), Setting("Standard deviation between participants, in logits.")] = None,
    rater_system: Annotated[
        float | None, Ge(0), Setting("Standard deviation of participant x system (individual tastes), in logits.")
    ] = None,
    item: Annotated[float | None, Ge(0), Setting("Standard deviation between situations, in logits.")] = None,
    item_system: Annotated[
        float | None, Ge(0), Setting("Standard deviation of situation x system (individual replies), in logits.")
    ] = None,
    power: Power = 0.8,
    alpha: Alpha = 0.05,
    simulations: Annotated[
        Simulations,
        Setting("Number of simulated studies per plan. 100 give an uncertainty of .08, and 1,000 give .025."),
    ] = 1_000,
    search: Annotated[
        bool, Setting("If this plan does not reach the required power, search for plans that do.")
    ] = True,
    full: Annotated[
        bool,
        Setting("Preferences: use the report's test for every simulated study, instead of a calibrated quick test."),
    ] = False,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Simulate which differences a planned study of ratings, chats or preferences would detect, and search larger plans.

    Ratings are analysed as in 'trialogue study report', and preferences with a quick test calibrated on that analysis.
    """
    from trialogue.records.files.jsonl import to_line
    from trialogue.subjects.planning.commands.power import base_plan, change_base, plan_study
    from trialogue.subjects.planning.pages.power import power_lines, write_power

    if out is not None:
        check_folder(out)
    base = base_plan(given, effects=None if effects is None else _numbers(effects))
    base = change_base(
        base, participants=participants, tasks=situations, situations=pool, points=points, ties=ties, dropout=dropout,
        excluded=excluded, rater=rater, rater_system=rater_system, item=item, item_system=item_system,
    )  # fmt: skip
    with steps() as tell:
        found = plan_study(
            base, power=power, alpha=alpha, simulations=simulations, seed=seed, jobs=jobs, search=search, full=full,
            progress=tell,
        )  # fmt: skip
        page = write_power(found, out) if out is not None else None
    typer.echo(to_line(found) if as_json else "\n".join(power_lines(found)))
    if page is not None:
        typer.echo(f"Figure: {page}", err=as_json)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        found = tuple(float(each) for each in text.split(","))
    except ValueError:
        found = ()
    if len(found) < 2 or not all(abs(each) <= FURTHEST for each in found):
        raise UsageError(
            f"--effects needs at least two numbers (logits), one per system, such as 0,0.5,1; got {text!r}."
        )
    return found
