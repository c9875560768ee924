"""Somebody takes part and is erased, in a database on disk: ``python -m tests.study.erasing ID``; prints their code."""

import os
import sys


def main(person: str) -> None:
    """Walk, erase, and print what must be found nowhere."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "trialogue.study.settings"
    import django

    django.setup()
    from django.core.management import call_command

    from tests.study.walking import running, walk
    from trialogue.study.export import export_study
    from trialogue.study.models import Participant
    from trialogue.study.services import entering, leaving

    call_command("migrate", verbosity=0)
    study = running("preference", platform={"name": "prolific"})
    for each in (person, "somebody-else"):
        came = entering.enter(study, {"PROLIFIC_PID": each, "SESSION_ID": f"session-of-{each}"})
        assert came.participant is not None
        walk(came.participant, {"reason": f"words of {each}"})
    erased = Participant.objects.get(number=1)
    assert leaving.erase(study, person, who="staff") == 1
    export_study(study, f"{os.environ['TRIALOGUE_STUDY']}/export", who="staff")
    sys.stdout.write(erased.code)


if __name__ == "__main__":
    main(sys.argv[1])
