"""Export of a study: records for other commands, and tables.

The format is specified in docs/design/study-export.md.
"""

from trialogue.study.export.folder import export_study

__all__ = ["export_study"]
