"""Options that several commands share, and checks of inputs that report everything that is missing at once."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from trialogue.cli.shared.settings import read_settings
from trialogue.options import Help, Jobs, MaxCalls, MaxCost, MaxTokens, Setting

if TYPE_CHECKING:
    from trialogue.inputs.locations import Input

Out = Annotated[Path, Help("Output folder.", ("--out", "-o"))]
Mapped = Annotated[
    Path | None,
    Help(
        "YAML file that maps the columns of a table, or paths into JSON (see: trialogue check --map).", ("--mapping",)
    ),
]
Format = Annotated[str | None, Help("Input format (default: auto-detect).", ("--format",))]
Decide = Annotated[
    Path | None,
    Help("Decision protocol (YAML): primary measure, significance level, margins, family of tests, exclusions."),
]
GIVEN_AS = {"Columns": Mapped, "Decision": Decide, "Named": str}
"""How the command line takes types of Python functions, by their name."""
Explorer = Annotated[bool, Setting("Write explorer.html, a page to browse individual dialogues.")]
LabelsBy = Annotated[
    str | None,
    Setting(
        "Origin of labels that do not state one: person, model, llm or scripted. Only labels by people can correct for the "
        "errors of a model."
    ),
]
PairModel = Annotated[
    str | None,
    Setting("Folder of a pair classifier (cross-encoder): also report, or write, whether pairs share a strategy."),
]
Names = Annotated[Path | None, Setting("YAML or JSON file that maps other strategy names to Trialogue's.")]
Chances = Annotated[
    Path | None, Setting("Label plan that records how the labelled units were drawn (trialogue judge plan).")
]
AsIn = Annotated[
    str | None,
    Setting(
        "paper or code: models of interaction and preferences as in the paper (Zhang and Balog, KDD 2020), or as in its "
        "released code (default: Trialogue's).",
        ("as",),
    ),
]
UserOptions = Annotated[
    dict[str, Any] | None, Setting("Option of the simulated users, such as user.model=FILE for llm:single.", ("user",))
]
ModelOptions = Annotated[
    dict[str, Any] | None, Setting("Option of the model, such as model.temperature=0.", ("model",))
]
Ratings = Annotated[str | None, Setting("File with ratings of the items: a table with the columns user, item, rating.")]
Protocol = Annotated[str | None, Setting("Protocol (for example moviebot) if the agent is the URL of a server.")]
Tools = Annotated[
    list[str] | None,
    Setting("Tools that agents are offered: catalogue, catalogue:FILE, or module:function (repeatable)."),
]
DryRun = Annotated[bool, Help("Print the number of requests and their price, and exit.", ("--dry-run",))]
Workers = Annotated[
    str,
    Help(
        "Number of processes; or the address of a Dask scheduler whose workers see the same files; or local:4, which starts "
        "such a cluster. The results are the same.",
        ("--jobs", "-j"),
    ),
]
Limited = Annotated[
    list[str] | None,
    Help(
        "Stop before language models exceed a limit: cost=5 (needs the option 'price' of each model), calls=100 or "
        "tokens=100000 (repeatable).",
        ("--limit",),
    ),
]
LIMITS = {"cost": MaxCost, "calls": MaxCalls, "tokens": MaxTokens}


def limits_of(given: list[str] | None) -> dict[str, Any]:
    """Limits on requests to language models, by the name that files and functions give them: ``max_cost``."""
    return {f"max_{name}": value for name, value in read_settings(given or (), LIMITS, option="--limit").items()}


def workers_of(given: str) -> dict[str, Any]:
    """Arguments for the number of processes, or for a cluster.

    >>> workers_of("4"), workers_of("local:2"), workers_of("localhost:8786")
    ({'jobs': 4}, {'jobs': 2, 'cluster': 'local'}, {'cluster': 'localhost:8786'})
    """
    from trialogue.errors import UsageError

    if given == "local" or (":" in given and not given.startswith("local:")):
        return {"cluster": given}
    cluster = {"cluster": "local"} if given.startswith("local:") else {}
    try:
        return {**read_settings([f"jobs={given.removeprefix('local:')}"], {"jobs": Jobs}), **cluster}
    except UsageError:
        raise UsageError(
            "--jobs must be a whole number of at least 1, local, local with a number (local:4), or an address such as "
            f"tcp://host:8786; got {given!r}."
        ) from None


def pairs_of(
    option: str, given: Iterable[str], *, form: str = "NAME=VALUE", wrong: list[str] | None = None
) -> dict[str, str]:
    """Names with their values, given as NAME=VALUE.

    Args:
        option: how the command line calls them.
        given: the texts.
        form: what they have to look like.
        wrong: a list to which mistakes are added, instead of raising an error.

    Raises:
        UsageError: with every value that is not of this form, and every name that is given twice.
    """
    from trialogue.errors import UsageError

    found: dict[str, str] = {}
    mistakes: list[str] = []
    for text in given:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            mistakes.append(f"{option} must be {form}, got {text!r}.")
        elif name in found:
            mistakes.append(f"{option} gives {name!r} twice.")
        else:
            found[name] = value
    if wrong is not None:
        wrong += mistakes
    elif mistakes:
        raise UsageError("\n".join(mistakes))
    return found


def check_inputs(
    given: Iterable["str | Input"],
    *,
    model: str | None = None,
    pair_model: str | None = None,
    files: Iterable[Path | None] = (),
) -> None:
    """Raise UsageError unless all corpora, files and models are there; with everything that is not.

    Args:
        given: corpora, files, or ``NAME=FILE``.
        model: folder of a model of strategies; None or ``"default"``: the bundled one.
        pair_model: folder of a classifier of pairs, or None.
        files: other files or folders that are read.
    """
    from trialogue.errors import TrialogueError, UsageError
    from trialogue.inputs.locations import resolve
    from trialogue.strategies.models import FILE

    problems = []
    for one in given:
        try:
            resolve(one)
        except TrialogueError as error:
            problems.append(str(error))
    problems += [f"{file}: no such file." for file in files if file is not None and not _test_path(file.exists)]
    if model not in (None, "default") and not _test_path((Path(str(model)) / FILE).is_file):
        problems.append(f"{model}: {_missing_model_text(Path(str(model)))}")
    if pair_model is not None and (why := _lacking_pairs(Path(pair_model))):
        problems.append(f"{pair_model}: {why}")
    if problems:
        raise UsageError("\n".join(dict.fromkeys(problems)))


def _missing_model_text(folder: Path) -> str:
    """Error for a folder without a strategy model, with the folder's content."""
    from trialogue.strategies.models import FILE
    from trialogue.strategies.pairs.crossencoder import PARTS

    if _test_path((folder / PARTS).is_file):
        return (
            "this is a pair classifier, which cannot label text. Use it together with a model: trialogue "
            f"align --set pair_model={folder}. To evaluate it: trialogue strategies evaluate --model "
            "cross-encoder --data ..."
        )
    return f"no model here (no {FILE}). Train one with: trialogue strategies train --data inspired --out FOLDER"


def _lacking_pairs(folder: Path) -> str | None:
    """Error for a folder without a pair classifier; None if it has one."""
    from trialogue.strategies.models import FILE
    from trialogue.strategies.pairs.crossencoder import PARTS

    train = "Train one with: trialogue strategies train --model cross-encoder --data inspired --out FOLDER"
    if _test_path((folder / PARTS).is_file):
        return None
    if _test_path((folder / FILE).is_file):
        return f"this model labels sentences and belongs to --model; pair_model needs a pair classifier. {train}"
    return f"no pair classifier here (no {PARTS}). {train}"


def _test_path(asked: Callable[[], bool]) -> bool:
    """Result of a path test; False for names that are too long and for inaccessible folders."""
    try:
        return asked()
    except OSError:
        return False
