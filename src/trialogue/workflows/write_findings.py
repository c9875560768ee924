"""Write the findings of any command to a folder, by the subject that they are of."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from trialogue.findings import Findings
from trialogue.render.media.files import write_document

if TYPE_CHECKING:
    from trialogue.subjects.agreement.records import AgreementFindings
    from trialogue.subjects.judging.records import JudgingFindings
    from trialogue.subjects.people.records import StudyFindings
    from trialogue.subjects.simulated_users.realism.records import RealismFindings
    from trialogue.subjects.simulated_users.records import PassportFindings

_OtherFindings: TypeAlias = "AgreementFindings | RealismFindings | StudyFindings | JudgingFindings | PassportFindings"
AnyFindings: TypeAlias = "Findings | _OtherFindings"


def write_findings(findings: "AnyFindings", folder: Path | str) -> Path:
    """Write the page, findings and tables; returns the page's path.

    Records and pages are imported only here: a command writes one kind.

    Args:
        findings: findings about systems, agreement with people, the realism of simulated users, their passport, a judge, or
            a study.
        folder: folder to write to.
    """
    from trialogue.subjects.agreement.pages.document import write_agreement
    from trialogue.subjects.agreement.records import AgreementFindings
    from trialogue.subjects.evaluation.commands.report import report
    from trialogue.subjects.judging.pages.document import judging_document
    from trialogue.subjects.judging.records import JudgingFindings
    from trialogue.subjects.people.pages.document import write_study_report
    from trialogue.subjects.simulated_users.pages.document import passport_document
    from trialogue.subjects.simulated_users.pages.realism import realism_document
    from trialogue.subjects.simulated_users.realism.records import RealismFindings
    from trialogue.subjects.simulated_users.records import PassportFindings

    folder = Path(folder)
    match findings:
        case Findings():
            return report(findings, folder)
        case AgreementFindings():
            return write_agreement(findings, folder)
        case RealismFindings():
            return write_document(realism_document(findings), folder)
        case PassportFindings():
            return write_document(passport_document(findings), folder)
        case JudgingFindings():
            return write_document(judging_document(findings), folder)
        case _:
            return write_study_report(findings, folder)
