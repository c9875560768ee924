"""``trialogue judge pairs``: a model's votes on dialogues of two systems, shown in both orders."""

import typer

from trialogue.cli.judging import options as given
from trialogue.cli.shared.inputs import DryRun, Limited, Mapped, ModelOptions, Out
from trialogue.cli.shared.progress import check_folder
from trialogue.options import Seed


def pairs(
    run: given.RunGiven,
    rubric: given.Rubric = None,
    model: given.Model = None,
    mapping: Mapped = None,
    dry_run: DryRun = False,
    i_may: given.IMay = False,
    limit: Limited = None,
    out: Out = given.OUT,
    options: ModelOptions = None,
    seed: Seed = 0,
    as_json: bool = False,
) -> None:
    """Let a language model compare dialogues of every pair of systems, in both orders."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.subjects.judging.commands.pairs import PREFERENCES, judge_pairs, prepare_pairs
    from trialogue.subjects.judging.pages.pairs import pairs_text
    from trialogue.workflows.mapped import with_mapping

    models = given.models_of(rubric, model, options, i_may=i_may, seed=seed, needed_by="pairs")
    assert models is not None
    check_folder(out)
    data = with_mapping(run, mapping)
    with given.limited_steps(out, limit) as tell:
        if dry_run:
            prepared = prepare_pairs(data, **models.settings(out))
            given.print_price(prepared.costs(), prepared.disclosure, as_json=as_json)
            return
        found = judge_pairs(*data, **models.settings(out), i_may=i_may, out=out, progress=tell)
    if as_json:
        typer.echo("\n".join(to_line(each) for each in found.tallies))
        return
    typer.echo(pairs_text(found.tallies, matched=found.matched))
    typer.echo(f"\nVotes: {out / PREFERENCES}")
