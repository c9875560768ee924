"""Django, set up once, with a database in memory; what a test stores is gone after it."""

import os
from collections.abc import Iterator

import django
import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import transaction
from django.test.utils import override_settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "trialogue.study.settings")
django.setup()

HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick; tests keep no secrets


@pytest.fixture(scope="session")
def tables() -> None:
    """The tables, made once."""
    call_command("migrate", verbosity=0)


@pytest.fixture
def database(tables: None) -> Iterator[None]:
    """A database that forgets."""
    cache.clear()
    with override_settings(PASSWORD_HASHERS=HASHERS), transaction.atomic():
        yield
        transaction.set_rollback(True)
    cache.clear()
