"""One dialogue's way from a file to the report: which steps it takes, and which rooms it enters.

A room is a package directly under ``trialogue``. ``records`` is what flows, so it is met in every step; each of the others
is entered in one stretch of the way, and not again once it was left.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from types import FrameType

import pytest

from tests.workflows.made import good_and_bad, offline, written
from trialogue.analysis import PIPELINE
from trialogue.metrics import Conversation, Reply
from trialogue.records import Dialogue, Response, Situation, Utterance
from trialogue.subjects.alignment.commands.align import align
from trialogue.subjects.evaluation.commands.evaluate import evaluate

MAX_ROOMS = 8
STEPS = ("trialogue.analysis.", "trialogue.subjects.evaluation.commands.report")
COMPOSES, FLOWS = frozenset({"analysis", "inputs", "subjects"}), "records"
WALKED = (Dialogue, Situation, Response, Utterance, Conversation, Reply)
"""The dialogue, its parts, and what metrics are shown of it."""


@dataclass
class Walk:
    """What was met on the way."""

    steps: list[str] = field(default_factory=list)
    """Steps of the pipeline, in the order in which they began."""
    entered: list[tuple[str, str]] = field(default_factory=list)
    """(step, room) of every call from the pipeline into another room, in order."""
    holding: set[str] = field(default_factory=set)
    """Rooms of functions that were given the dialogue or a part of it."""

    def rooms(self) -> list[str]:
        """Rooms in the order in which they were entered, without those that the pipeline itself and the records are."""
        return list(dict.fromkeys(room for _, room in self.entered if room not in {*COMPOSES, FLOWS}))

    def visits(self, room: str) -> list[str]:
        """The steps that a room was entered in, each once."""
        return list(dict.fromkeys(step for step, entered in self.entered if entered == room))

    def call(self, frame: FrameType, event: str, _arg: object) -> None:
        """Note a call."""
        room = _room(frame)
        if event != "call" or room is None:
            return
        code, module = frame.f_code, frame.f_globals["__name__"]
        if code.co_name in PIPELINE and module.startswith(STEPS):
            self.steps.append(code.co_name)
        caller = None if frame.f_back is None else _room(frame.f_back)
        if caller in COMPOSES and room not in COMPOSES and self.steps:
            self.entered.append((self.steps[-1], room))
        if any(isinstance(frame.f_locals.get(name), WALKED) for name in code.co_varnames[: code.co_argcount]):
            self.holding.add(room)


def _room(frame: FrameType) -> str | None:
    house, _, inside = str(frame.f_globals.get("__name__", "")).partition(".")
    room = inside.partition(".")[0]
    hands_on = room in ("long_work", "dask_cluster")  # to whoever works
    return room if house == "trialogue" and not hands_on else None


@contextmanager
def walking() -> Iterator[Walk]:
    """Notes every call made inside."""
    walk, before = Walk(), sys.getprofile()
    sys.setprofile(walk.call)
    threading.setprofile(walk.call)  # uses of a pass have a thread each, and take turns
    try:
        yield walk
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


def _evaluated(folder: Path) -> None:
    file = written(folder / "talks.jsonl", good_and_bad())
    evaluate(file, metrics=["length", "distinct(n=2)"], resamples=100).write(folder / "out")


def _aligned(folder: Path) -> None:
    file = written(folder / "replies.jsonl", offline())
    align([file], [], resamples=100).write(folder / "out")


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The walk of dialogues through an evaluation."""
    with walking() as walk:
        _evaluated(tmp_path_factory.mktemp("walk"))
    return walk


def test_the_steps_are_taken_in_order_and_once(evaluation: Walk) -> None:
    assert tuple(evaluation.steps) == PIPELINE
    assert PIPELINE == ("read", "prepare", "choose", "measure", "infer", "conclude", "report")


def test_rooms_are_entered_in_the_order_of_the_steps(evaluation: Walk) -> None:
    first = {room: evaluation.visits(room)[0] for room in evaluation.rooms()}
    assert first == {
        "datasets": "read",
        "metrics": "choose",
        "findings": "measure",  # which languages measures are made for
        "simulation": "measure",  # whether a user was simulated
        "render": "report",
    }


def test_no_room_is_entered_again_once_it_was_left(evaluation: Walk) -> None:
    for room in evaluation.rooms():
        places = [PIPELINE.index(step) for step in evaluation.visits(room)]
        assert places == list(range(places[0], places[-1] + 1)), room


def test_a_dialogue_enters_at_most_eight_rooms(evaluation: Walk) -> None:
    assert 1 + len({FLOWS, *evaluation.rooms()}) <= MAX_ROOMS  # what composes them is one way
    holding = {"datasets", *evaluation.holding} - COMPOSES  # which makes it, and is given none
    assert {"metrics", "findings", "render"} <= holding
    assert 1 + len(holding) <= MAX_ROOMS


@pytest.mark.parametrize("command", [_aligned])
def test_other_commands_take_the_same_steps(command: Callable[[Path], None], tmp_path: Path) -> None:
    with walking() as walk:
        command(tmp_path)
    taken = [step for step, _ in groupby(walk.steps)]
    assert taken == [step for step in PIPELINE if step in taken]  # in order, each in one stretch
    assert set(taken) == set(PIPELINE)
