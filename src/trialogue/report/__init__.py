"""Render findings as one self-contained HTML page, figures (SVG and PNG) and tables (CSV and JSON).

It computes nothing beyond what a figure needs; every number comes from ``Findings``. The page loads nothing and runs no
script.
"""

from trialogue.report.evaluation.page import render_html
from trialogue.report.evaluation.terminal import text_table
from trialogue.report.evaluation.write import read_findings, write_report
from trialogue.report.plots import Figure, figures
from trialogue.report.study import read_study_findings, write_study_report

__all__ = [
    "Figure",
    "figures",
    "read_findings",
    "read_study_findings",
    "render_html",
    "text_table",
    "write_report",
    "write_study_report",
]
