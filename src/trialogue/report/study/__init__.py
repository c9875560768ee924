"""Render ``StudyFindings`` as one self-contained page, figures and tables."""

from trialogue.report.study.write import read_study_findings, write_study_report

__all__ = ["read_study_findings", "write_study_report"]
