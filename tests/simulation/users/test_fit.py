from pathlib import Path

import pytest

from tests.simulation.made import agent, book_ratings, books, dialogue, film_ratings, films, user
from trialogue.catalogue import Catalogue, Item, TitleLinker
from trialogue.catalogue.domains import main_attribute
from trialogue.errors import DataError, UnknownNameError, UsageError
from trialogue.records import Dialogue
from trialogue.simulation import Users, fit_users, load_users
from trialogue.simulation.bundled import SHAPES, bundled_dialogues, bundled_users, parse
from trialogue.simulation.language.nlu import RetrievalClassifier
from trialogue.simulation.language.nlu_linear import LinearClassifier
from trialogue.simulation.users.options import METHODS, UserOptions, method
from trialogue.simulation.users.population import UserModel


def registered_users() -> UserModel:
    return bundled_users("cir6-pkg", "guided")


def no_users() -> str:
    return "x"


def test_a_model_is_the_same_after_a_trip_through_its_folder(tmp_path: Path) -> None:
    model = fit_users(bundled_dialogues("guided"), films(), film_ratings(), name="ours").with_options(
        patience=4, attributes=["genre", "actor"], agenda="qrfa-chain"
    )
    model.save(tmp_path / "users")
    again = load_users(tmp_path / "users")
    assert again == model
    assert again.options.attributes == ("genre", "actor")
    model.save(tmp_path / "twice")
    for path in (tmp_path / "users").iterdir():
        assert path.read_bytes() == (tmp_path / "twice" / path.name).read_bytes()
        assert path.suffix == ".json"


@pytest.mark.parametrize("broken", ["users.json", "interaction.json", "examples.json", "phrases.json"])
def test_a_folder_with_a_broken_or_missing_file_is_refused(tmp_path: Path, broken: str) -> None:
    bundled_users("cir6-pkg").save(tmp_path)
    (tmp_path / broken).write_text('{"schema": 99}')
    with pytest.raises(DataError, match=r"no fitted users|not an interaction model"):
        load_users(tmp_path)
    (tmp_path / broken).unlink()
    with pytest.raises(DataError, match="no such file"):
        load_users(tmp_path)


def test_the_papers_three_simulators_come_with_us_for_all_agents_and_for_each_shape() -> None:
    assert set(METHODS) == {"qrfa-single", "cir6-single", "cir6-pkg"}
    for name in METHODS:
        assert load_users(name).options == METHODS[name]
        for shape in SHAPES:
            model = load_users(f"{name}/{shape}")
            assert (model.name, model.interaction.dialogues) == (f"{name}/{shape}", 13)
    assert load_users("cir6-pkg").interaction.dialogues == 39


def test_each_of_them_can_be_registered_as_others_are() -> None:
    for name in METHODS:
        path = f"trialogue.simulation.bundled:{name.replace('-', '_')}"
        assert load_users(path) == load_users(name)


def test_users_of_others_are_found_as_module_and_name() -> None:
    assert load_users(f"{__name__}:registered_users").name == "cir6-pkg/guided"
    with pytest.raises(UnknownNameError, match="It returned str"):
        load_users(f"{__name__}:no_users")


def test_unknown_users_shapes_options_and_values_are_refused_with_what_is_known() -> None:
    with pytest.raises(UnknownNameError, match=r"no kind of simulated users 'cir7'.*cir6-pkg.*folder"):
        load_users("cir7")
    with pytest.raises(UnknownNameError, match="guided"):
        load_users("cir6-pkg/chatty")
    with pytest.raises(UnknownNameError, match="Did you mean 'patience'"):
        load_users("cir6-pkg", patients=3)
    with pytest.raises(UsageError, match="at least 1"):
        load_users("cir6-pkg", patience=0)
    with pytest.raises(UsageError, match="patience of simulated users: expected a whole number, got 'three'"):
        load_users("cir6-pkg", patience="three")
    with pytest.raises(UnknownNameError, match="retrieval"):
        UserOptions(understanding="psychic")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="pkg"):
        UserOptions(preferences="none")
    with pytest.raises(UnknownNameError, match="qrfa-chain"):
        UserOptions(agenda="none")
    with pytest.raises(UsageError, match="from 0 to 1"):
        UserOptions(unknown_below=3)
    with pytest.raises(UnknownNameError, match="cir6-pkg"):
        method("cir6")
    with pytest.raises(UnknownNameError, match="item-centred"):
        bundled_dialogues("chatty")


def test_only_options_that_differ_are_written() -> None:
    assert UserOptions().to_json() == {}
    assert UserOptions(typos=0.1, attributes=("genre",)).to_json() == {"typos": 0.1, "attributes": ["genre"]}


def test_understanding_is_made_by_the_options() -> None:
    model = bundled_users("cir6-pkg", "guided")
    linear = model.new_understanding()
    assert isinstance(linear, LinearClassifier)
    assert linear.context
    assert isinstance(model.with_options(understanding="retrieval").new_understanding(), RetrievalClassifier)


def test_dialogues_without_acts_are_refused() -> None:
    with pytest.raises(DataError, match="no user utterance"):
        fit_users([Dialogue(id="d", utterances=(user("hi"), agent("hello")))])
    with pytest.raises(DataError, match="no agent utterance"):
        fit_users([Dialogue(id="d", utterances=(user("hi", "Non-disclose"), agent("hello")))])
    with pytest.raises(DataError, match="no user utterance"):
        fit_users([])


def test_unknown_labels_stay_and_users_can_say_them() -> None:
    messages = [dialogue("u:Non-disclose", "a:Suggesnt", "u:Disclsoe", "a:938470673", "u:Disclsoe", "a:End")]
    model = fit_users(messages, films(), film_ratings())
    assert model.interaction.replies == {"Suggesnt": {"Disclsoe": 1}, "938470673": {"Disclsoe": 1}}
    users = Users(model, films(), film_ratings())
    assert users.new("d", seed=0).start()


def test_users_need_ratings_of_their_items_and_attributes_that_exist() -> None:
    with pytest.raises(DataError, match="none of 3 users rated 8 of the"):
        Users(bundled_users("cir6-pkg"), films(), book_ratings())
    with pytest.raises(UnknownNameError, match=r"attribute of the catalogue 'gender'.*genre"):
        Users(bundled_users("cir6-pkg").with_options(attributes=["gender"]), films(), film_ratings())


def test_the_main_attribute_is_genre_or_else_the_one_most_items_share() -> None:
    assert main_attribute(films()) == "genre"
    assert main_attribute(books()) == "subject"
    with pytest.raises(DataError, match="none of the 1 items has an attribute"):
        main_attribute(Catalogue.from_items([Item(id="1", title="x")]))


def test_thresholds_can_be_set() -> None:
    users = Users(bundled_users("cir6-pkg").with_options(like=5, dislike=1), films(), film_ratings())
    assert (users.thresholds.like, users.thresholds.dislike) == (5, 1)


def test_our_conversations_are_annotated_throughout_and_name_films_of_the_catalogue() -> None:
    messages = bundled_dialogues()
    assert len(messages) == 39
    assert all(utterance.acts for each in messages for utterance in each.utterances)
    assert all(each.utterances[0].speaker == "user" for each in messages)
    linker = TitleLinker(films())
    said = [u for each in messages for u in each.utterances if u.speaker == "user"]
    slots = [(u, slot) for u in said for act in u.acts or () for slot in act.slots]
    assert all(u.text[slot.start : slot.end] == slot.value for u, slot in slots)
    titles = [slot.value or "" for _, slot in slots if slot.slot == "item"]
    assert sum(bool(linker.find(f"I like {title} a lot")) for title in titles) > 0.6 * len(titles)


def test_a_line_in_no_known_form_is_refused_with_its_number() -> None:
    with pytest.raises(DataError, match=r"file.txt, line 2: not a line of a dialogue: 'x Disclose"):
        list(parse("= one\nx Disclose | hello", system="s", file="file.txt"))
    (only,) = parse("# note\n\n= one\nu Disclose | [Heat] or <actor:Al Pacino>\na List | a\\nb\n", system="s")
    assert [u.text for u in only.utterances] == ["Heat or Al Pacino", "a\nb"]
    assert [slot.slot for slot in (only.utterances[0].acts or ())[0].slots] == ["item", "actor"]
