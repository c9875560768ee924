"""Serve any agent over socket.io, compatible with DialogueKit's FlaskSocketPlatform. Needs the extra ``socketio``."""

from collections.abc import Callable
from http.server import HTTPServer
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from trialogue.agents.base import Agent, Turn
from trialogue.agents.serving.conversations import ConversationStore
from trialogue.extras import need
from trialogue.records import Utterance
from trialogue.transport.failures import AgentFailure

STOP = "EXIT"  # the intent with which DialogueKit's agents end a dialogue


class _Threads(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_words: object) -> None:
        """Log nothing."""


def open_server(agent: Agent, host: str, port: int, seed: int) -> HTTPServer:
    """Create a listening server, to be run by the caller.

    Raises:
        MissingExtraError: python-socketio is not installed.
        OSError: the port is taken.
    """
    library = need("socketio", extra="socketio", purpose="serve an agent over socket.io")
    sockets = library.Server(async_mode="threading", cors_allowed_origins="*")
    desk = ConversationStore(agent, seed=seed)
    tell = _teller(sockets, agent.name)

    @sockets.on("connect")  # type: ignore[untyped-decorator]
    def connect(sid: str, _environ: Any, _auth: Any = None) -> None:
        tell(sid, desk.open(sid))

    @sockets.on("message")  # type: ignore[untyped-decorator]
    def message(sid: str, data: Any) -> None:
        try:
            tell(sid, desk.say(sid, str(data["message"])))
        except (AgentFailure, KeyError, TypeError):
            sockets.disconnect(sid)  # the protocol knows no errors

    @sockets.on("disconnect")  # type: ignore[untyped-decorator]
    def disconnect(sid: str, _reason: Any = None) -> None:
        desk.close(sid)

    server = _Threads((host, port), _Quiet)
    server.set_app(library.WSGIApp(sockets))
    return server


def _teller(sockets: Any, name: str) -> Callable[[str, Turn | None], None]:
    def tell(sid: str, turn: Turn | None) -> None:
        if turn is None:
            return
        for said in turn.utterances:
            sockets.send({"sender": name, "message": {"text": said.text, "dialogue_acts": _acts(said)}}, to=sid)
        if turn.ends:
            acts = [{"intent": STOP, "annotations": []}]
            sockets.send({"sender": name, "message": {"text": "", "dialogue_acts": acts}}, to=sid)

    return tell


def _acts(said: Utterance) -> list[dict[str, Any]] | None:
    if said.acts is None:
        return None
    return [
        {"intent": act.intent, "annotations": [{"slot": slot.slot, "value": slot.value} for slot in act.slots]}
        for act in said.acts
    ]
