"""JSON access log: page, status and duration. No address, query, code or form data."""

import json
import logging
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

log = logging.getLogger("trialogue.access")


class AccessLogMiddleware:
    """Writes the line when the answer is made."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The response."""
        begun = time.perf_counter()
        response = self._get_response(request)
        found = request.resolver_match
        log.info(
            "request",
            extra={
                "fields": {
                    "method": request.method,
                    "page": found.view_name if found else "",
                    "status": response.status_code,
                    "ms": round((time.perf_counter() - begun) * 1000, 1),
                }
            },
        )
        return response


def _message(record: logging.LogRecord) -> dict[str, object]:
    """The message of a record. Of one about a request: what happened and on which page, since its address may hold a
    participant's code; of an exception among its values: the type."""
    request = getattr(record, "request", None)
    args = record.args if isinstance(record.args, tuple) else ()
    if isinstance(request, HttpRequest):
        found = request.resolver_match
        what: dict[str, object] = {"message": str(args[0]) if args else str(record.msg)}
        what["page"] = found.view_name if found else ""
        return what | {"status": record.status_code} if hasattr(record, "status_code") else what
    plain = tuple(type(each).__name__ if isinstance(each, BaseException) else each for each in args)
    try:
        return {"message": str(record.msg) % plain if plain else record.getMessage()}
    except (TypeError, ValueError):  # values that do not fit their message
        return {"message": str(record.msg)}


class JsonFormatter(logging.Formatter):
    """Format a record as one line of JSON; of an exception only its type and location, because its text may contain
    participants' data."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line: dict[str, object] = {
            "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        fields = getattr(record, "fields", None)
        line |= fields if isinstance(fields, dict) else _message(record)
        if record.exc_info and record.exc_info[0] is not None:
            line["error"] = record.exc_info[0].__name__
            trace = record.exc_info[2]
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            line["place"] = f"{trace.tb_frame.f_globals.get('__name__')}:{trace.tb_lineno}" if trace else ""
        return json.dumps(line, ensure_ascii=False)
