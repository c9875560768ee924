"""``trialogue study``: each word in a module of its own; this one only puts them together."""

import typer

from trialogue.cli.study import export as study_export
from trialogue.cli.study import make as study_make
from trialogue.cli.study import people as study_people
from trialogue.cli.study import power as study_power
from trialogue.cli.study import report as study_report
from trialogue.cli.study import serve as study_serve
from trialogue.cli.study import simulate as study_simulate

app = typer.Typer(
    help="Human studies: make one, look at it, serve it, export and report what came of it.", no_args_is_help=True
)
app.command("new")(study_make.new)
app.command("validate")(study_make.validate)
app.command("preview")(study_serve.preview)
app.command("simulate")(study_simulate.simulate)
app.command("power")(study_power.power)
app.command("serve")(study_serve.serve)
app.command("state")(study_people.state)
app.command("staff")(study_people.staff)
app.command("links")(study_people.links)
app.command("reconcile")(study_people.reconcile)
app.command("erase")(study_people.erase)
app.command("backup")(study_serve.backup)
app.command("export")(study_export.export)
app.command("report")(study_report.report)
