"""Ready-made HTTP protocols for ``trialogue.agents.protocols.http_agent``.

Request formats of IAI MovieBot 1.0.1 and 2 (iai-group/MovieBot), the iEvaLM-CRS server (RUCAIBox/iEvaLM-CRS,
``script/serve_model.py``), and our own (``trialogue.agents.protocols.protocol``). A YAML file can override every option.
"""

from typing import ClassVar

from trialogue.agents.protocols.exchange import Exchange
from trialogue.agents.protocols.http_agent import HttpSpec
from trialogue.agents.protocols.protocol import VERSION
from trialogue.records import JsonValue


def _v1(text: str) -> JsonValue:
    return {"entry": [{"messaging": [{"message": {"text": text}, "sender": {"id": "{dialogue_id}"}}]}]}


def _v2(text: str) -> JsonValue:
    return {"message": {"text": text}, "sender": {"id": "{dialogue_id}"}}


def _moviebot(body: JsonValue) -> Exchange:
    """MovieBot answers both versions' requests alike; a single message with an intent, END among them."""
    return Exchange(
        body=body,
        reply="message.text",
        intent="message.intent",
        ends={"message.intent": "END"},
        keep={"attachment": "message.attachment", "attachments": "message.attachments"},
        silence=("Message Processed",),
    )


class MovieBotSpec(HttpSpec):
    """``moviebot``: IAI MovieBot 1.0.1, which listens on port 5001; every dialogue is a sender of its own."""

    kind_name: ClassVar[str] = "moviebot"

    turn: Exchange = _moviebot(_v1("{message}"))
    open: Exchange | None = _moviebot(_v1("/start"))
    close: Exchange | None = Exchange(body=_v1("/exit"))


class MovieBot2Spec(HttpSpec):
    """``moviebot-v2``: IAI MovieBot 2 with ``FLASK_REST: True``."""

    kind_name: ClassVar[str] = "moviebot-v2"

    turn: Exchange = _moviebot(_v2("{message}"))
    open: Exchange | None = _moviebot(_v2("/start"))
    close: Exchange | None = Exchange(body=_v2("/exit"))


class IEvaLMSpec(HttpSpec):
    """``ievalm``: the server of iEvaLM-CRS (KBRD, BARCOR, UniCRS, ChatGPT), which listens on port 5005.

    It is sent the whole dialogue from the user's first words on, and keeps the state of its options in a cookie. It never
    ends a dialogue.
    """

    kind_name: ClassVar[str] = "ievalm"

    turn: Exchange = Exchange(body={"context": "{context}", "message": "{message}"}, reply="response")


class TrialogueSpec(HttpSpec):
    """``trialogue``: our own protocol over HTTP, which keeps bursts, dialogue acts, mentions, rankings and endings."""

    kind_name: ClassVar[str] = "trialogue"

    turn: Exchange = Exchange(
        body={"type": "turn", "dialogue_id": "{dialogue_id}", "message": "{message}", "history": "{history}"},
        form="trialogue",
    )
    open: Exchange | None = Exchange(
        body={"type": "open", "protocol": VERSION, "dialogue_id": "{dialogue_id}", "seed": "{seed}"}, form="trialogue"
    )
    close: Exchange | None = Exchange(body={"type": "close", "dialogue_id": "{dialogue_id}"})
