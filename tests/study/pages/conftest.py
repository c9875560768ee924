"""Pages are asked with the database of the other tests of a study."""

import pytest


@pytest.fixture
def database(store: None) -> None:
    """A database that forgets."""
