"""Database sessions as in Django, read with a fixed SQL statement, since every page needs them."""

import logging
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.middleware import SessionMiddleware
from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone, translation

from trialogue.study.web.error_pages import error_not_saved
from trialogue.study.web.languages import wanted_languages

FOUND = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > %s"
log = logging.getLogger("trialogue.study")


class SessionStore(db.SessionStore):
    """A session of a browser."""

    def load(self) -> dict[str, Any]:
        """Session data; empty if there are none, or they have expired."""
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        with connection.cursor() as cursor:
            cursor.execute(FOUND, [self.session_key, now])
            row: tuple[str] | None = cursor.fetchone()
        if row is not None:
            return self.decode(row[0])
        self._session_key = None
        return {}

    def save(self, must_create: bool = False) -> None:
        """Store it.

        Raises:
            UpdateError: it was deleted meanwhile.
            DatabaseError: it could not be stored. Django takes a database that is locked or full for a session that was
                deleted, and answers that the browser made a mistake.
        """
        try:
            super().save(must_create=must_create)
        except UpdateError as error:
            if type(cause := error.__context__) is not DatabaseError and isinstance(cause, DatabaseError):
                raise cause from None
            raise


class SavedSessionMiddleware(SessionMiddleware):
    """Django's, whose session is stored after the view: where that fails, nothing is acknowledged."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:  # type: ignore[override]
        """The response, or the page that says: not saved, try again."""
        try:
            return super().process_response(request, response)  # type: ignore[arg-type]
        except (DatabaseError, InterfaceError) as error:
            log.error("session not saved: %s %s: %s", request.method, request.path, error)
            with translation.override(wanted_languages(request)[0]):
                return error_not_saved(request)
