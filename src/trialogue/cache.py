"""Location of the cache folder for trained and downloaded models."""

import os
from pathlib import Path

CACHE = "TRIALOGUE_CACHE"


def cache_folder() -> Path:
    """Folder for reproducible files: ``TRIALOGUE_CACHE``, or the platform's user cache folder."""
    import platformdirs

    given = os.environ.get(CACHE)
    return Path(given).expanduser() if given else Path(platformdirs.user_cache_dir("trialogue", appauthor=False))
