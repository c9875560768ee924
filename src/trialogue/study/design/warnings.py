"""Warnings about questionable but valid settings in a study file."""

from importlib.resources import files

from trialogue.study.design.checks import demandable
from trialogue.study.design.file import StudyFile

TEMPLATES_OWN = "Replace this with the text that your ethics board approved"


def page_languages() -> frozenset[str]:
    """Languages of the pages' own words, such as those on buttons."""
    return frozenset({"en", *(entry.name for entry in files("trialogue.study").joinpath("locale").iterdir())})


def _uncoded_outcomes(study: StudyFile) -> list[str]:
    """Outcomes that participants can reach, and that have no code."""
    reachable = {
        "completed": True,
        "no_consent": "consent" in study.phases,
        "screened_out": True,  # all places may be taken
        "failed_check": bool(study.attention.checks and demandable(study)),
    }
    return [
        outcome for outcome, is_reachable in reachable.items() if is_reachable and outcome not in study.platform.codes
    ]


def advice(study: StudyFile) -> list[str]:
    """Violations of a platform's rules by a study file, settings without effect, and missing texts."""
    found = []
    if study.consent is not None and TEMPLATES_OWN in str(study.consent.text):
        found.append(
            "The consent text is still that of the template: replace it with the text that your ethics board approved."
        )
    for language in study.every_language():
        if not page_languages() & {language, language.partition("-")[0]}:
            found.append(
                f"The interface, such as buttons, is not translated into {language!r}: it is shown in English."
            )
    # Prolific's policy on attention checks: one failed check is enough to reject only below five minutes.
    if study.platform.name == "prolific" and study.minutes >= 5 and study.rejection.failed_checks < 2:
        found.append("Prolific requires two failed checks before a submission of five minutes or more may be rejected.")
    if study.rejection.failed_checks > study.attention.checks > 0:
        found.append("There are fewer attention checks than a rejection requires: nobody can be rejected.")
    if study.platform.name == "prolific" and not study.platform.signed:
        found.append(
            "Anyone can enter a made-up Prolific id in the study's address. Secure the address on Prolific and set "
            "platform: {signed: true} to accept its signed links only."
        )
    if study.platform.name == "prolific" and (lacking := _uncoded_outcomes(study)):
        found.append(
            f"These outcomes have no completion code: {', '.join(lacking)}. Participants are asked to return "
            "their submission, or to say that they have no code. Set codes in platform."
        )
    if study.platform.name == "mturk":
        found.append("MTurk has not accepted new requesters since 2026-07-30; existing accounts continue.")
    if "consent" not in study.phases:
        found.append("The study does not ask for consent.")
    if study.attention.checks and "checks" in study.attention.model_fields_set and not demandable(study):
        found.append("No attention checks are generated: no item has a single-choice question.")
    return found
