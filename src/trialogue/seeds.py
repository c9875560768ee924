"""Derive random seeds from names, so that results do not depend on order, number of processes or placement of work."""

import hashlib

import numpy as np


def seed_for(run_seed: int, *names: str) -> int:
    """Derive a 63-bit seed from the run's seed and names; the same names always give the same seed.

    >>> seed_for(0, "bleu", "system A") == seed_for(0, "bleu", "system A") != seed_for(1, "bleu", "system A")
    True
    """
    text = "\x1f".join((str(run_seed), *names))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def rng_for(run_seed: int, *names: str) -> np.random.Generator:
    """Create a generator seeded by ``seed_for``."""
    return np.random.default_rng(seed_for(run_seed, *names))
