"""A server of small studies of every type, for a browser: ``python -m tests.study.pages.server FOLDER``; prints its address.

The folder gets the database. Staff: ``boss``, password ``open sesame``.
"""

import os
import sys
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

KINDS = ("rating", "preference", "realism", "labelling", "chat")


class Server(ThreadingMixIn, WSGIServer):
    """Several requests at once, as browsers send them."""

    daemon_threads = True


class Quiet(WSGIRequestHandler):
    """A handler that says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parent's name
        pass


def _that_end() -> None:
    """Studies in which nobody gets far, and one that is quickly over."""
    from tests.study.pages.studies import running

    short: dict[str, Any] = {
        "items_per_participant": 1,
        "phases": ["consent", "tasks", "exit"],
        "languages": ["de", "ar"],
    }
    running("rating", study="short", items=8, platform={"name": "prolific", "codes": {"completed": "C0DE"}}, **short)
    running("rating", study="full", **short).items.update(taken=2)
    down = {"agent": "http://127.0.0.1:9/", "protocol": "trialogue"}  # nothing listens there
    agents = {"secret-one": down, "secret-two": down}
    running("chat", study="down", agents=agents, **{**short, "phases": ["tasks", "exit"]})


def _to_be_launched() -> None:
    """Drafts with strata and a soft launch on Prolific, and a study that paused by itself."""
    from tests.study.pages.studies import running
    from tests.study.test_launch import CHECKED, STRATIFIED, ended
    from trialogue.study.models import Study

    paid = {
        "platform": {"name": "prolific", "codes": {"completed": "C1"}},
        "payment": {"reward_cents": 200, "fee": 0.25},
    }
    launch = {"first": 1, "most_failed": 0.5, "least_completed": 2}
    more: dict[str, Any] = {**STRATIFIED, **CHECKED, **paid, "launch": launch, "exclusion": []}
    for name in ("launch-light", "launch-dark"):
        running("rating", study=name, items=4, **more)
    Study.objects.filter(slug__startswith="launch-").update(state=Study.State.DRAFT)
    halted = running("rating", study="halted", items=9, phases=["consent", "tasks", "exit"], **CHECKED, launch=launch)
    Study.objects.filter(pk=halted.pk).update(first_people=None)
    for _ in range(2):
        ended(halted, careful=False)


def main(folder: str) -> None:
    """Serve until the process is ended."""
    os.environ["TRIALOGUE_STUDY"] = folder
    os.environ["DJANGO_SETTINGS_MODULE"] = "trialogue.study.settings"
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application

    from tests.study.hostile import HOSTILE
    from tests.study.pages.studies import ASKED, labels, running

    call_command("migrate", verbosity=0)
    known = {"name": "known", "question": "How many of these films do you know?", "number": {"low": 0}}
    running("rating", items=8, questions=[known | {"required": False}])
    for kind in KINDS[1:]:
        running(kind, items=4, items_per_participant=1, phases=["tasks", "exit"])
    running("rating", study="hostile", text="\n".join(HOSTILE), items=2, items_per_participant=1, title=HOSTILE[0])
    _that_end()
    _to_be_launched()
    labels(languages=["de"])
    running("rating", study="kinds", questions=ASKED, items=8, items_per_participant=1, phases=["tasks", "exit"])
    running("labelling", study="disputed", items=1, items_per_participant=1, phases=["tasks", "exit"])
    User.objects.create_superuser("boss", password="open sesame")
    server = make_server("127.0.0.1", 0, get_wsgi_application(), server_class=Server, handler_class=Quiet)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
