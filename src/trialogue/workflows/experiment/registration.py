"""Registration of an experiment's decision protocol in its folder: written once, before there are data, never overwritten.

``protocol.json`` holds the full protocol, what existed when it was written, Trialogue's version, and the sha256 of all
that as canonical JSON. It has no clock: the same experiment writes the same bytes. The registered protocol
decides, whatever the experiment's file says later; what the file says instead is a deviation.

Deleting a folder deletes its protocol, and editing protocol.json, its hash and the earlier report together is not
detected: publish the hash, or commit the file, where that matters.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import Field, ValidationError

from trialogue.analysis.stage_measures import is_experiment
from trialogue.errors import DataError
from trialogue.findings.decision.check import declared_deviations
from trialogue.findings.protocol import SHORT, DecisionProtocol, Deviation, DeviationKind, ProtocolCheck
from trialogue.findings.threats.protocol_texts import deviations_text, protocol_lines
from trialogue.records import JsonValue, Record
from trialogue.records.files.manifest import versions_of
from trialogue.records.files.opening import make_folder, write_text
from trialogue.simulation.batch.folder import LEDGER
from trialogue.workflows.experiment.contents import hashes_of
from trialogue.workflows.experiment.file import Experiment
from trialogue.workflows.experiment.graph import DONE
from trialogue.workflows.experiment.simulating import ids_in

FILE = "protocol.json"


class WrittenProtocol(Record):
    """Content of protocol.json without its hash."""

    protocol: DecisionProtocol
    """The protocol in full."""
    inputs: dict[str, str] = Field(default_factory=dict)
    """sha256 of each file of conversations and ratings that was there when it was written, by name."""
    after_results: bool = False
    """Whether stages of an experiment had been done in the folder before it was written."""
    trialogue: str = ""
    """Version of Trialogue that wrote it."""

    @property
    def content(self) -> dict[str, JsonValue]:
        """Complete content including defaults."""
        content: dict[str, JsonValue] = self.model_dump(mode="json")
        return content

    @property
    def sha256(self) -> str:
        """Hash of the canonical JSON: keys in order, no spaces, UTF-8."""
        return _hash(self.content)


@dataclass(frozen=True)
class Registration:
    """Registered protocol of an experiment, and the circumstances of its registration."""

    protocol: DecisionProtocol | None = None
    """The protocol; None: there is none."""
    sha256: str | None = None
    """Its hash; None: there is no protocol, and there was none."""
    deviations: tuple[Deviation, ...] = ()
    """Deviations from the protocol, and whether it was written too late."""
    inputs: frozenset[str] = frozenset()
    """sha256 of the files of conversations that were there first."""
    to_write: WrittenProtocol | None = None
    """Content to write before the first stage; None: nothing."""

    def governs(self, experiment: Experiment) -> Experiment:
        """Copy of the experiment with the registered protocol."""
        if self.protocol is None or experiment.decide == self.protocol:
            return experiment
        return experiment.model_copy(update={"decide": self.protocol, "alpha": self.protocol.alpha})


NOT_REGISTERED = Registration()
"""Registration of an experiment without a protocol."""


def registration_of(experiment: Experiment) -> Registration:
    """The deciding protocol, without writing anything.

    Edge cases: a protocol of the file in a folder without results takes the place of an earlier one; after that the earlier
    one stays. A written protocol that cannot be read, or that does not match its hash, is left as it is, and the file's
    decides, with a deviation that says so.
    """
    has_results, earlier = _has_results(experiment.out), _earlier_check(experiment.out)
    path = experiment.out / FILE
    if path.exists():
        found = _of_file(path, experiment, has_results=has_results)
    elif experiment.decide is not None:
        found = _first_registration(experiment, experiment.decide, has_results=has_results)
    elif earlier is not None:
        return Registration(sha256=earlier.sha256, deviations=(Deviation(what=DeviationKind.DELETED),))
    else:
        return Registration()
    if earlier is None or found.sha256 is None or found.sha256[:SHORT] == earlier.first_hash:
        return found
    replaced = Deviation(what=DeviationKind.REPLACED, planned=earlier.first_hash)
    return replace(found, deviations=(*found.deviations, replaced))


def register(experiment: Experiment) -> Registration:
    """The deciding protocol, registered in the experiment's folder unless one exists."""
    found = registration_of(experiment)
    if found.to_write is not None:
        make_folder(experiment.out)
        content = {**found.to_write.content, "sha256": found.to_write.sha256}
        write_text(experiment.out / FILE, json.dumps(content, sort_keys=True, ensure_ascii=False, indent=1) + "\n")
    return found


def protocol_text(experiment: Experiment) -> str:
    """Protocol as lines, for a dry run; "" without one."""
    found = registration_of(experiment)
    if found.protocol is None or found.sha256 is None:
        return ""
    state = f"to be written to {experiment.out / FILE}" if found.to_write else f"as written in {experiment.out / FILE}"
    lines = [f"Decision protocol {found.sha256[:SHORT]}, {state} (sha256 {found.sha256}):"]
    lines += [f"  {line}" for line in protocol_lines(found.protocol)]
    if found.deviations:
        lines.append(f"  not kept: {deviations_text(found.deviations)}")
    return "\n".join(lines)


def _first_registration(experiment: Experiment, protocol: DecisionProtocol, *, has_results: bool) -> Registration:
    written = WrittenProtocol(
        protocol=protocol,
        inputs=_input_hashes(experiment),
        after_results=has_results,
        trialogue=versions_of("trialogue").get("trialogue", ""),
    )
    late = (Deviation(what=DeviationKind.AFTER_RESULTS),) if has_results else ()
    return Registration(protocol, written.sha256, late, frozenset(written.inputs.values()), to_write=written)


def _of_file(path: Path, experiment: Experiment, *, has_results: bool) -> Registration:
    """Registration from an existing protocol file."""
    declared, raw = experiment.decide, path.read_bytes()
    written = _read_written(raw)
    if written is None:
        digest = hashlib.sha256(raw).hexdigest()
        return Registration(declared, digest, (Deviation(what=DeviationKind.EDITED),))
    if not has_results and declared is not None and declared != written.protocol:
        return _first_registration(experiment, declared, has_results=False)
    deviations = [Deviation(what=DeviationKind.AFTER_RESULTS)] if written.after_results else []
    if declared is None:
        deviations.append(Deviation(what=DeviationKind.WITHDRAWN))
    else:
        deviations += declared_deviations(written.protocol, declared)
    return Registration(written.protocol, written.sha256, tuple(deviations), frozenset(written.inputs.values()))


def _read_written(raw: bytes) -> WrittenProtocol | None:
    """Parsed content of a file; None if it is unreadable or does not match its hash."""
    try:
        content = json.loads(raw)
        digest = content.pop("sha256")
        written = WrittenProtocol.model_validate(content)
    except (ValueError, ValidationError, AttributeError, KeyError, TypeError):
        return None
    return written if digest == _hash(content) else None


def _hash(content: JsonValue) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _input_hashes(experiment: Experiment) -> dict[str, str]:
    """Checksums of everything that people, or systems asked about given situations, said already."""
    align = experiment.align
    names = [*experiment.dialogues, *experiment.human, *(align.situations if align else ())]
    return hashes_of([*names, *(align.responses if align else ())], experiment.surroundings)


def _has_results(out: Path) -> bool:
    """Whether a folder has a report, a stage that was done, or a dialogue that was simulated."""
    stages = out / "stages"
    return (
        is_experiment(out)
        or any(stages.glob(f"*/{DONE}"))
        or any(ids_in(ledger.parent) for ledger in stages.glob(f"*/{LEDGER}"))
    )


def _earlier_check(out: Path) -> ProtocolCheck | None:
    """Protocol check of an earlier report in a folder; None without a protocol."""
    from trialogue.subjects.evaluation.pages.write import read_findings

    try:
        check = read_findings(out).protocol
    except DataError:
        return None
    return check if check is not None and check.sha256 is not None else None
