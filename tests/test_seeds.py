"""Seeds come from names."""

import numpy as np

from trialogue.seeds import rng_for, seed_for


def test_the_same_names_give_the_same_seed_and_others_another() -> None:
    assert seed_for(0, "a", "b") == seed_for(0, "a", "b")
    assert len({seed_for(0, "a", "b"), seed_for(0, "ab"), seed_for(1, "a", "b"), seed_for(0, "b", "a")}) == 4


def test_a_seed_is_the_same_on_every_machine() -> None:
    # first 8 bytes of sha256("7" US "x"), big-endian, shifted right by one: python -c "import hashlib; ..."
    import hashlib

    digest = hashlib.sha256(b"7\x1fx").digest()
    assert seed_for(7, "x") == int.from_bytes(digest[:8], "big") >> 1


def test_generators_of_one_name_draw_the_same() -> None:
    assert np.array_equal(rng_for(3, "u").random(5), rng_for(3, "u").random(5))
