"""Render findings as one self-contained HTML page, figures (SVG and PNG) and tables (CSV and JSON).

It computes nothing beyond what a figure needs; every number comes from ``Findings``. The page loads nothing and runs no
script.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialogue.report.evaluation.write import read_findings, render_html, text_table, write_report
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

_LAZY = {
    "Figure": "trialogue.report.plots",
    "figures": "trialogue.report.plots",
    "read_findings": "trialogue.report.evaluation.write",
    "read_study_findings": "trialogue.report.study",
    "render_html": "trialogue.report.evaluation.write",
    "text_table": "trialogue.report.evaluation.write",
    "write_report": "trialogue.report.evaluation.write",
    "write_study_report": "trialogue.report.study",
}


def __getattr__(name: str) -> Any:
    """Import a public name lazily: of the pages, a command writes one."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
