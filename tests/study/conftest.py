"""Django, set up once, with a database in memory; what a test stores is gone after it."""

import os
from collections.abc import Iterator
from types import SimpleNamespace

import django
import pytest

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trialogue.study.settings")
django.setup()

from django.core.cache import cache  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.test.utils import override_settings  # noqa: E402

HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick; tests keep no secrets


@pytest.fixture(scope="session")
def schema() -> None:
    """The tables, made once."""
    call_command("migrate", verbosity=0)


@pytest.fixture
def store(schema: None) -> Iterator[None]:
    """A database that forgets."""
    cache.clear()
    with override_settings(PASSWORD_HASHERS=HASHERS), transaction.atomic():
        yield
        transaction.set_rollback(True)
    cache.clear()


@pytest.fixture(autouse=True)
def stopped_rate_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of rate limits stands still, thirty seconds into a window.

    Requests that are counted together would else fall into two windows whenever a minute ends between them.
    """
    stopped = SimpleNamespace(time=lambda: 1_800_000_030.0)  # a multiple of every window, and 30 seconds
    monkeypatch.setattr("trialogue.study.web.throttle.time", stopped)
