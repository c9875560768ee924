"""Sessions in the database, as Django keeps them; read by a fixed statement, since every page does that first."""

from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone

FOUND = "SELECT * FROM django_session WHERE session_key = %s AND expire_date > %s"


class SessionStore(db.SessionStore):
    """A session of a browser."""

    def load(self) -> dict[str, Any]:
        """What is in it; nothing if there is none, or it has expired."""
        now = connection.ops.adapt_datetimefield_value(timezone.now())
        for found in Session.objects.raw(FOUND, [self.session_key, now]):
            return self.decode(found.session_data)
        self._session_key = None
        return {}
