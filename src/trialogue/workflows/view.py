"""Serve a run's folder on this machine, with a strict content security policy per page.

Only this machine is answered (the loopback, under its own names, so that no page elsewhere can read a run through a name
that it points here), only ``GET`` and ``HEAD``, and only files inside the folder.
"""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import BaseServer
from typing import IO, Any

from trialogue.errors import DataError, Problem, UsageError
from trialogue.records.runs import open_run
from trialogue.render.explorer.links import PAGE as EXPLORER

HOST = "127.0.0.1"
REPORT = "report.html"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:"
"""Policy of the explorer: scripts and styles from the folder only."""
POLICY_OF_REPORTS = "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:"
"""Policy of other pages: no scripts; styles are inline."""
CLOSED = "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def page_of(folder: Path) -> str:
    """The page of a run to open first: the explorer, or the report of a run that has none.

    Raises:
        DataError: the folder holds neither.
    """
    for name in (EXPLORER, REPORT):
        if _is_file(folder / name):
            return name
    hint = "Name a folder that trialogue evaluate, run, align or demo wrote."
    what = (
        "this is not a run: it holds neither explorer.html nor report.html."
        if _is_folder(folder)
        else "no such folder."
    )
    raise DataError(Problem(what, file=str(folder)), hint=hint)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that none can have
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


class RunHandler(SimpleHTTPRequestHandler):
    """Answers with files of one folder."""

    server_version, sys_version = "trialogue", ""
    extensions_map = {  # noqa: RUF012 - the library has it so; not the machine's own table, which may call a script plain text
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
        ".png": "image/png",
        ".pdf": "application/pdf",
        ".json": "application/json",
        "": "text/plain; charset=utf-8",
    }

    def send_head(self) -> Any:
        """The file that is asked for; 403 for another host's name, 404 for folders, hidden files, and all outside."""
        if self.headers.get("Host", "") not in _own_names(self.server):
            self.send_error(HTTPStatus.FORBIDDEN, "This server answers this machine only")
            return None
        path, folder = Path(self.translate_path(self.path)), Path(self.directory).resolve()
        try:
            found = path.resolve()
            is_inside = found.is_relative_to(folder) and found.is_file()
        except (OSError, ValueError):
            is_inside = False
        if not is_inside or any(part[0] == "." for part in found.relative_to(folder).parts):
            self.send_error(HTTPStatus.NOT_FOUND, "There is no such file")
            return None
        return super().send_head()

    def end_headers(self) -> None:
        """With the policy of the page, and no guessing of types."""
        policy = POLICY if Path(self.translate_path(self.path)).name == EXPLORER else POLICY_OF_REPORTS
        self.send_header("Content-Security-Policy", policy + CLOSED)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def copyfile(self, source: IO[bytes], outputfile: IO[bytes]) -> None:  # type: ignore[override]
        """A browser that went away in the middle is no error."""
        try:
            super().copyfile(source, outputfile)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the library's
        """Log nothing."""


def _own_names(server: BaseServer) -> tuple[str, ...]:
    port = int(server.server_address[1])  # type: ignore[index]
    return (f"{HOST}:{port}", f"localhost:{port}")


def run_server(folder: Path, *, port: int = 0) -> ThreadingHTTPServer:
    """A server of a run's folder, which is not serving yet.

    Args:
        folder: folder of the run.
        port: port to listen on; 0: any free one.

    Raises:
        DataError: the folder is no run, or not what was sealed.
        UsageError: the port is taken, or may not be used.
    """
    page_of(folder)
    open_run(folder).check()
    try:
        return ThreadingHTTPServer((HOST, port), partial(RunHandler, directory=str(folder.resolve())))
    except (OSError, OverflowError) as error:
        raise UsageError(f"port {port} cannot be used: {error}. Choose another one, or omit --port.") from error


def view(
    folder: Path, *, port: int = 0, open_page: Callable[[str], object] | None = None, tell: Callable[[str], None]
) -> None:
    """Serve a run until it is interrupted.

    Args:
        folder: folder of the run.
        port: port to listen on; 0: any free one.
        open_page: called with the address, such as ``webbrowser.open``; None: nobody opens it.
        tell: called with a line that says the address.

    Raises:
        DataError: the folder is no run.
        UsageError: the port cannot be used.
    """
    with run_server(folder, port=port) as server:
        address = f"http://{HOST}:{server.server_address[1]}/{page_of(folder)}"
        tell(address)
        if open_page is not None:
            open_page(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
