"""Render ``StudyFindings`` as one self-contained page, figures and tables."""
