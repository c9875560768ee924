"""``trialogue study simulate``: test a study with scripted participants."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from annotated_types import Ge

from trialogue.cli.shared.progress import StepProgress, check_folder, steps
from trialogue.errors import UsageError
from trialogue.options import Help, Seed, Setting

if TYPE_CHECKING:
    from trialogue.study.bots.simulation import SimulatedStudy
    from trialogue.subjects.people.commands.parameter_recovery import Recovery


def simulate(
    folder: Annotated[Path, typer.Argument(help="Study folder. Its database is neither read nor written.")],
    participants: Annotated[int, Ge(1), Help("Number of scripted participants.")] = 60,
    effect: Annotated[
        list[str] | None,
        Help("True quality of a system as SYSTEM=LOGITS, such as kbrd=0.5 (repeatable; default: evenly spaced)."),
    ] = None,
    out: Annotated[
        Path | None, Help("New folder for the export and the report (default: do not write them).", ("--out", "-o"))
    ] = None,
    dropout: Annotated[float, Setting("Share of participants who drop out at some page.")] = 0.1,
    careless: Annotated[float, Setting("Share of participants who answer at random and fail attention checks.")] = 0.1,
    straight: Annotated[float, Setting("Share of participants who always choose the first point.")] = 0.0,
    obedient: Annotated[float, Setting("Share of participants who answer at random but pass attention checks.")] = 0.0,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Send scripted participants through every page, and check whether the analysis recovers their known preferences.

    The exit code is 1 if there is any defect, such as a server error, a lost answer, or an item judged too often.
    """
    people: dict[str, Any] = {
        "workers": participants,
        "effects": _effects(effect),
        "seed": seed,
        "drop_out": dropout,
        "careless": careless,
        "straight": straight,
        "obedient": obedient,
    }
    with steps() as tell:
        if out is None:
            from trialogue.study.bots.simulation import simulate_study

            outcome = simulate_study(folder, **people, progress=_ProgressInTenths(tell, participants))
            typer.echo(outcome.model_dump_json(indent=2) if as_json else "\n".join(outcome_lines(outcome)))
        else:
            from trialogue.subjects.people.commands.parameter_recovery import simulate_and_analyse

            check_folder(out)
            found = simulate_and_analyse(folder, out, **people, progress=_ProgressInTenths(tell, participants))
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


__all__ = ["analysis_lines", "outcome_lines", "simulate"]
