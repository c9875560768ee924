"""The core stays light: nothing heavy is imported before it is used, and the command answers at once."""

import os
import subprocess
import sys

import pytest

HEAVY = {"torch", "transformers", "django", "dask", "pandas", "scipy", "sklearn", "matplotlib", "sacrebleu", "nltk"}
HEAVY |= {
    "statsmodels",
    "jinja2",
    "rich",
    "openpyxl",
    "joblib",
    "loky",
    "cloudpickle",
    "filelock",
    "py3langid",
    "httpx",
    "numpy",
    "pydantic",
}


def loaded_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return {name for name in done.stdout.splitlines() if "." not in name}


def test_importing_trialogue_loads_nothing_heavy() -> None:
    assert not loaded_after("import trialogue") & HEAVY


ROOMS = [
    "records",
    "stats",
    "datasets",
    "metrics",
    "findings",
    "render",
    "subjects",
    "workflows",
    "agents",
    "strategies",
    "catalogue",
]


@pytest.mark.parametrize("room", ROOMS)
def test_importing_a_room_loads_neither_models_nor_figures_nor_statistics(room: str) -> None:
    late = HEAVY - {"numpy", "pydantic"}
    assert not loaded_after(f"import trialogue.{room}") & late


@pytest.mark.parametrize("room", ["simulation", "judges", "llm"])
def test_the_public_names_of_a_lazy_room_load_nothing_heavy_either(room: str) -> None:
    late = HEAVY - {"numpy", "pydantic"}
    every = f"from importlib import import_module as i; r = i('trialogue.{room}'); [getattr(r, n) for n in r.__all__]"
    assert not loaded_after(every) & late


UNUSED_BY_EVALUATE = (
    "trialogue.agents",
    "trialogue.judges.judgement",
    "trialogue.llm.chat",
    "trialogue.llm.choosing",
    "trialogue.simulation.batch.simulation_file",
    "trialogue.simulation.users",
    "trialogue.subjects.people",
    "trialogue.subjects.simulated_users.records",
    "trialogue.strategies",
    "trialogue.catalogue",
)


EVALUATION = ", ".join(
    (
        "trialogue.cli.evaluation",
        *(f"trialogue.subjects.evaluation.{each}" for each in ("commands.evaluate", "pages.write")),
    )
)
WORKER = "trialogue.simulation.batch.processes"


@pytest.mark.parametrize(
    ("modules", "unused"),
    [(EVALUATION, UNUSED_BY_EVALUATE), (WORKER, ("trialogue.catalogue.presenting.claims",))],
    ids=["evaluation", "worker"],
)
def test_what_an_evaluation_and_a_worker_of_a_simulation_do_not_use_is_not_imported(
    modules: str, unused: tuple[str, ...]
) -> None:
    code = f"import sys, {modules}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(unused) & set(done.stdout.splitlines()) == set()


def test_building_the_command_loads_no_room() -> None:
    assert not loaded_after("import trialogue.cli.app") & (HEAVY - {"rich"})


def median_seconds(*command: str, runs: int = 5) -> float:
    """Of a processor, whatever else the machine is doing."""
    times = []
    for _ in range(runs):
        start = os.times()
        subprocess.run(command, capture_output=True, check=True)
        stop = os.times()
        times.append(stop.children_user - start.children_user + stop.children_system - start.children_system)
    return sorted(times)[runs // 2]


def test_import_takes_less_than_300_ms_and_help_less_than_600() -> None:
    bare = median_seconds(sys.executable, "-c", "pass")
    assert median_seconds(sys.executable, "-c", "import trialogue") - bare < 0.3
    assert median_seconds(sys.executable, "-m", "trialogue", "--help") < 0.6
