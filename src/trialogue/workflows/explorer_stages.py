"""The records of an experiment's stages as the explorer lists them."""

from collections.abc import Iterator
from pathlib import Path

from trialogue.records import Dialogue, Preference, Record, Response, Score, ScoreBlock, Situation, read_records
from trialogue.records.files.dialogue_store import compact
from trialogue.records.files.jsonl import parse_line, read_lines
from trialogue.records.runs import open_run
from trialogue.report.explorer.entries import Part
from trialogue.workflows.pipeline.saved_results import SCORES
from trialogue.workflows.pipeline.system_facts import faults_of_users


def part_of_stage(records: Path, measured: Path, *, name: str, users: str | None, catalogue: str | None = None) -> Part:
    """The records of a stage, with their scores.

    Args:
        records: what the stage prepared.
        measured: the folder of the stage that measured it.
        name: what the explorer calls it.
        users: the kind of simulated users that the report's columns name.
        catalogue: of the items that the users' needs are about; None: unknown.
    """
    dialogues: list[Dialogue] = []
    situations: list[Situation] = []
    responses: list[Response] = []
    votes: list[Preference] = []
    for record in read_records(records, Dialogue, Situation, Response, Preference, Score):
        match record:
            case Dialogue():
                dialogues.append(compact(record))
            case Situation():
                situations.append(record)
            case Response():
                responses.append(record)
            case Preference():
                votes.append(record)
    return Part(
        scores=_stored_scores(measured),
        name=name,
        users=users,
        dialogues=dialogues,
        situations=situations,
        responses=responses,
        preferences=votes,
        faults=faults_of_users(dialogues, catalogue),
    )


def _stored_scores(folder: Path) -> Iterator[Score | ScoreBlock]:
    """The scores of a run as its file holds them: blocks stay blocks, for single records of all units are many."""
    kinds: dict[str, type[Record]] = {
        Score.kind: Score,
        ScoreBlock.kind: ScoreBlock,
        Preference.kind: Preference,
    }
    for _, line in read_lines(folder / SCORES, opener=open_run(folder).open):
        record = parse_line(line, kinds)
        if isinstance(record, Score | ScoreBlock):
            yield record
