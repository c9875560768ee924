"""HEAD is answered like GET, without a body: link checkers, uptime monitors and platforms' previews send it."""

import socket
from pathlib import Path

import pytest
from django.test import Client

from tests.study.pages.studies import entered, running
from tests.study.served import folder_of, free_port, start, stop


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    "path", ["/", "/rating/", "/rating/step/", "/rating/leave/", "/rating/receipt/", "/staff/login/", "/staff/"]
)
def test_head_is_answered_like_get(path: str) -> None:
    study = running()
    client = Client()
    entered(client, study)
    get, head = client.get(path), client.head(path)
    assert head.status_code == get.status_code < 400
    assert head.content == b""
    assert head.headers.get("Location") == get.headers.get("Location")


def test_a_real_server_sends_no_body_after_head(tmp_path: Path) -> None:
    port = free_port()
    process = start(folder_of(tmp_path / "study", items=2), port, processes=1)
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(b"HEAD /rating/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
    finally:
        stop(process)
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.endswith(b"\r\n\r\n")
    assert b"<html" not in answer
