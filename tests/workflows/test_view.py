"""The server of a run: this machine only, files of the folder only, and a policy for each page."""

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.records.runs.made import reseal
from trialogue.errors import DataError, UsageError
from trialogue.workflows.view import page_of, run_server, view


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    (folder / "explorer" / "app").mkdir(parents=True)
    (folder / "explorer.html").write_text("<p>explorer", encoding="utf-8")
    (folder / "report.html").write_text("<p>report", encoding="utf-8")
    (folder / "explorer" / "app" / "main.js").write_text("1", encoding="utf-8")
    (folder / ".hidden").write_text("hidden", encoding="utf-8")
    (tmp_path / "outside.txt").write_text("outside", encoding="utf-8")
    (folder / "way-out.txt").symlink_to(tmp_path / "outside.txt")
    return reseal(folder)


@pytest.fixture
def port(run: Path) -> Iterator[int]:
    with run_server(run) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield int(server.server_address[1])
        server.shutdown()
        thread.join()


def ask(port: int, path: str, *, host: str = "", method: str = "GET") -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_host=True)
    connection.putheader("Host", host or f"127.0.0.1:{port}")
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode()
    connection.close()
    return found


def test_pages_come_with_their_policies(port: int) -> None:
    status, headers, text = ask(port, "/explorer.html")
    assert (status, text) == (200, "<p>explorer")
    assert "script-src 'self'; style-src 'self'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    status, headers, _ = ask(port, "/report.html?x=1")
    assert status == 200
    assert "script-src" not in headers["content-security-policy"]  # default-src 'none': no script at all
    assert ask(port, "/explorer/app/main.js")[1]["content-type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize(
    "path",
    [
        "/", "/explorer", "/explorer/", "/.hidden", "/way-out.txt", "/../outside.txt", "/%2e%2e/outside.txt", "/nothing",
        "/explorer.html%00", "//etc/passwd", "/explorer/../../outside.txt", "/" + "x" * 5_000,
    ],
)  # fmt: skip
def test_what_is_no_file_of_the_folder_is_not_found(port: int, path: str) -> None:
    status, _, text = ask(port, path)
    assert status == 404
    assert "outside" not in text.replace(path, "")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "localhost"])
def test_names_that_point_here_are_refused(port: int, host: str) -> None:
    assert ask(port, "/explorer.html", host=host)[0] == 403


def test_this_machine_is_answered_under_its_own_names(port: int) -> None:
    assert ask(port, "/explorer.html", host=f"localhost:{port}")[0] == 200
    assert ask(port, "/explorer.html", method="HEAD")[::2] == (200, "")
    assert ask(port, "/explorer.html", method="POST")[0] == 501


def test_a_folder_that_is_no_run_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"this is not a run: it holds neither explorer\.html nor report\.html"):
        page_of(tmp_path)
    for name in (tmp_path / "gone", Path("x" * 5_000), Path("a\0b")):
        with pytest.raises(DataError, match="no such folder"):
            run_server(name)


def test_a_run_without_an_explorer_shows_its_report(run: Path) -> None:
    assert page_of(run) == "explorer.html"
    (run / "explorer.html").unlink()
    assert page_of(run) == "report.html"


def test_a_port_that_is_taken_is_an_error_that_names_it(run: Path, port: int) -> None:
    with pytest.raises(UsageError, match=f"port {port} cannot be used"):
        run_server(run, port=port)


def test_a_browser_is_opened_at_the_address_that_is_printed(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_server: object, poll_interval: float = 0.5) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("socketserver.BaseServer.serve_forever", interrupted)
    lines: list[str] = []
    opened: list[str] = []
    view(run, open_page=opened.append, tell=lines.append)
    assert opened == lines
    assert lines[0].startswith("http://127.0.0.1:")
    assert lines[0].endswith("/explorer.html")
