"""``trialogue study``: assemble the study commands."""

from trialogue.cli.shared.app import App
from trialogue.cli.study import export, make, people, power, rate, recruit, report, serve, simulate, translations

app = App(help="Human studies: create, preview, serve, export, analyse.", no_args_is_help=True)
app.command("new")(make.new)
app.command("validate")(make.validate)
app.command("preview")(serve.preview)
app.command("simulate")(simulate.simulate)
app.command("power")(power.power)
app.command("serve")(serve.serve)
app.command("state")(people.state)
app.command("staff")(people.staff)
app.command("links")(people.links)
app.command("recruit")(recruit.recruit)
app.command("reconcile")(people.reconcile)
app.command("erase")(people.erase)
app.command("backup")(serve.backup)
app.command("restore")(serve.restore)
app.command("export")(export.export)
app.command("rate")(rate.rate)
app.command("report")(report.report)
app.command("translations")(translations.translations)
