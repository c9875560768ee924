"""``trialogue study new``, ``simulate`` and ``power``: what comes before people."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge, Le

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import Mapped, pairs_of
from trialogue.cli.shared.parameters import Call, Calls
from trialogue.cli.shared.progress import StepProgress, check_folder, steps
from trialogue.errors import UsageError
from trialogue.options import Help, Setting

if TYPE_CHECKING:
    from trialogue.study.bots.simulation import SimulatedStudy
    from trialogue.study.design.items import AnyItem
    from trialogue.subjects.people.commands.parameter_recovery import Recovery
    from trialogue.subjects.planning.study_plan import StudyPlan, Variances
    from trialogue.subjects.planning.study_power import PowerFindings

ACTS_OF_USERS = "acts-of-users"
"""The template in which messages of users, and not of recommenders, are labelled."""
WHOLE = ("conversations-rating", "conversations-preference")
"""Templates in which whole conversations are judged."""
FURTHEST = 20.0  # logits; nothing is further apart


@reads(items=Calls("subjects.people.commands.items.items_for", settings="most per_cell seed"))
def new(
    responses: list[str] | None = None,
    *,
    template: str = "rating",
    real: list[str] | None = None,
    simulated: list[str] | None = None,
    mapping: Mapped = None,
    agent: list[str] | None = None,
    out: Annotated[Path, Help("Study folder to create.", ("--out", "-o"))] = Path("my_study"),
    items: "Call[list[AnyItem]]",
) -> None:
    """Create a study folder: a study file to edit, and its items.

    Args:
        responses: Files or corpora with replies or dialogues (default: the demo corpus).
        template: rating, infact, preference, conversations-rating, conversations-preference, realism, chat, labelling,
            acts-of-users or acts-of-recommenders.
        real: Realism: dialogues with human users.
        simulated: Realism: dialogues with simulated users.
        agent: Chat: a system to chat with, as NAME=AGENT; participants never see the name.
    """
    from trialogue.records.files.yaml_file import read_fields
    from trialogue.study.design.folder import new_study, template_path
    from trialogue.workflows.mapped import with_mapping

    with template_path(template) as path:
        fields = read_fields(path)
    agents = _agents(agent or [], fields["type"])
    made = items(
        fields["type"],
        with_mapping(responses or [], mapping),
        human=with_mapping(real or [], mapping),
        simulated=with_mapping(simulated or [], mapping),
        agents=list(agents or fields.get("agents", {})),
        speaker="user" if template == ACTS_OF_USERS else "system",
        whole=template in WHOLE,
        note=lambda each: typer.echo(f"note: {each}", err=True),
    )
    new_study(out, template, made, agents=agents)
    typer.echo(
        f"Study: {out / 'study.yaml'}, {len(made):,} items. Preview it with: trialogue study serve {out} --preview"
    )


def _agents(given: list[str], study_type: str) -> dict[str, str]:
    """Systems by name."""
    from trialogue.errors import UsageError

    if given and study_type != "chat":
        raise UsageError(f"--agent is for studies of type chat; this one is of type {study_type}. Omit --agent.")
    return pairs_of("--agent", given, form="NAME=AGENT, such as mine=http://localhost:5001 or mine=my_bot:Bot")


@reads(
    people=Calls("study.bots.simulation.simulate_study", settings="dropout=drop_out careless straight obedient seed")
)
def simulate(
    folder: Path,
    *,
    participants: Annotated[int, Ge(1)] = 60,
    effect: list[str] | None = None,
    out: Path | None = None,
    people: "Call[SimulatedStudy]",
    as_json: bool = False,
) -> None:
    """Send scripted participants through every page, and check whether the analysis recovers their known preferences.

    The exit code is 1 if there is any defect, such as a server error, a lost answer, or an item judged too often.

    Args:
        folder: Study folder. Its database is neither read nor written.
        participants: Number of scripted participants.
        effect: True quality of a system as SYSTEM=LOGITS, such as kbrd=0.5 (repeatable; default: evenly spaced).
        out: New folder for the export and the report (default: do not write them).
    """
    effects = _effects(effect)
    with steps() as tell:
        progress = _ProgressInTenths(tell, participants)
        if out is None:
            outcome = people(folder, workers=participants, effects=effects, progress=progress)
            typer.echo(outcome.model_dump_json(indent=2) if as_json else "\n".join(outcome_lines(outcome)))
        else:
            from trialogue.subjects.people.commands.parameter_recovery import simulate_and_analyse

            check_folder(out)
            found = simulate_and_analyse(
                folder, out, workers=participants, effects=effects, progress=progress, **people.given
            )
            outcome = found.simulated
            typer.echo(
                found.model_dump_json(indent=2)
                if as_json
                else "\n".join([*outcome_lines(outcome), *analysis_lines(found)])
            )
    if outcome.wrong:
        raise typer.Exit(1)


class _ProgressInTenths:
    """Reports the progress of participants about ten times, and every other line at once."""

    def __init__(self, tell: StepProgress, workers: int) -> None:
        self._tell, self._every = tell, max(1, workers // 10)

    def __call__(self, line: str) -> None:
        """Report a line, if it is due."""
        number = line.partition(" ")[0]
        if not number.isdigit() or int(number) % self._every == 0:
            self._tell(line)


def _effects(given: list[str] | None) -> dict[str, float] | None:
    """Effects by system; None: none were given."""
    found: dict[str, float] = {}
    wrong = []
    for each in given or ():
        name, _, text = each.rpartition("=")
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not name or not abs(value) <= 20:
            wrong.append(repr(each))
        found[name] = value
    if wrong:
        raise UsageError(
            "--effect must have the form SYSTEM=LOGITS with a number between -20 and 20, such as kbrd=0.5; got "
            f"{', '.join(wrong)}."
        )
    return found or None


def outcome_lines(outcome: "SimulatedStudy") -> list[str]:
    """Summary lines of a simulated study."""
    kinds = ", ".join(f"{count} {kind.replace('_', '-')}" for kind, count in outcome.kinds.items())
    items = sum(outcome.coverage.values())
    full = outcome.coverage.get(str(outcome.raters_per_item), 0)
    lines = [
        f"{outcome.workers} participants: {kinds}",
        f"  outcomes: {_count_final_states(outcome)}",
        f"{outcome.requests:,} pages, {outcome.acknowledged:,} forms acknowledged, {outcome.stored:,} in the database",
        (
            f"{full} of {items} items judged by {outcome.raters_per_item} participants; {outcome.reused} "
            f"slot{'' if outcome.reused == 1 else 's'} reused after drop-outs"
        ),
    ]
    if not outcome.complete:
        lines.append("  incomplete: more --participants are needed")
    for kind, (failed, seen) in outcome.checks.items():
        lines.append(f"attention checks, {kind.replace('_', '-')}: {failed} of {seen} failed")
    for system in sorted(outcome.means, key=lambda name: -outcome.effects.get(name, 0.0)):
        known = f"true quality {outcome.effects[system]:+.2f}, " if system in outcome.effects else ""
        lines.append(f"{system}: {known}observed mean {outcome.means[system]:.2f}")
    if outcome.means and not outcome.effects:
        lines.append(
            "in live chats, scripted participants have no preferences: no page reveals which system they chat with"
        )
    elif outcome.means:
        order = "follow" if outcome.recovers_order else "do not follow"
        few = "" if outcome.recovers_order else ": too few answers, or too many careless ones"
        lines.append(f"observed means {order} the order of the true quality{few}")
    return [*lines, *(f"WRONG: {each}" for each in outcome.wrong)]


def _count_final_states(outcome: "SimulatedStudy") -> str:
    """Final states of the participants; a study with enough answers is full, which is no failure."""
    enough = ", which is all the study needs" if outcome.complete else ""
    parts = [
        f"{count} {state.replace('_', ' ')}{enough if state == 'completed' else ''}"
        for state, count in sorted(outcome.states.items(), key=lambda each: each[0] != "completed")
    ]
    if outcome.turned_away:
        parts.append(
            f"{outcome.turned_away} turned away: {'study full' if outcome.complete else 'no free place, or paused'}"
        )
    return "; ".join(parts)


def analysis_lines(found: "Recovery") -> list[str]:
    """Comparison of the analysis with the true values, as lines."""
    lines = [
        f"{pair.a} over {pair.b}: true difference {pair.known:+.2f}"
        + ("" if pair.found is None else f", estimate {pair.found:+.2f}")
        + ("" if pair.interval is None else f" ({pair.interval[0]:+.2f} to {pair.interval[1]:+.2f})")
        + f": {pair.verdict}"
        for pair in found.pairs
    ]
    return [*lines, f"Report: {found.report}"]


@reads(
    design=Calls(
        "subjects.planning.study_plan.StudyPlan",
        options="participants situations=tasks",
        settings="pool=situations dropout excluded",
        is_change=True,
    ),
    spreads=Calls(
        "subjects.planning.study_plan.Variances", settings="rater rater_system item item_system", is_change=True
    ),
    run=Calls(
        "subjects.planning.commands.power.plan_study",
        options="jobs",
        settings="power alpha simulations search full seed",
    ),
)
def power(
    given: Annotated[
        str | None,
        typer.Argument(
            metavar="study",
            help="A study folder, the export of a pilot, or a preset (inspired2, infact). Default: inspired2.",
        ),
    ] = None,
    *,
    effects: str | None = None,
    design: "Call[StudyPlan]",
    run: "Call[PowerFindings]",
    out: Annotated[Path | None, Help("Output folder for the figure, CSV and JSON.", ("--out", "-o"))] = None,
    points: Annotated[int | None, Ge(2), Setting()] = None,
    ties: Annotated[float | None, Ge(0), Le(0.99), Setting()] = None,
    spreads: "Call[Variances]",
    as_json: bool = False,
) -> None:
    """Simulate which differences a planned study of ratings, chats or preferences would detect, and search larger plans.

    Ratings are analysed as in 'trialogue study report', and preferences with a quick test calibrated on that analysis.

    Args:
        effects: Effect of each system in logits, such as 0,0.3,0.6; equal effects are true nulls (default: 0.5 apart).
        points: Number of points on the rating scale (each equally likely for an average reply).
        ties: Preferences: share of ties between equal systems (default: 0.2).
    """
    from trialogue.records.files.jsonl import to_line
    from trialogue.subjects.planning.pages.power import power_lines, write_power

    if out is not None:
        check_folder(out)
    asked = None if effects is None else _numbers(effects)
    with steps() as tell:
        found = run(given, effects=asked, points=points, ties=ties, **design.given, **spreads.given, progress=tell)
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
