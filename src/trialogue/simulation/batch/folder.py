"""Read the folder of a batch: every finished dialogue, once, from the ledger or the export.

While a batch runs, its dialogues are lines of the ledger. Exporting moves them into ``dialogues.jsonl``; the
ledger keeps its manifest, which records the export's checksum.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from trialogue.records import Dialogue, Ending, JsonValue, Manifest
from trialogue.records.base import SCHEMA
from trialogue.records.files.jsonl import parse_line
from trialogue.records.files.upgrade import upgrade

LEDGER, DIALOGUES, MANIFEST = "ledger.jsonl", "dialogues.jsonl", "manifest.json"
"""Files of a batch's folder."""
COMMAND = "simulate"
HEAD = json.dumps({"kind": Manifest.kind}, separators=(",", ":"))[:-1].encode()  # how a manifest's line begins


def finished_lines(folder: Path | str) -> Iterator[bytes]:
    """Lines of all finished dialogues, exported ones first, also while a batch is running.

    One that stands in both, after an export that was killed, comes twice. Nothing where there is no ledger.
    """
    ledger = Path(folder) / LEDGER
    if not ledger.is_file():
        return
    with ledger.open("rb") as stream:
        first = stream.readline()
        exported = is_manifest(first) and digest_in(first)
    if exported and (Path(folder) / DIALOGUES).is_file():
        with (Path(folder) / DIALOGUES).open("rb") as stream:
            yield from stream
    with ledger.open("rb") as stream:
        for line in stream:
            if line.endswith(b"\n") and not is_manifest(line):  # else it is being written, or was cut short
                yield line


def read_finished(folder: Path | str) -> Iterator[Dialogue]:
    """Dialogues of a batch, exported ones first and the others in order of completion, also while it is running."""
    for line in finished_lines(folder):
        yield parse_line(line.decode("utf-8", "surrogatepass"), {Dialogue.kind: Dialogue})


def config_of(folder: Path | str) -> dict[str, JsonValue]:
    """Settings of a batch, finished or not, from its folder; {} if the folder has no batch."""
    config = _manifest_of(folder).get("config")
    return dict(config) if isinstance(config, dict) else {}


def seed_of(folder: Path | str) -> int | None:
    """Seed of a batch, finished or not, from its folder; None if the folder has no batch."""
    seed = _manifest_of(folder).get("seed")
    return seed if isinstance(seed, int) else None


def _manifest_of(folder: Path | str) -> dict[str, JsonValue]:
    for name in (MANIFEST, LEDGER):
        try:
            with (Path(folder) / name).open("rb") as stream:
                data = json.loads(stream.readline())
        except (OSError, ValueError):
            continue
        if isinstance(data, dict) and data.get("command") == COMMAND and isinstance(data.get("config"), dict):
            return data
    return {}


def is_manifest(line: bytes) -> bool:
    """Whether a ledger line is a manifest rather than a dialogue."""
    return line.endswith(b"\n") and line.startswith(HEAD)


def digest_in(line: bytes) -> str | None:
    """sha256 of the export recorded in a manifest; None if there is none."""
    outputs = json.loads(line).get("outputs")
    digest = outputs.get(DIALOGUES) if isinstance(outputs, dict) else None
    return digest if isinstance(digest, str) else None


def id_and_ending(line: bytes) -> tuple[str, Ending | None]:
    """(id, ending) of a dialogue's line in this or an earlier format version; ValueError if it is not one."""
    data = json.loads(line)
    if not isinstance(data, dict) or data.get("kind") != Dialogue.kind or not isinstance(data.get("id"), str):
        raise ValueError("this line is not a dialogue")
    if data.get("v", SCHEMA) != SCHEMA:
        upgrade(Dialogue.kind, data, data["v"])
    ending = data.get("ended_by")
    return data["id"], None if ending is None else Ending(ending)
