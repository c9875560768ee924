"""Documents of every subject, made from small data."""

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.judges.probes.test_probes import dialogues
from tests.workflows.judging.test_judge import World
from trialogue.findings.judging.probes import probe_findings
from trialogue.judges.probes.asking import ProbeCase, ProbeCases
from trialogue.judges.probes.kinds import ProbeKind
from trialogue.report.document import Document
from trialogue.report.judging.document import judging_document
from trialogue.workflows.judging.judge import judge


def corrected(folder: Path) -> Document:
    """A judge with labels, and a probe."""
    cases = tuple(ProbeCase(each.id, 1.0 + place % 2, 3.0) for place, each in enumerate(dialogues()))
    probes = probe_findings("tiny", "overall", [ProbeCases(ProbeKind.INJECTION, cases)], points=(0, 4))
    return judging_document(World(folder).judged().model_copy(update={"probes": probes}))


def uncorrected(folder: Path) -> Document:
    """A judge without labels."""
    files = World(folder).files()
    return judging_document(judge(files["dialogues"], aspect="overall", scores=files["scores"]))


DOCUMENTS: Mapping[str, Callable[[Path], Document]] = {"judging": corrected, "judging-raw": uncorrected}
