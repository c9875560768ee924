"""A socket.io server in the manner of DialogueKit's FlaskSocketPlatform that obeys. Prints its address."""

import sys
import time
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

import socketio  # type: ignore[import-untyped, import-not-found, unused-ignore]

sockets = socketio.Server(async_mode="threading")
HANG_S = 4.0  # the next test waits for it, too
ACTS = [{"intent": "REVEAL", "annotations": [{"slot": "TITLE", "value": "Heat"}, {"slot": "YEAR", "value": None}]}]


def say(sid: str, text: str, acts: Any = None) -> None:
    sockets.send({"sender": "bad", "message": {"text": text, "dialogue_acts": acts}}, to=sid)


@sockets.on("connect")  # type: ignore[untyped-decorator, unused-ignore]
def connect(sid: str, environ: Any, auth: Any = None) -> None:
    say(sid, "Welcome!")
    say(sid, "What do you like?")


@sockets.on("message")  # type: ignore[untyped-decorator, unused-ignore]
def message(sid: str, data: Any) -> None:
    text = data["message"]
    if text == "burst":
        for number, acts in (("one", ACTS), ("two", None), ("three", [])):
            say(sid, number, acts)
    elif text == "later":
        sockets.start_background_task(later, sid)
    elif text == "answer, then hang":
        say(sid, "first")
        time.sleep(HANG_S)
    elif text == "leave":
        sockets.disconnect(sid)
    elif text == "bye":
        say(sid, "Goodbye.", [{"intent": "EXIT", "annotations": []}])
    elif text in ODD:
        sockets.send(ODD[text], to=sid)
    elif text != "silence":
        say(sid, text)


def later(sid: str) -> None:
    time.sleep(0.05)
    say(sid, "here it is")


ODD: dict[str, Any] = {
    "schema": {"sender": "bad", "content": "Hello"},
    "text only": "Hello",
    "odd acts": {"message": {"text": "Hello", "dialogue_acts": [7]}},
    "empty": {"message": {"text": " ", "dialogue_acts": None}},
}


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class Quiet(WSGIRequestHandler):
    def log_message(self, *words: object) -> None:
        pass


if __name__ == "__main__":
    with Server(("127.0.0.1", 0), Quiet) as server:
        server.set_app(socketio.WSGIApp(sockets))
        sys.stdout.write(f"http://127.0.0.1:{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()
