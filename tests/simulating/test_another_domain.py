"""The example of books: nothing in simulated users and reference recommenders assumes films."""

import re
import shutil
from pathlib import Path

import pytest

from trialogue.errors import DataError, UsageError
from trialogue.inputs.knowledge import load_catalogue
from trialogue.records import Dialogue, read_records
from trialogue.simulating.simulate import notes_of, simulate
from trialogue.simulation.batch.simulation_file import SimulationFile, read_study
from trialogue.simulation.language.wordings import read_phrases
from trialogue_recommenders import FILMS, read_wording

BOOKS = Path(__file__).parent.parent.parent / "examples" / "books"
OF_FILMS = re.compile(r"\b(?:films?|movies?|watch\w*|seen|cinema|director|directed|actors?|cast)\b", re.IGNORECASE)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "books"
    shutil.copytree(BOOKS, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def study(here: Path) -> SimulationFile:
    return read_study(here / "study.yaml", n=6)


def test_nobody_speaks_of_films_where_books_are_talked_about(study: SimulationFile) -> None:
    dialogues = list(read_records(simulate(study).dialogues, Dialogue))
    assert len(dialogues) == 18
    assert [said.text for each in dialogues for said in each.utterances if OF_FILMS.search(said.text)] == []


def test_books_are_named_understood_and_recommended(study: SimulationFile) -> None:
    dialogues = list(read_records(simulate(study.model_copy(update={"n": 15})).dialogues, Dialogue))
    known = load_catalogue("books.jsonl").catalogue
    named = {m.item_id for each in dialogues for said in each.utterances for m in said.mentions or ()}
    assert named <= set(known)
    spoken = {
        s.slot for d in dialogues for u in d.utterances if u.speaker == "user" for a in u.acts or () for s in a.slots
    }
    assert {"item", "genre", "author"} <= spoken
    assert all(
        any(said.ranking for said in each.utterances)
        for each in dialogues
        if each.system == "genre-led" and each.ended_by
    )


def test_without_phrases_of_their_own_users_leave_out_what_is_said_of_films(study: SimulationFile) -> None:
    plain = {"users": "cir6-pkg", "thing": "book", "things": "books", "do": "read", "done": "read"}
    bare = study.model_copy(update={"users": {"readers": plain}, "out": Path("runs/bare")})
    dialogues = list(read_records(simulate(bare).dialogues, Dialogue))
    users = [said.text for each in dialogues for said in each.utterances if said.speaker == "user"]
    assert [text for text in users if OF_FILMS.search(text)] == []


def test_a_batch_is_not_gone_on_with_once_what_it_rests_on_has_changed(study: SimulationFile, here: Path) -> None:
    simulate(study.model_copy(update={"n": 1}))
    with (here / "ratings.csv").open("a", encoding="utf-8") as ratings:
        ratings.write("reader-99,emma,5\n")
    with pytest.raises(UsageError, match=r"content of ratings\.csv was"):
        simulate(study)


def test_ratings_of_other_items_are_refused(here: Path) -> None:
    with pytest.raises(DataError, match="none of the 55 rated items is among the 476 items"):
        load_catalogue("demo", ratings="ratings.csv")


def test_without_ratings_tastes_are_invented_and_the_manifest_says_so(study: SimulationFile, tmp_path: Path) -> None:
    batch = simulate(study.model_copy(update={"ratings": None, "n": 3, "baselines": 0, "out": tmp_path / "run"}))
    assert batch.manifest.config["tastes"] == "invented from the catalogue's attributes"
    assert batch.failure_count == 0
    assert "needs are drawn from its items" in notes_of(batch)[0]


def test_all_mistakes_in_a_file_of_words_are_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "words.yaml"
    path.write_text("noun: book\nnuon: x\nalso: novel\nuses: 3\nasked: {author: wrote}\n", encoding="utf-8")
    with pytest.raises(DataError) as raised:
        read_wording(path)
    messages = [str(problem) for problem in raised.value.problems]
    assert len(messages) == 2
    assert "line 2, field nuon: There is no field 'nuon'. Did you mean 'noun'" in messages[0]
    assert "line 4, field uses: " in messages[1]
    path.write_text("noun: book\nalso: novel\nasked: {author: wrote}\n", encoding="utf-8")
    words = read_wording(path)
    assert (words.a_noun, words.also, words.asked) == ("a book", ("novel",), {"author": ("wrote",)})
    assert words.use == FILMS.use


def test_all_mistakes_in_a_file_of_phrases_are_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "phrases.txt"
    path.write_text("hello\n[Disclose]\nI like {item}\nI like {item\nlike } it\n", encoding="utf-8")
    with pytest.raises(DataError) as raised:
        read_phrases(path)
    assert [problem.line for problem in raised.value.problems] == [1, 4, 5]
    path.write_text("# nothing\n[Disclose]\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no phrases"):
        read_phrases(path)
