"""``trialogue judge pairs``: a model's votes on dialogues of two systems, shown in both orders."""

import typer

from trialogue.cli.judging import options as given
from trialogue.cli.shared.inputs import Mapped
from trialogue.cli.shared.progress import check_folder
from trialogue.options import MaxCalls, MaxCost, MaxTokens, Seed


def pairs(
    run: given.RunGiven,
    rubric: given.Rubric = None,
    model: given.Model = None,
    model_option: given.ModelOption = None,
    mapping: Mapped = None,
    dry_run: given.DryRun = False,
    i_may: given.IMay = False,
    max_cost: MaxCost | None = None,
    max_calls: MaxCalls | None = None,
    max_tokens: MaxTokens | None = None,
    seed: Seed = 0,
    out: given.Out = given.OUT,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Let a language model compare dialogues of every pair of systems, in both orders."""
    from trialogue.records.files.jsonl import to_line
    from trialogue.report.judging.pairs import pairs_text
    from trialogue.workflows.judging.pairs import PREFERENCES, judge_pairs, prepare_pairs
    from trialogue.workflows.mapped import with_mapping

    models = given.needed_models("pairs", rubric, model, model_option, i_may=i_may, seed=seed)
    check_folder(out)
    data = with_mapping(run, mapping)
    with given.limited_steps(out, quiet=quiet, max_cost=max_cost, max_calls=max_calls, max_tokens=max_tokens) as tell:
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
