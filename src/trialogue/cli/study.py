"""``trialogue study``: each word in a module of its own; this one only puts them together."""

import typer

from trialogue.cli import (
    study_export,
    study_make,
    study_people,
    study_power,
    study_report,
    study_serve,
    study_simulate,
)

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
