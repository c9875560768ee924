"""Analysis of studies with people: ratings, choices and labels to findings.

``infer_study`` and ``conclude_study`` run everything; ``analyse_ratings``, ``analyse_preferences``, ``analyse_realism`` and
``analyse_labels`` analyse one kind of study each. Answers are ``Score`` and ``Preference`` records; ``Participant`` holds a
participant's state and the exclusion rules they hit.
"""

from trialogue.findings.people.choices import analyse_preferences, analyse_realism
from trialogue.findings.people.labels import Label, analyse_labels
from trialogue.findings.people.participants import Participant, Presentation
from trialogue.findings.people.ratings import Scale, analyse_ratings
from trialogue.findings.people.records import StudyFindings
from trialogue.findings.people.study import StudyData, StudyEstimates, conclude_study, infer_study

__all__ = [
    "Label",
    "Participant",
    "Presentation",
    "Scale",
    "StudyData",
    "StudyEstimates",
    "StudyFindings",
    "analyse_labels",
    "analyse_preferences",
    "analyse_ratings",
    "analyse_realism",
    "conclude_study",
    "infer_study",
]
