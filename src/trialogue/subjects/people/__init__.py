"""Analysis of studies with people: ratings, choices and labels to findings.

``infer_study`` and ``conclude_study`` run everything; ``analyse_ratings``, ``analyse_preferences``, ``analyse_realism`` and
``analyse_labels`` analyse one kind of study each. Answers are ``Score`` and ``Preference`` records; a ``Participant`` of
``trialogue.inputs.study_data`` holds a participant's state and the exclusion rules they hit.
"""

from trialogue.subjects.people.choices import analyse_preferences, analyse_realism
from trialogue.subjects.people.labels import analyse_labels
from trialogue.subjects.people.ratings import analyse_ratings
from trialogue.subjects.people.records import StudyFindings
from trialogue.subjects.people.study import StudyEstimates, conclude_study, infer_study

__all__ = [
    "StudyEstimates",
    "StudyFindings",
    "analyse_labels",
    "analyse_preferences",
    "analyse_ratings",
    "analyse_realism",
    "conclude_study",
    "infer_study",
]
