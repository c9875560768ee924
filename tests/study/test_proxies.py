"""Behind a proxy everybody has their own address, and nobody writes one themselves."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.study.proxy import nginx, proxied
from tests.study.served import folder_of, free_port, start, stop
from tests.study.visitor import Page, Visitor
from trialogue.study.staff.views.login import BY_NAME, BY_PLACE
from trialogue.study.web.throttle import BY_LOGIN, client_address, neighbourhood

HOST = "study.example.org"
PASSWORD = "correct horse battery staple"


@pytest.mark.parametrize(
    ("forwarded", "proxies", "found"),
    [
        ("", 1, "10.0.0.1"),
        ("203.0.113.9", 0, "10.0.0.1"),  # nothing is trusted
        ("203.0.113.9", 1, "203.0.113.9"),
        ("1.2.3.4, 203.0.113.9", 1, "203.0.113.9"),  # the first was written by the client
        ("1.2.3.4, 203.0.113.9, 10.0.0.7", 2, "203.0.113.9"),
        ("203.0.113.9", 2, "10.0.0.1"),  # did not come through both
        ("203.0.113.9:4711", 1, "203.0.113.9"),
        ('"[2001:db8::1]:4711"', 1, "2001:db8::1"),
        ("2001:db8::1", 1, "2001:db8::1"),
        ("unknown", 1, "10.0.0.1"),
        ("203.0.113.9, <script>", 1, "10.0.0.1"),
        ("203.0.113.9,", 1, "10.0.0.1"),
        ("1.1.1.1," * 5000 + "203.0.113.9", 1, "203.0.113.9"),
    ],
)
def test_the_clients_address_is_the_entry_of_the_outermost_trusted_proxy(
    forwarded: str, proxies: int, found: str
) -> None:
    assert client_address("10.0.0.1", forwarded, proxies=proxies) == found


def test_the_addresses_of_one_ipv6_customer_are_one_client() -> None:
    assert neighbourhood("2001:db8:1:2::1") == neighbourhood("2001:db8:1:2:ffff::9") != neighbourhood("2001:db8:1:3::1")
    assert neighbourhood("unix socket") == "unix socket"


def _log_in(visitor: Visitor, name: str, password: str) -> Page:
    form = visitor.ask("GET", "/staff/login/").form()
    return visitor.ask("POST", "/staff/login/", form | {"username": name, "password": password})


@pytest.mark.slow
@pytest.mark.service
def test_behind_a_real_proxy_one_clients_failed_logins_lock_out_nobody_else(tmp_path: Path) -> None:
    nginx()
    folder, port, behind = folder_of(tmp_path / "study", items=4), free_port(), free_port()
    command = [sys.executable, "-m", "trialogue", "study", "staff", str(folder), "maria"]
    subprocess.run(command, input=f"{PASSWORD}\n{PASSWORD}\n", text=True, check=True, capture_output=True)
    process = start(folder, behind, "--secure", "--name", HOST, "--set", "trusted_proxies=1", processes=1)
    try:
        with proxied(tmp_path / "proxy", port, behind):
            headers = {"Host": HOST, "Origin": f"https://{HOST}", "Referer": f"https://{HOST}/staff/login/"}
            attacker = Visitor(port, source="127.0.0.2", headers=headers)
            statuses = []
            for number in range(BY_LOGIN + 2):
                attacker.headers |= {"X-Forwarded-For": f"198.51.100.{number}, 127.0.0.3"}  # poses as others
                statuses.append(_log_in(attacker, "maria", "guess").status)
            assert statuses == [403] * BY_LOGIN + [429] * 2
            maria = Visitor(port, source="127.0.0.3", headers=headers)
            assert _log_in(maria, "maria", PASSWORD).status == 302
            assert maria.ask("GET", "/staff/rating/").status == 200
            somebody = Visitor(port, source="127.0.0.4", headers=headers)
            assert somebody.walk("rating").status == 200
    finally:
        stop(process)
    assert "trusted-proxies" not in (folder / "log.txt").read_text()


@pytest.mark.usefixtures("store")
def test_one_address_that_fails_under_many_names_locks_out_itself() -> None:
    def fails(client: Client, name: str) -> int:
        return client.post("/staff/login/", {"username": name, "password": "x"}).status_code

    statuses = [fails(Client(REMOTE_ADDR="2001:db8::1"), f"name{number}") for number in range(BY_PLACE + 2)]
    assert statuses == [403] * BY_PLACE + [429] * 2
    assert fails(Client(REMOTE_ADDR="2001:db8::2"), "another") == 429  # the same customer's network
    assert fails(Client(REMOTE_ADDR="2001:db8:0:1::1"), "name1") == 403


@pytest.mark.usefixtures("store")
def test_who_has_logged_in_before_is_not_locked_out_by_others_at_the_same_address_or_anywhere() -> None:
    User.objects.create_user("maria", password=PASSWORD, is_staff=True)
    right = {"username": "maria", "password": PASSWORD}
    maria = Client()
    assert maria.post("/staff/login/", right).status_code == 302
    assert maria.cookies["trialogue-device"]["httponly"]
    for number in range(BY_NAME // BY_LOGIN):  # from many addresses; of one address after ten guesses no more count
        for _ in range(BY_LOGIN):
            wrong = {"username": "maria", "password": "x"}
            assert Client(REMOTE_ADDR=f"198.51.100.{number}").post("/staff/login/", wrong).status_code == 403
    assert Client().post("/staff/login/", right).status_code == 429  # a browser that nobody knows
    assert maria.post("/staff/login/", right).status_code == 302
    for _ in range(BY_LOGIN):  # and yet it cannot be used to guess
        maria.post("/staff/login/", right | {"password": "x"})
    assert maria.post("/staff/login/", right).status_code == 429
    stolen = Client()
    stolen.cookies = maria.cookies
    assert stolen.post("/staff/login/", right | {"username": "jo"}).status_code == 403  # it is maria's alone


def test_without_a_number_of_proxies_serve_says_that_all_share_one_address(tmp_path: Path) -> None:
    folder, port = folder_of(tmp_path / "study", items=4), free_port()
    stop(start(folder, port, "--secure", "--name", HOST, processes=1))
    messages = (folder / "log.txt").read_text()
    assert "trusted_proxies=1" in messages
    assert re.search(rf"https://{HOST}/staff/first/[\w:-]+/", messages)
