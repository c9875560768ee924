"""The ``judge`` command group: judge systems, plan labels, probe models, compare pairs."""

from trialogue.cli.judging import pairs, plan, probe, systems
from trialogue.cli.shared.app import App
from trialogue.cli.shared.groups import DefaultGroup

app = App(
    cls=DefaultGroup,
    help="Judge systems with a language model or any column of scores, and correct the judge with a few human labels.",
    no_args_is_help=True,
)
app.command("systems")(systems.judge)
app.command("plan")(plan.plan)
app.command("probe")(probe.probe)
app.command("pairs")(pairs.pairs)
