"""Pictures of a study's pages for the documentation, from a real browser: writes ``docs/static/study-*.png``.

    python -m benchmarks.screenshots

Studies of the demo corpus are served by `trialogue study serve`. Scripted participants walk the one that the staff pages
show, and how long they took is invented, since scripts take no time. Prolific is the tests' server that answers as its
documentation says. Each picture is reduced to 128 colours, and has to be smaller than 150 kB. Needs Chromium and Playwright.
"""

import io
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image
from tests.study.prolific_api import TOKEN, Prolific, serving

from benchmarks.study_crowd import crowd
from trialogue.study.design.folder import new_study
from trialogue.study.design.platforms import signed_link
from trialogue.subjects.people.commands.items import items_for

STATIC = Path(__file__).resolve().parents[1] / "docs" / "static"
LARGEST = 150_000  # bytes
COLORS = 128
PATIENCE_S = 60.0  # until a server has begun
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
WIDE, PHONE = (1280, 860), (390, 780)
PEOPLE = 9
READING_S = 75  # invented, of the pages before the tasks
COMMON = {"consent": {"text": "You may leave at any time."}, "contact": "lab@example.org", "seed": 3}
SCALE = ["Entirely meaningless", "Somewhat meaningless", "In between", "Somewhat meaningful", "Perfectly meaningful"]
RATING: dict[str, Any] = {
    "study": "ratings",
    "type": "rating",
    "title": "Which reply makes sense?",
    "criteria": [{"name": "meaningfulness", "question": "How meaningful is the reply?", "scale": SCALE}],
    "items_per_participant": 6,
    "raters_per_item": 5,
    "phases": ["consent", "tasks", "exit"],
    "platform": {"name": "prolific", "codes": {"completed": "C1ABCDEF"}},
    "payment": {"reward_cents": 300, "fee": 0.33},
}
CHAT: dict[str, Any] = {
    "study": "chats",
    "type": "chat",
    "title": "Talk to a recommender",
    "agents": {"guided": "fixed:Have you seen Arrival? It is slow, and it stays with you."},
    "criteria": [{"name": "useful", "question": "How useful was it?", "scale": SCALE}],
    "chat": {"turns": 6, "at_least": 2},
    "phases": ["consent", "tasks", "exit"],
    "items_per_participant": 1,
}
LABELS: dict[str, Any] = {
    "study": "labels",
    "type": "labelling",
    "title": "What does a recommender do?",
    "phases": ["consent", "tasks", "exit"],
    "items_per_participant": 3,
}


def made(room: Path, fields: dict[str, Any]) -> Path:
    """The folder of a study of the demo corpus."""
    kind = str(fields["type"])
    sources: dict[str, Any] = {"agents": ["guided"]} if kind == "chat" else {"responses": ["demo"]}
    folder = room / kind
    new_study(folder, kind, items_for(kind, sources.pop("responses", ()), **sources, most=12))
    (folder / "study.yaml").write_text(json.dumps({**COMMON, **fields}), "utf-8")
    return folder


@contextmanager
def server_of(folder: Path, *options: str, **environment: str) -> Iterator[int]:
    """The port of a server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    command = [
        sys.executable,
        "-m",
        "trialogue",
        "study",
        "serve",
        str(folder),
        "--port",
        str(port),
        "--set",
        "processes=1",
    ]
    known = {name: value for name, value in os.environ.items() if not name.startswith(("TRIALOGUE_", "DJANGO"))}
    with (folder / "log.txt").open("ab") as log:
        process = subprocess.Popen([*command, *options], env=known | environment, stdout=log, stderr=log)
    try:
        wait_for(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(30)


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Until a server answers."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("the server did not start")


def fill(page: Any) -> None:
    """Answer everything on a page."""
    for name in page.eval_on_selector_all("main input[type=radio]", "all => [...new Set(all.map(each => each.name))]"):
        page.locator(f"main input[name='{name}']").first.check()
    for field in page.locator("main input[type=text], main textarea").all():
        field.fill("Because it fits.")


def taken(page: Any, name: str) -> None:
    """A picture of what stands in the window, as small as it can be."""
    page.wait_for_load_state("networkidle")
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    packed = io.BytesIO()
    picture.quantize(COLORS, dither=Image.Dither.NONE).save(packed, "PNG", optimize=True)
    assert len(packed.getvalue()) < LARGEST, (name, len(packed.getvalue()))
    (STATIC / f"{name}.png").write_bytes(packed.getvalue())


def window(browser: Any, size: tuple[int, int]) -> Any:
    """A window of its own."""
    return browser.new_context(viewport={"width": size[0], "height": size[1]}, locale="en").new_page()


def onwards(page: Any, times: int) -> None:
    """Fill in and send so many pages."""
    for _ in range(times):
        fill(page)
        with page.expect_navigation():
            page.locator("main button[type=submit]").first.click()


def participants(browser: Any, room: Path) -> None:
    """What participants see."""
    folder = made(room, LABELS)
    with server_of(folder) as port:
        page = window(browser, WIDE)
        page.goto(f"http://127.0.0.1:{port}/labels/")
        onwards(page, 2)
        taken(page, "study-labels")
    folder = made(room, CHAT)
    with server_of(folder) as port:
        page = window(browser, PHONE)
        page.goto(f"http://127.0.0.1:{port}/chats/")
        onwards(page, 2)
        for text in ("Something quiet with a good story, please.", "I have. Is there anything like it?"):
            page.locator("textarea, input[name=say]").first.fill(text)
            with page.expect_navigation():
                page.locator("button[name=act][value=say]").click()
        taken(page, "study-chat")


def staff(browser: Any, room: Path, platform: Prolific) -> None:
    """What staff see, after scripted participants."""
    folder = made(room, RATING)
    confirmed = "--confirm-places"
    environment = {"PROLIFIC_TOKEN": TOKEN, "TRIALOGUE_PROLIFIC_API": platform.address}
    os.environ.update(environment)
    from trialogue.study.opening import open_study

    study = open_study(folder)
    from django.conf import settings

    from trialogue.study.models import Decision, Submission
    from trialogue.study.recruiting.api import Api
    from trialogue.study.recruiting.prolific import Recruiter
    from trialogue.study.services.assigning import budget
    from trialogue.study.services.deciding import decide
    from trialogue.study.services.staff_access import let_in

    password = secrets.token_urlsafe(16)
    let_in("maria", password, export=True, manage=True)
    with server_of(folder, confirmed, str(budget(study).most_people), "--set", "sync_every=0", **environment) as port:
        study.refresh_from_db()
        recruiter = Recruiter(study, Api(), who="maria")
        recruiter.create_draft("https://study.example.org")
        recruiter.publish(str(recruiter.price()))
        for number in range(PEOPLE):
            link = signed_link("/ratings/", study="ratings", person=f"p{number}", key=settings.SECRET_KEY)
            crowd(port, 1, 0.001, entrance=link, patience=20.0)
        rng = np.random.default_rng(0)
        for submission in Submission.objects.order_by("pk"):
            submission.seconds = round(float(rng.lognormal(3.2, 0.5)), 1)
            submission.save(update_fields=["seconds"])
        people = list(study.participants.order_by("number"))
        for number, each in enumerate(people):
            took = sum(one or 0.0 for one in each.submissions.values_list("seconds", flat=True)) + READING_S
            each.arrived_at -= timedelta(seconds=took)
            each.save(update_fields=["arrived_at"])
            each.identity.ids = {"PROLIFIC_PID": f"p{number}"}
            each.identity.save()
            platform.submit(f"p{number}", "AWAITING REVIEW")
        for each in people[:4]:
            decide(each, Decision.Kind.ACCEPT, who="maria")
        decide(people[4], Decision.Kind.REFUSE, who="maria", reason="the same answer to everything")
        page = window(browser, WIDE)
        page.goto(f"http://127.0.0.1:{port}/staff/")
        page.locator("#username").fill("maria")
        page.locator("#password").fill(password)
        with page.expect_navigation():
            page.keyboard.press("Enter")
        taken(page, "study-staff")
        page.goto(f"http://127.0.0.1:{port}/staff/ratings/people/{people[4].code}/")
        taken(page, "study-session")
        page.goto(f"http://127.0.0.1:{port}/staff/ratings/launch/")
        taken(page, "study-launch")
        page = window(browser, WIDE)
        page.goto(
            f"http://127.0.0.1:{port}" + signed_link("/ratings/", study="ratings", person="me", key=settings.SECRET_KEY)
        )
        onwards(page, 2)
        taken(page, "study-rating")


def main() -> None:
    """Take all of them."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("There is no Chromium on this machine.")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # Playwright has an event loop in this thread
    with TemporaryDirectory() as room, serving() as platform, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        participants(browser, Path(room))
        staff(browser, Path(room), platform)
        browser.close()


if __name__ == "__main__":
    main()
