"""Prolific's side of signed links: a private key, the public one at an address, and tokens."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm


class Signer:
    """Keys that are published, one of which signs."""

    def __init__(self) -> None:
        self.private: dict[str, rsa.RSAPrivateKey] = {}
        self.published: list[str] = []
        self.requests = 0
        self.broken = False
        self.address = ""

    def rotate(self, kid: str, *, published: bool = True) -> None:
        """A new key; the others are published no longer."""
        self.private[kid] = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.published = [kid] if published else []

    def jwks(self) -> bytes:
        """What is published."""
        rows = [json.loads(RSAAlgorithm.to_jwk(self.private[kid].public_key())) for kid in self.published]
        named = zip(self.published, rows, strict=True)
        return json.dumps({"keys": [row | {"kid": kid, "alg": "RS256", "use": "sig"} for kid, row in named]}).encode()

    def token(self, person: str = "p1", *, kid: str = "", study: str = "s1", session: str = "e1", **claims: Any) -> str:
        """A link's token."""
        kid = kid or list(self.private)[-1]
        said = {"workspace_id": "w1", "participant_id": person, "study_id": study, "submission_id": session}
        body = {"aud": "https://testserver", "exp": time.time() + 600, "iat": time.time(), "prolific": said} | claims
        return jwt.encode(body, self.private[kid], algorithm="RS256", headers={"kid": kid})


@contextmanager
def published() -> Iterator[Signer]:
    """A signer whose keys are at an address of this machine."""
    signer = Signer()
    signer.rotate("first")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            signer.requests += 1
            body = b"<html>" if signer.broken else signer.jwks()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *given: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    signer.address = f"http://127.0.0.1:{server.server_address[1]}/"
    try:
        yield signer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
