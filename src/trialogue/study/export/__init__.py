"""What a study collected, as files: records for other commands, and tables. The contract: docs/design/study-export.md."""

from trialogue.study.export.folder import export_study

__all__ = ["export_study"]
