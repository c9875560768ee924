"""A real reverse proxy before the server: Debian's nginx, set up as docs/reference/deployment.md says, without TLS."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SETTINGS = """
daemon off; worker_processes 1; pid {room}/nginx.pid; error_log {room}/error.log; {user}
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {room}/body; proxy_temp_path {room}/proxy; fastcgi_temp_path {room}/fastcgi;
  uwsgi_temp_path {room}/uwsgi; scgi_temp_path {room}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://127.0.0.1:{behind};
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto https;
    }}
  }}
}}
"""


def nginx() -> str:
    """The program; the test is skipped, saying so, where there is none."""
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if not found:
        pytest.skip("nginx is not installed (Debian: apt-get install nginx-light)")
    return found


@contextmanager
def proxied(room: Path, port: int, behind: int) -> Iterator[None]:
    """nginx at a port, before a server at another one.

    Raises:
        AssertionError: it did not begin to listen.
    """
    program = nginx()
    room.mkdir(parents=True, exist_ok=True)
    user = "user root;" if os.geteuid() == 0 else ""  # its worker writes into our folder
    settings = room / "nginx.conf"
    settings.write_text(SETTINGS.format(room=room, port=port, behind=behind, user=user), "utf-8")
    process = subprocess.Popen([program, "-c", str(settings), "-e", str(room / "error.log")])
    try:
        end = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None, (room / "error.log").read_text()
                assert time.monotonic() < end, (room / "error.log").read_text()
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(20)
