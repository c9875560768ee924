"""``trialogue strategies label``: label utterances, or find those that no strategy fits."""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from annotated_types import Ge, Le

from trialogue.cli.shared.app import reads
from trialogue.cli.shared.inputs import DryRun, Mapped, PairModel, Workers, check_inputs, workers_of
from trialogue.cli.shared.parameters import Given
from trialogue.cli.shared.progress import refuse_input, steps
from trialogue.cli.shared.results import print_repairs
from trialogue.cli.strategies.training import cost_lines, usage_lines
from trialogue.errors import UsageError
from trialogue.options import AnyLanguage, Help, Seed, Setting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialogue.inputs.locations import Input, Named
    from trialogue.strategies.classifiers.llm_labeller import LlmLabeller
    from trialogue.strategies.evaluation.coverage import Coverage
    from trialogue.strategies.labelling import Options
    from trialogue.strategies.models import Model as StrategyModel


def _check(given: Given) -> Iterator[str]:
    from trialogue.strategies.classifiers.llm_labeller import is_language_model

    if not given["coverage"]:
        yield from given.why_unused("Labelling without --coverage", "threshold groups as_json seed")
        return
    is_asked = given["model"] and is_language_model(given["model"])
    unused = "target dry_run abstain situations pair_model"
    yield from given.why_unused("--coverage", f"{unused} model" if is_asked else unused)


@reads(check=_check)
def label(
    source: str,
    target: Path | None = None,
    *,
    model: str | None = None,
    situations: Annotated[list[str] | None, Help(flags=("--situations", "-s"))] = None,
    mapping: Mapped = None,
    jobs: Workers = "1",
    dry_run: DryRun = False,
    coverage: bool = False,
    abstain: Annotated[float | None, Ge(0), Le(1), Setting("Omit labels with a probability below this value.")] = None,
    any_language: AnyLanguage = False,
    pair_model: PairModel = None,
    threshold: Annotated[float | None, Ge(0), Le(1), Setting()] = None,
    groups: Annotated[int, Ge(1), Setting("--coverage: maximum number of groups to show.")] = 5,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Label the system's utterances with strategies, probabilities and origin. Labels by people are kept.

    Args:
        source: A corpus or a file of dialogues, situations or responses.
        target: Output file in Trialogue's JSON Lines (default: NAME.labelled.jsonl next to the input).
        model: Folder of a model (default: the bundled model), or a language model: llm:FILE.yaml, llm:openai:MODEL,
            llm:huggingface:FOLDER, llm:FOLDER of a calibrated one.
        situations: Situations that the responses answer, if in another file.
        coverage: Write no labels: print system behavior outside the 13 strategies, in groups with examples.
        threshold: --coverage: minimum probability for a strategy to fit (default: the model's threshold).
    """
    from trialogue.dask_cluster import Workers as Processes
    from trialogue.inputs.locations import resolve
    from trialogue.strategies.classifiers.llm_labeller import is_language_model
    from trialogue.strategies.labelling import Options
    from trialogue.strategies.pairs.crossencoder import CrossEncoder
    from trialogue.subjects.alignment.commands.align import find_model
    from trialogue.subjects.alignment.commands.write_labels import write_labels
    from trialogue.subjects.alignment.labelling import language_model
    from trialogue.workflows.mapped import with_mapping

    asked = language_model.find_language_model(model) if model and is_language_model(model) else None
    read = [source, *(situations or ())]
    check_inputs(read, model=None if asked else model, pair_model=pair_model)
    options = Options(abstain=abstain, any_language=any_language)
    answered = with_mapping(situations or (), mapping)
    mapped = source if mapping is None else resolve(source, mapping=mapping)
    if coverage:
        _print_coverage(
            with_mapping([source], mapping), find_model(model), threshold, groups, any_language, seed, as_json
        )
        return
    if dry_run:
        _print_cost(asked, mapped, options, answered)
        return
    out = _new_name(resolve(source)) if target is None else target
    refuse_input(out, read)
    with steps() as tell:
        labeller = find_model(model) if asked is None else asked
        classifier = None if pair_model is None else CrossEncoder.load(pair_model)
        tell(f"labelling with {labeller.origin}")
        if classifier is not None:
            tell(f"pairs are judged by {classifier.origin}")
        made = write_labels(
            mapped, out, labeller, options=options, situations=answered, classifier=classifier, model=model,
            workers=Processes(**workers_of(jobs)),
        )  # fmt: skip
    believed = "" if classifier is None else f", {made.beliefs} of {made.responses} responses with pair probabilities"
    typer.echo(f"{out}: {made.records} records{believed}")
    if asked is not None:
        for line in usage_lines(language_model.raw_labeller(asked)):
            typer.echo(line)


def _print_cost(
    labeller: "LlmLabeller | StrategyModel | None", source: "Named", options: "Options", situations: "Sequence[Named]"
) -> None:
    """Cost of labelling a source; UsageError for a labeller that costs nothing."""
    from trialogue.subjects.alignment.labelling.language_model import labelling_cost, raw_labeller

    if labeller is None:
        raise UsageError("--dry-run is for language models (--model llm:...); other models cost nothing.")
    asked = raw_labeller(labeller).options
    for line in cost_lines(
        labelling_cost(source, labeller, options=options, situations=situations), asked.model, asked.place
    ):
        typer.echo(line)


def _new_name(given: "Input") -> Path:
    """Default path of labelled records; UsageError if it exists."""
    out = _labelled_name(given)
    if out.exists():
        raise UsageError(f"{out} exists already. To overwrite it, name it: trialogue strategies label ... {out}")
    return out


def _labelled_name(given: "Input") -> Path:
    """``NAME.labelled.jsonl`` beside a file or folder, and in this folder for a corpus.

    Of a file's name only its ending goes, and that of its compression: what is left tells versions apart.

    >>> from trialogue.inputs.inputs import Input
    >>> _labelled_name(Input("b=x/gpt-4.1.jsonl.gz", Path("x/gpt-4.1.jsonl.gz"), system="b")).as_posix()
    'x/gpt-4.1.labelled.jsonl'
    """
    from trialogue.records.files.opening import path_uncompressed

    path = Path(given.given) if given.corpus is not None else given.path
    if given.corpus is None and path.is_dir():
        path = path.resolve()  # the current folder has a name only so
        return path.parent / f"{path.name}.labelled.jsonl"
    plain = path_uncompressed(path)
    return plain.with_name(f"{plain.stem}.labelled.jsonl")


def _print_coverage(
    given: "Sequence[Named]", labeller: "StrategyModel", threshold: float | None, groups: int, any_language: bool, seed: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Print system behavior that fits none of the strategies; as JSON, one object per system and line."""
    from trialogue.datasets import Repairs
    from trialogue.inputs.locations import records_of
    from trialogue.strategies.evaluation.coverage import coverage_of

    with steps() as tell:
        tell(f"asking {labeller.origin}")
        repairs = Repairs()
        records = chain.from_iterable(records_of(each, repairs) for each in given)
        found = coverage_of(records, labeller, threshold=threshold, groups=groups, any_language=any_language, seed=seed)
        print_repairs(repairs, tell)
    for each in found:
        if as_json:
            typer.echo(json.dumps(each.to_json(), ensure_ascii=False))
        else:
            _show_coverage(each)


def _show_coverage(found: "Coverage") -> None:
    from trialogue.strategies.card import number

    typer.echo(f"{found.system or 'unnamed'}: {found.responses} responses, {found.sentences} sentences")
    typer.echo(
        f"  fit none of the 13: responses {number(found.uncovered)}, sentences {number(found.uncovered_sentences)}"
    )
    typer.echo(
        f"  of those: chit-chat such as greetings and thanks {number(found.talk)}, uncertain {number(found.other)}"
    )
    typer.echo(
        f"  (of sentences that people labelled with a strategy, a share of {found.expected:.3f} would be counted "
        "as fitting none)"
    )
    for group in found.groups:
        typer.echo(f"  {group.n:4} x, nearest {group.nearest}: {group.examples[0]}")
