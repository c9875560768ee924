"""Threats to validity: what could make a verdict wrong, how it is found, and what it does to the verdict.

``threat`` holds the records, ``detect`` finds them, ``texts`` words them, ``gate`` applies them to leagues.
"""

from trialogue.findings.threat import EFFECTS, Severity, Threat, ThreatCode, Validity, weakest

__all__ = ["EFFECTS", "Severity", "Threat", "ThreatCode", "Validity", "weakest"]
