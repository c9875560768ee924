"""Experiments in files."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trialogue.errors import DataError
from trialogue.inputs.inputs import gather
from trialogue.workflows.experiment import Experiment, experiment_of, plan_steps, read_experiment

SIMULATION = {"agents": ["reference:guided"], "users": ["cir6-pkg"], "n": 3}


def test_a_single_name_is_a_list_of_one() -> None:
    assert experiment_of({"dialogues": "demo"}).dialogues == ("demo",)


def test_the_simulation_takes_the_seed_of_the_experiment_unless_it_has_its_own() -> None:
    study = experiment_of({"simulate": SIMULATION, "seed": 7}).study
    own = experiment_of({"simulate": {**SIMULATION, "seed": 3}, "seed": 7}).study
    assert study is not None
    assert own is not None
    assert (study.seed, own.seed) == (7, 3)


def test_every_mistake_is_reported_at_once_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "e.yaml"
    path.write_text(
        "titel: x\n"
        "resamples: 10\n"
        "dialogues: [nowhere.jsonl]\n"
        "simulate:\n  agents: [reference:guidedd]\n  users: [cir6-pkg]\n  n: many\n",
        encoding="utf-8",
    )
    with pytest.raises(DataError) as error:
        read_experiment(path)
    messages = str(error.value)
    assert "line 1, field titel: There is no field 'titel'. Did you mean 'title'?" in messages
    assert "line 2, field resamples: expected a number of at least 100, got 10." in messages
    assert "line 7, field simulate.n: expected a whole number, got 'many'." in messages
    assert "line 5, field simulate.agents[0].shape: expected one of 'guided', 'item-centred'" in messages


def test_missing_files_and_unknown_metrics_are_reported_together() -> None:
    with pytest.raises(DataError) as error:
        experiment_of({"dialogues": ["nowhere.jsonl", "demo"], "human": "no.jsonl", "metrics": ["bluu", "turns"]})
    assert len(error.value.problems) == 3
    assert "Did you mean 'bleu'" in str(error.value)


def test_the_name_of_a_model_that_is_too_long_for_a_path_names_no_model() -> None:
    with pytest.raises(DataError, match="there is no folder"):
        experiment_of({"dialogues": "demo", "label": "x" * 5_000})


def test_an_experiment_without_anything_to_do_is_refused() -> None:
    with pytest.raises(DataError, match="nothing to do"):
        experiment_of({"title": "empty"})


def test_catalogues_and_models_that_there_are_not_are_reported_before_anything_begins(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("no folder")
    align = {"situations": "demo", "model": str(tmp_path / "nowhere")}
    with pytest.raises(DataError) as error:
        experiment_of({"dialogues": "demo", "catalogue": "flims", "label": str(tmp_path / "model"), "align": align})
    assert [problem.field for problem in error.value.problems] == ["catalogue", "label", "align.model"]
    assert "There is no catalogue 'flims'" in str(error.value)


def test_what_nothing_would_read_is_reported() -> None:
    with pytest.raises(DataError) as error:
        experiment_of({"simulate": SIMULATION, "human": "demo", "catalogue": "demo"})
    assert [problem.field for problem in error.value.problems] == ["human", "catalogue"]


def test_a_list_of_real_items_has_to_exist_and_needs_a_catalogue(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        experiment_of({"dialogues": "demo", "known": str(tmp_path / "none.txt"), "catalogue_date": 2020})
    assert [problem.field for problem in error.value.problems] == ["known", "known", "catalogue_date"]
    (tmp_path / "real.txt").write_text("Heat (1995)\n")
    found = experiment_of({"dialogues": "demo", "catalogue": "demo", "known": "real.txt"}, folder=tmp_path)
    assert found.path(found.known or "") == str(tmp_path / "real.txt")
    with pytest.raises(DataError, match="it names no situations"):
        experiment_of({"align": {"situations": []}})
    with pytest.raises(DataError, match="a folder of its own"):
        experiment_of({"simulate": {**SIMULATION, "out": "runs/mine"}})


def test_a_text_too_long_for_a_path_names_no_file() -> None:
    with pytest.raises(DataError, match="There is no file or corpus"):
        experiment_of({"dialogues": "x" * 5_000})


MANY = """\
titel: x
seed: one
alpha: 2
resamples: 10
simulate:
  agents:
    guided: reference:guidedd
    mine: {agent: "http://localhost:1",
           protocol: moviebott}
    bot:
      agent: replay
      file: nowhere.jsonl
  users:
    a: cir6-pgk
    b:
      users: cir6-pkg
      patience: three
  catalogue: books.jsonl
  ratings: nobody.csv
  n: many
  out: runs/x
dialogues:
  - demo
  - nowhere.jsonl
  - {file: turns.csv, mapping: {dialogue: session, speeker: who, text: what}}
  - {file: turns.csv, mapping: nomap.yaml}
  - {file: turns.csv, mapping: {dialogue: session, speaker: who, text: words}}
human: noexport
catalogue: flims
label: nomodel
metrics: [turns, bluu]
align:
  situations: [demo,
    nothing.jsonl]
  responses: none.jsonl
  model: nomodel
"""


def test_an_experiment_full_of_mistakes_tells_each_at_its_own_line(tmp_path: Path) -> None:
    (tmp_path / "e.yaml").write_text(MANY, encoding="utf-8")
    (tmp_path / "turns.csv").write_text("session,who,what\na,user,hi\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_experiment(tmp_path / "e.yaml")
    assert [(problem.line, problem.field) for problem in error.value.problems] == [
        (1, "titel"),
        (2, "seed"),
        (3, "alpha"),
        (4, "resamples"),
        (7, "simulate.agents.guided.shape"),
        (9, "simulate.agents.mine.protocol"),
        (12, "simulate.agents.bot.file"),
        (14, "simulate.users.a"),
        (17, "simulate.users.b.patience"),
        (18, "simulate.catalogue"),
        (19, "simulate.ratings"),
        (20, "simulate.n"),
        (21, "simulate.out"),
        (24, "dialogues[1]"),
        (25, "dialogues[2].mapping.speeker"),
        (25, "dialogues[2].mapping"),
        (26, "dialogues[3].mapping"),
        (27, "dialogues[4]"),
        (28, "human"),
        (29, "catalogue"),
        (30, "label"),
        (31, "metrics[1]"),
        (34, "align.situations[1]"),
        (35, "align.responses"),
        (36, "align.model"),
    ]
    for text in ("Input should", "Value error", "pydantic", "valid string", "Extra inputs"):
        assert text not in str(error.value)


def test_a_file_in_no_known_format_is_reported_before_anything_begins(tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(DataError, match="a table, but these fields are not recognised: a, b"):
        experiment_of({"dialogues": "odd.csv"}, folder=tmp_path)


def test_paths_are_relative_to_the_file_wherever_the_command_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "turns.csv").write_text("session,who,what\na,user,hi\na,bot,hello\n", encoding="utf-8")
    (tmp_path / "columns.yaml").write_text("dialogue: session\nspeaker: who\ntext: what\n", encoding="utf-8")
    (tmp_path / "e.yaml").write_text("dialogues: [mine=turns.csv]\nmapping: columns.yaml\nout: run\n", encoding="utf-8")
    plans = []
    for folder, name in ((Path("/"), tmp_path), (tmp_path, Path()), (tmp_path.parent, Path(tmp_path.name))):
        monkeypatch.chdir(folder)
        experiment = read_experiment(name / "e.yaml")
        assert experiment.out.resolve() == tmp_path / "run"
        plans.append([step.folder.name for step in plan_steps(experiment)])
    assert plans[0] == plans[1] == plans[2]


def test_mappings_stand_in_the_file_for_one_input_or_for_all(tmp_path: Path) -> None:
    (tmp_path / "turns.csv").write_text("session,who,what\na,user,hi\na,bot,hello\n", encoding="utf-8")
    fields = {"dialogue": "session", "speaker": "who", "text": "what"}
    own = experiment_of({"dialogues": [{"file": "turns.csv", "system": "mine", "mapping": fields}]}, folder=tmp_path)
    every = experiment_of({"dialogues": ["mine=turns.csv", "demo"], "mapping": fields}, folder=tmp_path)
    for experiment in (own, every):
        (read,) = gather(experiment.surroundings.inputs(experiment.dialogues[0])).dialogues
        assert (read.system, [said.text for said in read.utterances]) == ("mine", ["hi", "hello"])
    with pytest.raises(DataError, match="there is no column 'words', which the mapping uses as text"):
        experiment_of({"dialogues": ["turns.csv"], "mapping": {**fields, "text": "words"}}, folder=tmp_path)


ODD: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(
        [None, True, 0, -1, 1.5, "", "x", "demo", "default", "echo", "cir6-pkg", "a=b", "\x00", "x" * 5_000]
    )
    | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["agents", "users", "n", "out", "file", "mapping", "agent", "protocol", "situations", "model", "x"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)
FIELDS = sorted({*Experiment.model_fields, "unknown"})


@given(st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=5))
@settings(max_examples=300, deadline=None)
def test_whatever_a_file_holds_it_is_an_experiment_or_refused_in_our_words(fields: dict[str, Any]) -> None:
    try:
        experiment_of(fields)
    except DataError as error:
        messages = str(error)
    else:
        messages = ""
    for text in ("Input should", "Value error", "valid string", "Extra inputs", "another type of value"):
        assert text not in messages
