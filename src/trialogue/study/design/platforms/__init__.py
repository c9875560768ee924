"""Recruitment platforms: parameters of incoming links, completion codes and return addresses. No Django.

=========  =====================================================================  =========================================
platform   comes with                                                             goes back by
=========  =====================================================================  =========================================
prolific   ``PROLIFIC_PID``, ``STUDY_ID``, ``SESSION_ID``; or a signed token     an address with the code
mturk      ``workerId``, ``assignmentId``, ``hitId``, ``turkSubmitTo``            a form that the browser posts to MTurk
connect    ``participantId``, ``assignmentId``, ``projectId``                     an address of the study file, or the code
sona       the survey code, as ``id``                                             an address of the study file
generic    a parameter that the study file names                                  an address of the study file, or the code
none       nothing, or a signed link (``id``, ``expires``, ``signature``)         the code, if one is wanted
=========  =====================================================================  =========================================

None of these ids is proof of anything, except in a signed link or token.
"""

from trialogue.study.design.platforms.arrivals import Arrival, arrival, signed_link, verify
from trialogue.study.design.platforms.returns import Return, return_of

__all__ = ["Arrival", "Return", "arrival", "return_of", "signed_link", "verify"]
