"""Tokens of pages: opaque, of one length, and of nobody else."""

import base64
import json
import logging

import pytest

from tests.study.walking import entered, running, walk
from trialogue.study.models import Code
from trialogue.study.pages import steps
from trialogue.study.services import leaving
from trialogue.study.services.rows import page_in, page_key, read_token, token_for
from trialogue.study.web.access_log import JsonFormatter
from trialogue.study.workers import Parser


def test_a_token_says_nothing_about_its_page_by_content_or_length() -> None:
    steps = ("task:1", "check:1", "task:250", "exit", "comprehension:12", "a" * 80)
    tokens = {step: token_for(owner, step) for step in steps for owner in (1, 123_456_789)}
    assert len({len(token) for token in tokens.values()}) == 1
    for step, token in tokens.items():
        raw = base64.urlsafe_b64decode(token)
        assert step.encode() not in raw
        assert step not in token
        page = page_in(token, 123_456_789)
        assert page is not None
        assert page.step == step


def test_tokens_of_others_and_forged_ones_name_no_step() -> None:
    token = token_for(7, "task:1")
    assert getattr(read_token(token), "step", "") == "task:1"
    assert page_in(token, 8) is None
    for wrong in ("", "abc", token[:-8], token[:20] + ("A" if token[20] != "A" else "B") + token[21:], "é", "\x00"):
        assert page_in(wrong, 7) is None


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("completes", [True, False])
def test_on_prolific_no_code_is_invented_and_the_page_says_what_to_do(completes: bool) -> None:
    study = running(platform={"name": "prolific", "codes": {"failed_check": "C4"}})
    person = entered(study, PROLIFIC_PID="p1", SESSION_ID="e1")
    walk(person) if completes else leaving.fail(person, "screened_out")
    back = leaving.return_link_of(person)
    assert back is not None
    assert (back.code, back.url) == ("", "")
    assert not Code.objects.exists()
    said = steps._text_without_code("Prolific", completed=completes)
    assert ("say that you have none" in said) == completes
    assert ("return your submission" in said) != completes


def test_a_request_with_length_and_chunks_is_the_last_of_its_connection() -> None:
    from waitress.adjustments import Adjustments

    heads = {
        b"Content-Length: 6\r\nTransfer-Encoding: chunked": "close",
        b"Transfer-Encoding: chunked\r\nContent-Length: 6": "close",
        b"Transfer-Encoding: chunked": "",
        b"Content-Length: 6": "",
    }
    for head, wanted in heads.items():
        parser = Parser(Adjustments())
        parser.parse_header(b"POST / HTTP/1.1\r\nHost: localhost\r\n" + head)
        assert parser.headers.get("CONNECTION", "") == wanted, head


def test_a_line_of_the_log_has_its_values_and_no_text_of_an_exception() -> None:
    record = logging.LogRecord("x", logging.WARNING, "", 0, "%s: %s", ("folder", OSError("P123 said")), None)
    assert json.loads(JsonFormatter().format(record))["message"] == "folder: OSError"
    plain = logging.LogRecord("x", logging.INFO, "", 0, "100 % done", (), None)
    assert json.loads(JsonFormatter().format(plain))["message"] == "100 % done"


def test_the_key_of_a_page_is_the_same_at_every_load_and_another_for_every_step_and_person() -> None:
    assert page_key(1, "task:1") == page_key(1, "task:1")
    assert len({page_key(1, "task:1"), page_key(1, "check:1"), page_key(2, "task:1")}) == 3
    assert "task" not in page_key(1, "task:1")
