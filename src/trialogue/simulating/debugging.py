"""Diagnose agents from dialogues: which acts they do not answer, from which turn, and whether a fix helps."""

import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from trialogue.agents.tools.toolbox import call_text
from trialogue.errors import DataError, Problem, UsageError
from trialogue.inputs.inputs import gather
from trialogue.metrics.dialogue.acts import Exchange, exchanges, why_unlabelled
from trialogue.records import Dialogue, JsonValue
from trialogue.records.kinds.acts import ACCEPTABLE, answers
from trialogue.simulation.batch.folder import DIALOGUES, LEDGER, read_finished
from trialogue.simulation.debug import ActFailures, Decides, Failure, WrongTurn, failures_by_act, wrong_turns
from trialogue.simulation.failure_counts import FailureCount, failed_in, in_a_line
from trialogue.simulation.source import users_of_source

SHOWN = 3  # dialogues to open, of each act
WORST = 5  # dialogues that go wrong


@dataclass(frozen=True)
class AgentReport:
    """Failures of one agent."""

    system: str
    dialogues: int
    turns: int
    """User utterances in them."""
    failed: int
    """Number of these turns without an appropriate answer."""
    acts: tuple[ActFailures, ...]
    """Unanswered user acts, those with the most failed turns first."""
    wrong: tuple[WrongTurn, ...]
    """Dialogues that go wrong, the worst first."""
    most_often: tuple[tuple[int, int], ...]
    """(turn, how many dialogues go wrong there), the most frequent first."""
    doubt: str | None = None
    """Why turns that it failed may be none: acts that the map of answers does not know."""
    broken: tuple[FailureCount, ...] = ()
    """Kinds of failures that ended dialogues, such as time-outs, the commonest first."""

    def to_json(self) -> dict[str, JsonValue]:
        """Plain JSON values."""
        acts: list[JsonValue] = [
            {**asdict(act), "failures": [_failure(each) for each in act.failures], "share": act.share}
            for act in self.acts
        ]
        return {
            "system": self.system,
            "dialogues": self.dialogues,
            "turns": self.turns,
            "failed": self.failed,
            "doubt": self.doubt,
            "broken": [asdict(failed) for failed in self.broken],
            "acts": acts,
            "goes_wrong": [asdict(turn) for turn in self.wrong],
            "goes_wrong_most_often": [{"turn": turn, "dialogues": count} for turn, count in self.most_often],
        }


def debug(given: Sequence[str | Path], *, system: str | None = None, decides: Decides = "first") -> list[AgentReport]:
    """One report per agent, the most failing one first.

    Args:
        given: files, corpora, or the folder of a simulation.
        system: only this one; None: all.
        decides: which message of a burst is judged.

    Raises:
        DataError: unreadable, no such system in it, or no acts on the utterances.
    """
    by_system: defaultdict[str, list[Dialogue]] = defaultdict(list)
    for dialogue in _read(given):
        by_system[dialogue.system or "unnamed"].append(dialogue)
    if system is not None and system not in by_system:
        hint = f"There are: {', '.join(sorted(by_system)) or 'none'}."
        raise DataError(Problem(f"there are no dialogues with {system!r}.", ", ".join(map(str, given)), hint=hint))
    names = [system] if system is not None else list(by_system)
    reports = [_report(name, by_system[name], decides) for name in names]
    return sorted(reports, key=lambda report: -report.failed / max(report.turns, 1))


def _read(given: Sequence[str | Path]) -> list[Dialogue]:
    """All dialogues; of a simulation that is running, or was interrupted, those that have ended."""
    running = [Path(one) for one in given if _is_unfinished(Path(one))]
    rest = [one for one in given if Path(one) not in running]
    return [*(each for folder in running for each in read_finished(folder)), *(gather(rest).dialogues if rest else ())]


def _is_unfinished(folder: Path) -> bool:
    return (folder / LEDGER).is_file() and not (folder / DIALOGUES).is_file()


def _report(system: str, dialogues: Sequence[Dialogue], decides: Decides) -> AgentReport:
    acts = failures_by_act(dialogues, accepts=answers, decides=decides)
    wrong = wrong_turns(dialogues, accepts=answers, decides=decides)
    return AgentReport(
        system=system,
        dialogues=len(dialogues),
        turns=sum(said.speaker == "user" for each in dialogues for said in each.utterances),
        failed=sum(act.failed for act in acts),
        acts=tuple(acts),
        wrong=tuple(wrong),
        most_often=tuple(Counter(turn.turn for turn in wrong).most_common()),
        doubt=_warn_of_unknown_acts(dialogues),
        broken=tuple(failed_in(dialogues)),
    )


def _warn_of_unknown_acts(dialogues: Sequence[Dialogue]) -> str | None:
    """Warning for an agent without any known acts; None otherwise."""
    spoke = (each.utterances for each in dialogues if any(said.speaker == "system" for said in each.utterances))
    reasons = [why_unlabelled(utterances, "system") for utterances in spoke]
    first = next(iter(reasons), None)
    if first is None or any(reason is None for reason in reasons):
        return None
    return f"{first.why}, so nothing it does counts as an answer. Let it declare acts of KDD 2020, or none at all."


def report_lines(report: AgentReport, *, source: str, most: int = SHOWN) -> str:
    """Report as lines; ``source`` is named in the command that continues the worst dialogue."""
    share = report.failed / report.turns if report.turns else 0.0
    head = f"{report.system}: {report.dialogues:,} dialogues, {report.turns:,} turns, {report.failed:,} not answered "
    lines = [f"{head}({share:.0%})", *_premature_endings(report), *([f"note: {report.doubt}"] if report.doubt else [])]
    if not report.acts:
        said = "Every user act was answered." if report.turns else "Users performed no acts in them."
        return "\n".join([*lines, said])
    lines.append("\nUser acts that the agent did not answer, those with the most turns lost first:")
    lines.append(f"  {'act':<22}{'times':>6}{'failed':>8}{'share':>7}{'turns lost':>12}{'never again':>13}  instead")
    for act in report.acts:
        instead = ", ".join(f"{answer or 'nothing known'} {count}" for answer, count in act.answers[:4])
        name = act.act or "(unknown)"
        numbers = f"{act.times:>6}{act.failed:>8}{act.share:>7.0%}{act.cost:>12}{act.final:>13}"
        lines.append(f"  {name:<22}{numbers}  {instead}")
        for failure in act.failures[:most]:
            said = f"{_short(failure.said)!r} → {_short(failure.answered)!r}"
            lines.append(f"      {failure.dialogue}, turn {failure.turn}: {said}")
            lines += [f"        called {call_text(call)}" for call in failure.calls]
    return "\n".join([*lines, *_wrong(report, source)])


def _premature_endings(report: AgentReport) -> list[str]:
    """Causes of premature endings; the failed turns below exclude those dialogues' missing turns."""
    if not report.broken:
        return []
    count = sum(failed.dialogues for failed in report.broken)
    return [
        f"{count:,} of {report.dialogues:,} dialogues ended in a failure:",
        *(f"  {in_a_line(failed)}" for failed in report.broken),
    ]


def _wrong(report: AgentReport, source: str) -> list[str]:
    if not report.wrong:
        return []
    turn, count = report.most_often[0]
    lines = [f"\nWhere dialogues go wrong ({len(report.wrong):,} of {report.dialogues:,} do; {count} at turn {turn}):"]
    lines += [
        f"  {each.dialogue}, from turn {each.turn}: {each.drop} more failures than answers to the end"
        for each in report.wrong[:WORST]
    ]
    worst = report.wrong[0]
    words = ["trialogue", "simulate", "--continue-from", source, "--set", f"dialogue={worst.dialogue}"]
    command = shlex.join([*words, "--turn", str(worst.turn), "-n", "50"])
    return [*lines, f"\nTry a fix at the point of failure: {command}"]


def _failure(failure: Failure) -> dict[str, JsonValue]:
    """A failure as plain JSON, with calls of tools where there are any."""
    plain: dict[str, JsonValue] = {**asdict(failure), "calls": [call.to_json() for call in failure.calls]}
    return plain if failure.calls else {name: value for name, value in plain.items() if name != "calls"}


def _short(text: str, longest: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def dialogue_to_continue(source: str | Path, dialogue_id: str | None = None) -> Dialogue:
    """The only dialogue of a source, or the one with an id.

    Raises:
        UsageError: there are several, and no id says which; or there is none of the id.
        DataError: unreadable, or no dialogues in it.
    """
    dialogues = _read([source])
    if not dialogues:
        raise DataError(Problem("it contains no dialogues.", str(source)))
    known = ", ".join(each.id for each in dialogues[:5]) + (", ..." if len(dialogues) > 5 else "")
    if dialogue_id is None:
        if len(dialogues) > 1:
            raise UsageError(
                f"{source} holds {len(dialogues):,} dialogues: choose one with --set dialogue=ID ({known})."
            )
        return dialogues[0]
    found = [each for each in dialogues if each.id == dialogue_id]
    if not found:
        raise UsageError(f"{source} holds no dialogue {dialogue_id!r}. It has: {known}.")
    return found[0]


@dataclass(frozen=True)
class ContinuationOutcomes:
    """Outcomes of continuations by one agent with one kind of users."""

    agent: str
    users: str
    dialogues: int
    answered: int | None
    """Number of continuations in which the agent answered the user's act at the turn; None: no known act is annotated
    there."""
    later: int
    """User turns after it."""
    later_answered: int
    """Number of these that were answered."""


def continuation_outcomes(dialogues: Iterable[Dialogue], turn: int) -> list[ContinuationOutcomes]:
    """Outcomes of continuations from a turn, by agent and users, in order of appearance."""
    found: dict[tuple[str, str], list[list[bool | None]]] = {}
    for dialogue in dialogues:
        key = (dialogue.system or "unnamed", users_of_source(dialogue) or "")
        found.setdefault(key, []).append(answers_from(dialogue, turn))
    return [
        ContinuationOutcomes(
            agent=agent,
            users=users,
            dialogues=len(held),
            answered=_count(turns[0] for turns in held if turns),
            later=sum(len(turns) - 1 for turns in held if turns),
            later_answered=sum(answer is True for turns in held for answer in turns[1:]),
        )
        for (agent, users), held in found.items()
    ]


def _count(answered: Iterable[bool | None]) -> int | None:
    """Number of true values; None if any is unknown."""
    outcomes = list(answered)
    return None if None in outcomes else sum(map(bool, outcomes))


def answers_from(dialogue: Dialogue, turn: int) -> list[bool | None]:
    """Whether each user turn from one on was answered; None without a known user act.

    The first message of a burst counts.
    """
    return [_is_answered(each) for each in exchanges(dialogue)[turn - 1 :]]


def _is_answered(turn: Exchange) -> bool | None:
    if turn.act is None or turn.act not in ACCEPTABLE:
        return None
    return bool(turn.burst) and answers(turn.act, turn.burst[0])


def continuation_lines(before: Dialogue, turn: int, after: Iterable[Dialogue]) -> list[str]:
    """Lines on whether a turn was answered originally, and how often in continuations."""
    was = answers_from(before, turn)[0]
    if was is None:
        what = f"Cannot tell whether turn {turn} of {before.id} was answered"
        lines = [f"{what}: the dialogue act of the user is missing."]
    else:
        lines = [f"In {before.id}, turn {turn} was {'' if was else 'not '}answered."]
    for each in continuation_outcomes(after, turn):
        later = "no turns later" if not each.later else f"{each.later_answered / each.later:.0%} of the turns after it"
        here = "" if each.answered is None else f"answered in {each.answered} of {each.dialogues}; "
        lines.append(f"{each.agent}, {each.users}: {here}{later}{'' if here or not each.later else ' were answered'}")
    return lines
