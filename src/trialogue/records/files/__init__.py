"""Record files: opening, JSON Lines, YAML, manifests, locks, and upgrades from older format versions.

For packages that read their own YAML files: ``read_fields`` and ``lines_of`` return fields and the line of each,
``Mistake`` and ``mistakes_of`` word errors as in all of Trialogue's files.
"""

from trialogue.records.files.validation import Mistake, mistakes_of
from trialogue.records.files.yaml_file import Lines, lines_of, read_fields

__all__ = ["Lines", "Mistake", "lines_of", "mistakes_of", "read_fields"]
