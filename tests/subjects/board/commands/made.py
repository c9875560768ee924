"""Runs of simulated dialogues whose success is given, written as folders."""

from collections.abc import Sequence
from pathlib import Path

from trialogue.records import Dialogue, Ending, Mention, Need, Record, Utterance
from trialogue.subjects.evaluation.commands.evaluate import Run, evaluate

NEED_MET = "need_met(turns=10)@named|v1"
WANTED = Mention(title="Wanted", item_id="wanted")


def talk(system: str, number: int, *, met: bool, seed: int = 0, users: str = "sim", reply: str = "") -> Dialogue:
    """A dialogue of a simulated user, whose need is met by its only reply, or not; a seed has needs of its own."""
    mentions = (WANTED,) if met else ()
    return Dialogue(
        id=f"{system}/{users}/{number}",
        system=system,
        user=f"{users}/{number}",
        source=f"simulated/{users}",
        need=Need(
            id=f"need {seed}.{number}", acceptable=("wanted",), catalogue_size=100, is_resolved=True,
            fits={"wanted": 1.0} if met else {},
        ),
        utterances=(
            Utterance(speaker="user", text=f"something like {seed}.{number}, please"),
            Utterance(speaker="system", text=reply or ("Wanted" if met else "no idea"), mentions=mentions),
        ),
        ended_by=Ending.AGENT_ENDED,
    )  # fmt: skip


def crash(system: str, number: int, *, seed: int = 0) -> Dialogue:
    """The same dialogue, in which the agent fails at its first turn."""
    whole = talk(system, number, met=False, seed=seed)
    return whole.model_copy(update={"utterances": whole.utterances[:1], "ended_by": Ending.AGENT_ERROR})


def simulated(
    system: str, successes: Sequence[bool], *, seed: int = 0, users: str = "sim", reply: str = ""
) -> list[Dialogue]:
    """One dialogue for each success."""
    return [talk(system, number, met=met, seed=seed, users=users, reply=reply) for number, met in enumerate(successes)]


def share(part: float, of: int = 40, *, shift: int = 0) -> list[bool]:
    """So many successes; a shift moves them to other users."""
    return [(number + shift) % of < round(part * of) for number in range(of)]


def evaluated(records: Sequence[Record], metrics: Sequence[str] = (NEED_MET,)) -> Run:
    """A run in memory."""
    return evaluate(list(records), metrics=list(metrics), resamples=100)


def folder(path: Path, records: Sequence[Record], metrics: Sequence[str] = (NEED_MET,)) -> Path:
    """A run folder."""
    evaluated(records, metrics).write(path, explorer=False)
    return path
