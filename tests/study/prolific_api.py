"""Prolific's API as its documentation describes it, in memory: counts money, loses answers when it is asked to."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "secret-token"
TERMINAL = ("RETURNED", "TIMED-OUT", "APPROVED", "REJECTED")


class RefusedError(Exception):
    """An error of the API."""


class Prolific:
    """The platform: studies, submissions, and how often anything was paid."""

    def __init__(self) -> None:
        self.studies: dict[str, dict[str, Any]] = {}
        self.submissions: dict[str, dict[str, Any]] = {}
        self.payments: dict[str, dict[str, Any]] = {}
        self.paid: list[str] = []
        self.log: list[str] = []
        self.leaked: list[str] = []
        """Tokens that came to the page of a redirect."""
        self.lose: str = ""
        """A pattern: requests that are carried out, and whose answers are lost."""
        self.moved: str = ""
        """A pattern: requests that are answered with a redirect to another page, which is there."""
        self.mangled = False
        """Whether rows of submissions lack their fields."""
        self.busy = 0
        """How many requests are still answered with 429."""
        self.says: dict[str, int] = {}
        """Statuses by pattern: matching requests are carried out, and answered as if they were not."""
        self.cap = 1_000
        """Most rows of a page, whatever is asked for."""
        self.silent = False
        """Whether submissions do not tell what bonuses were paid."""
        self.late: list[str] | None = None
        """None: bonuses are paid at once; else payments wait here until ``arrive``."""
        self.address = ""

    def submit(self, person: str, status: str) -> None:
        """Somebody's submission."""
        there = self.submissions.setdefault(f"e-{person}", {"bonus_payments": []})
        there |= {"id": f"e-{person}", "participant_id": person, "status": status}

    def arrive(self) -> None:
        """Payments that were only requested are made."""
        waiting, self.late = self.late or [], None
        for payment in waiting:
            self._pay(payment)

    def _pay(self, payment: str) -> None:
        self.paid.append(self.payments[payment]["csv"])  # again, if it is asked again
        for line in self.payments[payment]["csv"].splitlines():
            person, _, amount = line.partition(",")
            self.submissions[f"e-{person}"]["bonus_payments"].append(round(float(amount) * 100))

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: dict[str, Any]) -> dict[str, Any]:
        """What a request does."""
        if method == "POST" and path == "/studies/":
            made = {**body, "id": f"s{len(self.studies) + 1}", "status": "UNPUBLISHED"}
            codes = [each["code"] for each in body["completion_codes"]]
            if len(set(codes)) != len(codes):
                raise RefusedError("completion codes are not unique")
            self.studies[made["id"]] = made
            return made
        if method == "GET" and path == "/studies/":
            return self._page(list(self.studies.values()), query)
        if found := re.fullmatch(r"/studies/(\w+)/(transition/|submissions/)?", path):
            return self._study(method, self.studies[found[1]], found[2] or "", query, body)
        if found := re.fullmatch(r"/submissions/([\w-]+)/transition/", path):
            return self._decide(self.submissions[found[1]], body)
        if path == "/submissions/bonus-payments/":
            made = {"id": f"b{len(self.payments) + 1}", "csv": body["csv_bonuses"]}
            self.payments[made["id"]] = made
            return made
        if found := re.fullmatch(r"/bulk-bonus-payments/(\w+)/pay/", path):
            if self.late is None:
                self._pay(found[1])
            else:
                self.late.append(found[1])
            return {}
        if found := re.fullmatch(r"/submissions/([\w-]+)/", path):  # another shape than in the list
            there = self.submissions[found[1]]
            told = {} if self.silent else {"bonus_payments": there["bonus_payments"]}
            return {"id": there["id"], "participant": there["participant_id"], "status": there["status"]} | told
        if path in ("/reset/", "/arrive/", "/told/"):
            return self._control(path, body)
        raise RefusedError(f"no such page {path}")

    def _control(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Not of the platform: what a test in another process says and asks."""
        if path == "/reset/":
            self.studies = {"s1": {"id": "s1", "status": "ACTIVE", "reward": 200, "total_available_places": 4}}
            self.submissions, self.payments, self.paid = {}, {}, []
            self.late = [] if body["late"] else None
            for number in range(1, body["people"] + 1):
                self.submit(f"p{number}", "AWAITING REVIEW")
        elif path == "/arrive/":
            self.arrive()
        return {"submissions": self.submissions}

    def _study(
        self, method: str, study: dict[str, Any], what: str, query: dict[str, list[str]], body: dict[str, Any]
    ) -> dict[str, Any]:
        if what == "submissions/" and self.mangled:
            return {"results": [{"participant": "p1"}]}
        if what == "submissions/":
            rows = [{key: row[key] for key in ("id", "participant_id", "status")} for row in self.submissions.values()]
            return self._page(rows, query)
        if what == "transition/":
            study["status"] = {"PUBLISH": "ACTIVE", "START": "ACTIVE", "PAUSE": "PAUSED", "STOP": "AWAITING REVIEW"}[
                body["action"]
            ]
        elif method == "PATCH":
            study.update(body)
        return study

    def _decide(self, submission: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if submission["status"] != "AWAITING REVIEW":
            raise RefusedError(f"a submission that is {submission['status']} cannot be decided about")
        if body["action"] == "REJECT" and not (body.get("message") and body.get("rejection_category")):
            raise RefusedError("a rejection needs message and rejection_category")
        submission["message"] = body.get("message", "")
        submission["status"] = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[body["action"]]
        return submission

    def _page(self, rows: list[dict[str, Any]], query: dict[str, list[str]]) -> dict[str, Any]:
        number, size = int(query["page"][0]), min(self.cap, int(query["page_size"][0]))
        return {"results": rows[(number - 1) * size : number * size]}


@contextmanager
def serving() -> Iterator[Prolific]:
    """The platform at an address of this machine."""
    platform = Prolific()

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            platform.log.append(f"{self.command} {parts.path}")
            status, said = 200, b"{}"
            if parts.path == "/elsewhere/":
                platform.leaked.append(self.headers.get("Authorization", ""))
            elif platform.moved and re.search(platform.moved, f"{self.command} {parts.path}"):
                status = 302
            elif self.headers.get("Authorization") != f"Token {TOKEN}":
                status, said = 401, b'{"error": {"detail": "who are you?"}}'
            elif platform.busy > 0:
                platform.busy -= 1
                status = 429
            else:
                try:
                    made = platform.answer(self.command, parts.path, parse_qs(parts.query), json.loads(data or b"{}"))
                    said = json.dumps(made).encode()
                except RefusedError as error:
                    status, said = 400, json.dumps({"error": {"detail": str(error)}}).encode()
            what = f"{self.command} {parts.path}"
            status = next((given for pattern, given in platform.says.items() if re.search(pattern, what)), status)
            if platform.lose and re.search(platform.lose, f"{self.command} {parts.path}"):
                platform.lose = ""
                self.connection.close()
                return
            self.send_response(status)
            if status == 302:
                self.send_header("Location", f"{platform.address}/elsewhere/")
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        do_GET = do_POST = do_PATCH = handle_any  # noqa: N815

        def log_message(self, *given: object) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        def handle_error(self, *given: object) -> None:
            """Lost answers are meant."""

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=lambda: server.serve_forever(0.01))
    thread.start()
    platform.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield platform
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
