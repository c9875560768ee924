"""What a study file may say, and its author should think about again. Told, never refused."""

from importlib.resources import files

from trialogue.study.design.checks import demandable
from trialogue.study.design.file import StudyFile

TEMPLATES_OWN = "Replace this with the text that your ethics board approved"


def page_languages() -> frozenset[str]:
    """Languages of the pages' own words, such as those on buttons."""
    return frozenset({"en", *(entry.name for entry in files("trialogue.study").joinpath("locale").iterdir())})


def advice(study: StudyFile) -> list[str]:
    """What a platform's rules say against a study file, what will not be done as it reads, and what is left to write."""
    found = []
    if study.consent is not None and TEMPLATES_OWN in str(study.consent.text):
        found.append("The consent is still the template's: put in the text that your ethics board approved.")
    for language in study.every_language():
        if not page_languages() & {language, language.partition("-")[0]}:
            found.append(
                f"The pages' own words, such as those on buttons, are not there in {language!r}: they are English."
            )
    if study.platform.name == "prolific" and study.minutes >= 5 and study.rejection.failed_checks < 2:
        found.append("Prolific asks for two failed checks before a submission of five minutes or more is rejected.")
    if study.rejection.failed_checks > study.attention.checks > 0:
        found.append("There are fewer attention checks than must be failed for a rejection: nobody can be rejected.")
    if study.platform.name == "prolific" and not study.platform.signed:
        found.append(
            "Anybody can write a made-up Prolific id into the study's address. Secure the address at Prolific and set "
            "platform: {signed: true} to accept its signed links only."
        )
    if study.platform.name == "mturk":
        found.append("MTurk takes no new requesters since 2026-07-30; existing accounts go on.")
    if "consent" not in study.phases:
        found.append("Nobody is asked for consent.")
    if study.attention.checks and "checks" in study.attention.model_fields_set and not demandable(study):
        found.append("No attention checks are made: no item has a question of which one option is chosen.")
    return found
