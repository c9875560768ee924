"""Many at once, on a database of their own: ``python -m tests.study.racing NAME``; prints what came of it as JSON.

The database is that of the environment (``TRIALOGUE_STUDY``, ``DATABASE_URL``).
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

MANY = 20
CROWD = 50  # who race for the last places


def at_once(works: Sequence[Callable[[], str]]) -> Counter[str]:
    """What each says, all begun at the same moment; a mistake is what its type is called."""
    from django.db import connection

    gate = Barrier(len(works))

    def begun(work: Callable[[], str]) -> str:
        try:
            connection.ensure_connection()
            gate.wait()
            return work()
        except Exception as error:  # noqa: BLE001 - to be reported, whatever it is
            return f"{type(error).__name__}: {error}"
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return Counter(pool.map(begun, works))


def last_slots() -> dict[str, Any]:
    """Everybody consents at once, and goes to the tasks; two items with three places each are there for fifty people."""
    from tests.study.walking import entered, running

    study = running(items=2, raters_per_item=3, items_per_participant=2)
    people = [entered(study) for _ in range(CROWD)]

    def comes(place: int) -> Callable[[], str]:
        return lambda: _comes(people[place])

    return {"said": at_once([comes(place) for place in range(CROWD)]), **_state(study)}


def _comes(person: Any) -> str:
    """Somebody consents, and then is at their first task, or finds that all is taken."""
    from tests.study.walking import now_at, send
    from trialogue.study.services import steps

    assert send(person, now_at(person)).kind == "stored"
    return "task" if steps.current(person) is not None else "full"


def same_form() -> dict[str, Any]:
    """One form is sent twenty times at once, with different answers."""
    from tests.study.walking import entered, now_at, running, send, walk
    from trialogue.study.models import Submission

    study = running()
    person = entered(study)
    walk(person, until="task")
    step = now_at(person)

    def sends(place: int) -> Callable[[], str]:
        return lambda: send(person, step, {"sense": str(place % 5 + 1)}).kind

    said = at_once([sends(place) for place in range(MANY)])
    return {"said": said, "rows": Submission.objects.filter(step="task:1").count(), **_state(study)}


def lapsing() -> dict[str, Any]:
    """Leases run out while their holders answer and others come for their places."""
    from django.utils import timezone

    from tests.study.walking import entered, now_at, running, send, walk
    from trialogue.study.models import Assignment, Submission
    from trialogue.study.services import assigning, leaving

    study = running(items=8, raters_per_item=1, items_per_participant=1)
    late = [entered(study) for _ in range(8)]
    new = [entered(study) for _ in range(8)]
    shown = []
    for person in late:
        walk(person, until="task")
        shown.append(now_at(person))
    Assignment.objects.update(lease_until=timezone.now() - timedelta(minutes=1))

    def answers(place: int) -> Callable[[], str]:
        return lambda: send(late[place], shown[place]).kind

    def comes(place: int) -> Callable[[], str]:
        return lambda: _comes(new[place])

    def frees() -> str:
        assigning.release_expired(study)
        return "freed"

    def withdraws() -> str:
        leaving.withdraw(late[0])
        return "withdrew"

    works = [each(place) for place in range(8) for each in (answers, comes)]
    said = at_once([*works, frees, frees, withdraws])
    answered = Submission.objects.filter(step__startswith="task").count()
    done = Assignment.objects.filter(state__in=("done", "abandoned")).count()  # answered; some by people who are away
    return {"said": said, "rows": answered, "done": done, **_state(study)}


def same_link() -> dict[str, Any]:
    """One person opens their link twenty times at once."""
    from tests.study.walking import running
    from trialogue.study.models import Participant
    from trialogue.study.services import entering

    study = running(platform={"name": "prolific"})
    came = {"PROLIFIC_PID": "p", "SESSION_ID": "s"}
    said = at_once([lambda: entering.enter(study, came).why] * MANY)
    return {"said": said, "rows": Participant.objects.count()}


def strata() -> dict[str, Any]:
    """Members of two strata pass the screening at once; a soft launch has five places, and there are more in all."""
    from tests.study.counting_schedules import GROUPS
    from tests.study.walking import answers, entered, now_at, running, send
    from trialogue.study.models import Participant
    from trialogue.study.services import steps
    from trialogue.study.services.launching import end_soft_launch

    study = running(
        items=4,
        raters_per_item=5,
        items_per_participant=2,
        phases=["consent", "screening", "tasks", "exit"],
        screening={"questions": [{"name": "group", "question": "?", "choice": list(GROUPS)}]},
        strata=[{"name": name, "when": {"group": [name]}, "raters": n} for name, n in (("a", 2), ("b", 3))],
        launch={"first": 5},
    )
    people = [entered(study) for _ in range(2 * MANY)]
    for person in people:
        assert send(person, now_at(person)).kind == "stored"

    def passes(place: int) -> Callable[[], str]:
        def work() -> str:
            step = now_at(people[place])
            return steps.submit(people[place], step.token, answers(step) | {"group": [GROUPS[place % 2]]}).kind

        return work

    def counts() -> dict[str, int]:
        held = Participant.objects.exclude(state="failed")
        return {name: held.filter(stratum=name).count() for name in GROUPS[:2]}

    said = at_once([passes(place) for place in range(MANY)])
    first = counts()
    end_soft_launch(study, who="test")
    said += at_once([passes(place) for place in range(MANY, 2 * MANY)])
    return {"said": said, "first": sum(first.values()), "all": counts(), **_state(study)}


def _state(study: Any) -> dict[str, Any]:
    from tests.study.test_services import counted
    from trialogue.study.models import Assignment
    from trialogue.study.services.assigning import LIVE

    return {"counted": counted(study), "live": Assignment.objects.filter(state__in=LIVE).count()}


RACES = {"last_slots": last_slots, "same_form": same_form, "lapsing": lapsing, "same_link": same_link, "strata": strata}


def main(names: Sequence[str]) -> None:
    """Run races one after another, each on emptied tables."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "trialogue.study.settings"
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    found = {}
    for name in names or list(RACES):
        call_command("flush", interactive=False, verbosity=0)
        found[name] = RACES[name]()
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
