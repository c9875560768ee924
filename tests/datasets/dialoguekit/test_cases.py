"""Who counts as one case in dialogues of UserSimCRS, whose simulator has one id for all its users."""

import json
from pathlib import Path
from typing import Any

from trialogue.datasets.dialoguekit.format import MANY, read_dialoguekit
from trialogue.errors import Problem
from trialogue.records import Dialogue


def read(folder: Path, metadata: list[dict[str, Any]], *, agents: int = 1) -> tuple[list[Dialogue], list[Problem]]:
    entries = [
        {
            "conversation_id": f"{agent}-{number}",
            "conversation": [
                {"participant": "USER", "utterance": "hi"},
                {"participant": "AGENT", "utterance": "hello"},
            ],
            "agent": {"id": f"agent-{agent}", "type": "AGENT"},
            "user": {"id": "User Simulator", "type": "USER"},
            "metadata": given,
        }
        for agent in range(agents)
        for number, given in enumerate(metadata)
    ]
    path = folder / "dialogues.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    notes: list[Problem] = []
    return read_dialoguekit(path, note=notes.append), notes


def test_a_persona_alone_tells_cases_apart_and_crosses_them_with_agents(tmp_path: Path) -> None:
    personas = [{"persona": {"patience": level}} for level in ("low", "high", "none")]
    dialogues, notes = read(tmp_path, personas, agents=2)
    assert len({each.cluster for each in dialogues}) == 3
    assert [each.need.persona for each in dialogues[:1] if each.need] == ["patience=low"]
    assert notes == []


def test_equal_needs_of_two_personas_are_two_cases(tmp_path: Path) -> None:
    need = {"constraints": {"GENRE": "comedy"}}
    given: list[dict[str, Any]] = [
        {"information_need": need},
        {"information_need": need, "persona": "hasty"},
        {"information_need": need},
    ]
    dialogues, _ = read(tmp_path, given)
    assert len({each.cluster for each in dialogues}) == 2


def test_many_dialogues_of_one_user_without_need_or_persona_are_one_cluster_and_that_is_said(tmp_path: Path) -> None:
    dialogues, notes = read(tmp_path, [{} for _ in range(MANY)])
    assert {each.cluster for each in dialogues} == {"user:User Simulator"}
    assert f"{MANY} dialogues without an information need or a persona have the user 'User Simulator'" in notes[0].what
    assert read(tmp_path, [{} for _ in range(MANY - 1)])[1] == []
