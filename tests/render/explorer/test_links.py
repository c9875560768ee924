"""Addresses of the explorer: every name fits into one, and none passes for another."""

from urllib.parse import unquote

import pytest

from trialogue.render.explorer.links import link


def test_an_address_without_filters_is_the_page() -> None:
    assert link() == "explorer.html"


@pytest.mark.parametrize("name", ["a,b", "a&b=c", "#", "50 %", "日本", "a/b", "'\"<>", "\ud800"])
def test_a_name_is_one_value_of_one_field(name: str) -> None:
    address = link(systems=[name, "other"], measure=name)
    fields = dict(field.split("=") for field in address.partition("#")[2].split("&"))
    assert [unquote(each) for each in fields["system"].split(",")] == [name.replace("\ud800", "?"), "other"]
    assert unquote(fields["measure"]) == name.replace("\ud800", "?")


def test_a_dialogue_is_a_path_whose_part_may_be_open() -> None:
    assert link(opened=["", "A/B", "x"]) == "explorer.html#open=/A%2FB/x"


def test_bounds_are_numbers_and_zero_is_one() -> None:
    assert link(measure="m", low=0, high=1 / 3) == "explorer.html#measure=m&min=0&max=0.333333"
