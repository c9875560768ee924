"""Records in files: opening, JSON Lines, YAML, manifests, locks, older versions of the format.

For packages that read YAML files of their own: ``read_fields`` and ``lines_of`` give fields and the line of each,
``Mistake`` and ``mistakes_of`` word what is wrong with them as for all of Trialogue's files.
"""

from trialogue.records.files.validation import Mistake, mistakes_of
from trialogue.records.files.yaml_file import Lines, lines_of, read_fields

__all__ = ["Lines", "Mistake", "lines_of", "mistakes_of", "read_fields"]
