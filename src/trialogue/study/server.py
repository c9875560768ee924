"""Serve the pages: ``serve`` for participants, ``preview`` for the study's authors."""

import gc
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Ge

from trialogue.errors import UsageError
from trialogue.extras import need
from trialogue.options import Port
from trialogue.study.design.file import FILE
from trialogue.study.opening import items_path, open_study, read_folder

if TYPE_CHECKING:
    from trialogue.study.models import Study

LOCAL = ("localhost", "127.0.0.1", "[::1]")
THREADS = 8
TURN_S = 0.001  # for which a thread computes before another may
SHARED = (
    "Warning: --secure assumes a proxy. Without --set trusted_proxies=N all participants appear to share its address, so "
    "limits per client apply to all of them together. If your proxy sets X-Forwarded-For (Caddy does; nginx if configured), "
    "add --set trusted_proxies=1."
)
Tell = Callable[[str], None]


def serve(
    folder: Path,
    *,
    host: str = "127.0.0.1",
    port: Port = 8000,
    hosts: Sequence[str] = (),
    secure: bool = False,
    trusted_proxies: Annotated[int, Ge(0)] = 0,
    processes: Annotated[int, Ge(1)] | None = None,
    threads: Annotated[int, Ge(1)] = THREADS,
    confirmed: Annotated[int, Ge(1)] | None = None,
    confirm: Callable[[], int | None] | None = None,
    sync_s: Annotated[float, Ge(0)] | None = None,
    tell: Tell = lambda line: None,
) -> None:
    """Serve a study until the process is ended; participants may enter from now on, unless it was paused or closed.

    Args:
        folder: the study folder.
        host: address to listen on.
        port: port to listen on (0: any free port).
        hosts: host names of the server for participants (the command also reads TRIALOGUE_HOSTS). Those of this machine
            are always known.
        secure: participants reach the server over HTTPS, through a proxy.
        trusted_proxies: number of proxies in front of the server that append to X-Forwarded-For (the command also reads
            TRIALOGUE_TRUSTED_PROXIES). The client's address is what the outermost saw.
        processes: number of processes (default: 2; 1 for chat studies). Systems may remember a conversation.
        threads: number of threads per process.
        confirmed: confirm the maximum number of paid participants (required at the first start of a study with
            payment).
        confirm: asks for that number if it is not given.
        sync_s: seconds between synchronisations with Prolific (0: never; default: 300 if PROLIFIC_TOKEN is set). They
            need a study whose platform is prolific and that states the payment.
        tell: called with lines for the terminal.

    Raises:
        UsageError: the study cannot be served with these options.
        DataError: mistakes in the study.
    """
    _need_server()
    _check_port(host, port)
    if host not in (*LOCAL, "::1") and not hosts:
        raise UsageError(f"A server that listens on {host} needs its public name: --name study.example.org.")
    study = open_study(folder, hosts=(*LOCAL, *hosts) if hosts else (), secure=secure, proxies=trusted_proxies)
    from trialogue.study.models import Study
    from trialogue.study.services.launching import confirmation_needed, confirmation_text, launch
    from trialogue.study.services.rows import file_of
    from trialogue.study.services.staff_access import first_login

    if study.state == Study.State.DRAFT:
        if (planned := confirmation_needed(study)) is not None and confirmed is None and confirm is not None:
            tell(confirmation_text(planned))
            confirmed = confirm()
        study = launch(study, who="serve", confirmed_places=confirmed)
    count = processes or (1 if file_of(study).type == "chat" else 2)
    name = f"{'https' if secure else 'http'}://{hosts[0] if hosts else f'{host}:{port}'}"
    tell(
        f"Study: {name}/{study.slug}/ ({study.state}); staff: {name}/staff/. Press Ctrl-C to stop"
        f"{'' if os.environ.get('TRIALOGUE_PREVIEW') else '; saved answers are kept'}."
    )
    if secure and not trusted_proxies:
        tell(SHARED)
    if token := first_login():
        tell(f"There is no staff login yet. Create one within a day (the link works once): {name}/staff/first/{token}/")
    with _follow_platform(study, folder, sync_s, tell):
        _gunicorn(f"{host}:{port}", count, threads)


def _need_server() -> None:
    for package in ("django", "gunicorn", "waitress"):
        need(package, extra="study", purpose="serve a study")


def _check_port(host: str, port: int) -> None:
    """Check that nobody listens at a port yet, before anything is launched.

    Raises:
        UsageError: somebody does, or the address is not one of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise UsageError(f"{host}:{port} cannot be used: {error.strerror or error}. Choose another --port.") from error


@contextmanager
def _follow_platform(study: "Study", folder: Path, sync_s: float | None, tell: Tell) -> Iterator[None]:
    """While this context is open, a process next to the server asks the platform which places were returned.

    Raises:
        UsageError: synchronisation was requested, but the study cannot be followed.
    """
    from trialogue.study.recruiting.api import TOKEN, Api
    from trialogue.study.recruiting.following import MIN_S, USUAL_S
    from trialogue.study.recruiting.prolific import Recruiter
    from trialogue.study.services.rows import file_of

    file = file_of(study)
    possible = file.platform.name == "prolific" and file.payment is not None and bool(os.environ.get(TOKEN))
    every_s = (USUAL_S if possible else 0.0) if sync_s is None else sync_s
    if not every_s:
        yield
        return
    if every_s < MIN_S:
        raise UsageError(f"Prolific can be synchronised at most once every {MIN_S:.0f} seconds; got {every_s:g}.")
    Recruiter(study, Api(), who="sync")
    tell(f"Returned places are synchronised with Prolific every {every_s:g} seconds.")
    command = [
        sys.executable,
        "-m",
        "trialogue.study.recruiting.following",
        str(folder),
        str(every_s),
        str(os.getpid()),
    ]
    beside = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        beside.terminate()
        beside.wait()


def _gunicorn(bind: str, processes: int, threads: int) -> None:
    from django.db import connections
    from gunicorn.app.base import BaseApplication

    connections.close_all()

    class Application(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
        def load_config(self) -> None:
            options = {"bind": [bind], "workers": processes, "threads": threads,
                       "worker_class": "trialogue.study.workers.BufferingWorker", "timeout": 120,
                       "graceful_timeout": 20, "accesslog": None, "loglevel": "warning",
                       "control_socket_disable": True, "post_worker_init": _tune_process}  # fmt: skip
            for option, value in options.items():
                if option in self.cfg.settings:
                    self.cfg.set(option, value)

        def load(self) -> Any:
            from trialogue.study.wsgi import application

            return application

    Application().run()


def _tune_process(worker: Any) -> None:
    """Exclude loaded objects from garbage collection, and shorten the thread switch interval, because a waiting thread
    may hold the database."""
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(TURN_S)


def preview(folder: Path, *, port: int = 8001, tell: Tell = lambda line: None) -> None:
    """Show a study's pages on this machine only. Answers go into a folder that is deleted at the end.

    Anybody can enter without a platform, any number of times; everything else is as in the real study.

    Raises:
        UsageError: the study cannot be previewed.
        DataError: mistakes in the study.
    """
    _need_server()
    _check_port("127.0.0.1", port)
    with tempfile.TemporaryDirectory(prefix="trialogue-preview-") as room:
        copy = preview_copy(folder, Path(room))
        os.environ.pop("DATABASE_URL", None)
        os.environ["TRIALOGUE_PREVIEW"] = "1"
        tell("Preview: answers are discarded.")
        serve(copy, port=port, processes=1, tell=tell)


def preview_copy(folder: Path, room: Path) -> Path:
    """The study in another folder, open to anybody who comes without a platform."""
    file, _, _ = read_folder(folder)
    copy = room / "study"
    copy.mkdir()
    shutil.copyfile(items_path(folder, file), copy / "items.jsonl")
    shown = file.model_dump(mode="json", exclude_defaults=True) | {"items": "items.jsonl", "platform": {"name": "none"}}
    shown.pop("payment", None)  # nobody is paid
    (copy / FILE).write_text(json.dumps(shown), encoding="utf-8")  # JSON is YAML
    return copy
