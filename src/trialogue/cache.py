"""Location of the cache folder for trained and downloaded models."""

import os
from pathlib import Path

CACHE = "TRIALOGUE_CACHE"


def cache_folder() -> Path:
    """Where things are kept that can be made anew: ``TRIALOGUE_CACHE``, or the user's cache folder of this platform."""
    import platformdirs

    given = os.environ.get(CACHE)
    return Path(given).expanduser() if given else Path(platformdirs.user_cache_dir("trialogue", appauthor=False))
