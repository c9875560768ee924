"""An evaluation by several processes, or on a cluster: the files of one process, to the byte."""

from pathlib import Path

import pytest

from tests.workflows.made import dialogue, written
from trialogue.datasets.conversion import shard
from trialogue.errors import DataError
from trialogue.records import Dialogue, Ending, Mention, Need, Role, Utterance
from trialogue.simulation.source import SIMULATED
from trialogue.subjects.evaluation.commands.evaluate import evaluate

FEW = 200
WAYS = [{"jobs": 2}, {"jobs": 3}, {"jobs": 2, "cluster": "local"}]


def simulated(number: int, system: str, role: Role = Role.SYSTEM) -> Dialogue:
    """A dialogue whose user has a need; every third user says it all at once, which is a fault, and some systems fail."""
    titles = ("Heat (1995)", "Ronin (1998)", "Moon Lake (1975)")
    title = titles[(number + len(system)) % 3]
    said = (
        Utterance(speaker="user", text="A film with guns, please." if number % 3 else "thanks, bye!", mentions=()),
        Utterance(
            speaker="system",
            text=f"Try {title}, a film of {number % 7} hours.",
            mentions=(Mention(title=title, item_id=title[:4].lower(), start=4, end=4 + len(title)),),
            ranking=("heat", "roni"),
        ),
        Utterance(speaker="user", text="é" * (number % 4) + " thank you, bye", mentions=()),
    )
    return Dialogue(
        id=f"{number}/ü",
        system=system,
        role=role,
        utterances=said,
        source=f"{SIMULATED}agenda",
        need=Need(id=f"n{number}", acceptable=("heat",), targets=("heat",)),
        ended_by=Ending.AGENT_ERROR if number % 11 == 0 else Ending.USER_ENDED,
    )


def records() -> list[Dialogue]:
    """Two systems and a baseline; parts of 256 dialogues end in the middle of each."""
    own = [simulated(number, system) for system in ("one", "deux") for number in range(180)]
    return [*own, *(simulated(number, "popular items", Role.BASELINE) for number in range(180))]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 7])
def test_the_files_do_not_depend_on_who_measures(count: int, tmp_path: Path) -> None:
    given = shard(records(), tmp_path / "shards ü", size=-(-540 // count))
    assert len(given) == count
    evaluate(tmp_path / "shards ü", resamples=FEW, catalogue="demo").write(tmp_path / "one")
    expected = files(tmp_path / "one")
    assert {"scores.jsonl", "findings.json", "explorer.html"} <= set(expected)
    for place, way in enumerate(WAYS if count == 2 else WAYS[:1]):
        run = evaluate(tmp_path / "shards ü", resamples=FEW, catalogue="demo", **way)  # type: ignore[arg-type]
        run.write(tmp_path / str(place))
        found = files(tmp_path / str(place))
        assert [name for name in expected | found if found.get(name) != expected.get(name)] == []


def test_people_in_two_shards_are_one_and_their_ratings_count(tmp_path: Path) -> None:
    own = [dialogue(number, system, satisfied=number > 99) for system in "ab" for number in range(140)]
    whole = evaluate(written(tmp_path / "one.jsonl", list(own)), resamples=FEW)
    shard(own, tmp_path / "many", size=100)
    parts = evaluate(tmp_path / "many", resamples=FEW, jobs=2)
    assert parts.findings.people == whole.findings.people == 140
    assert [each.model_dump(exclude={"signature"}) for each in parts.scores] == [
        each.model_dump(exclude={"signature"}) for each in whole.scores
    ]


def test_one_name_of_a_system_and_a_baseline_is_refused_by_all(tmp_path: Path) -> None:
    both = [simulated(1, "same"), *(simulated(number, "same", Role.BASELINE) for number in range(2, 400))]
    path = written(tmp_path / "both.jsonl", [*both])
    messages = set()
    for jobs in (1, 2):
        with pytest.raises(DataError) as refused:
            evaluate(path, resamples=FEW, jobs=jobs)
        messages.add(str(refused.value))
    assert len(messages) == 1
