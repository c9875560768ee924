"""What identifies people is masked; titles, years and prices are not."""

import pytest

from trialogue.judges.units import mask_personal


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("I am ann.b+x@mail.example.org, ok", "I am [e-mail], ok"),
        ("call +49 (0)761 203-0 now", "call [phone] now"),
        ("0761 2034567 or 555-123-4567", "[phone] or [phone]"),
        ("worker A3EG2GNZXCVBKL and 5f3c2b1a9d8e7f6a5b4c3d2e", "worker [id] and [id]"),
    ],
)
def test_addresses_numbers_and_ids_are_masked(text: str, masked: str) -> None:
    assert mask_personal(text).text == masked
    assert mask_personal(text).count == masked.count("[")


@pytest.mark.parametrize(
    "text",
    [
        "Blade Runner 2049 (2017), 12 Monkeys, 1984",
        "between 1990 and 1999, or 2001-2010",
        "it made $1,234,567 and lasts 169 min",
        "ABOMINATIONS AND AVENGERS",
        "@nolan is no address, nor is a@b",
        "8.5/10, 7/10 and 9/10",
        "",
    ],
)
def test_what_films_are_about_is_not(text: str) -> None:
    assert mask_personal(text).text == text
    assert mask_personal(text).count == 0
