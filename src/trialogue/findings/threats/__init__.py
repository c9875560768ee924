"""Detection and handling of threats to validity.

``threat`` holds the records, ``detect`` finds them, ``texts`` words them, ``gate`` applies them to leagues.
"""

from trialogue.findings.threat import EFFECTS, Severity, Threat, ThreatCode, Validity, weakest

__all__ = ["EFFECTS", "Severity", "Threat", "ThreatCode", "Validity", "weakest"]
