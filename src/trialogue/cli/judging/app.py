"""The ``judge`` command group: judge systems, plan labels, probe models, compare pairs, train a judge."""

from trialogue.cli.judging import pairs, plan, probe, systems, train
from trialogue.cli.shared.app import App
from trialogue.cli.shared.groups import DefaultGroup

app = App(
    cls=DefaultGroup,
    help="Judge systems with a language model or any column of scores, and correct the judge with a few human labels.",
)
app.command("systems")(systems.judge)
app.command("plan")(plan.plan)
app.command("probe")(probe.probe)
app.command("pairs")(pairs.pairs)
app.command("train")(train.train)
