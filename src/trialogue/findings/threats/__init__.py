"""Detection and handling of threats to validity.

``threat`` holds the records, ``detect`` finds them, ``texts`` words them, ``gate`` applies them to leagues.
"""

from trialogue.findings.threat import VALIDITY_BY_SEVERITY, Severity, Threat, ThreatCode, Validity, lowest_validity

__all__ = ["VALIDITY_BY_SEVERITY", "Severity", "Threat", "ThreatCode", "Validity", "lowest_validity"]
