"""``trialogue study``: assemble the study commands."""

from trialogue.cli.shared.app import App
from trialogue.cli.study import export, make, people, power, rate, recruit, report, serve, simulate

app = App(
    help="Human studies: create, preview, serve, export, analyse. To check a study folder: trialogue check FOLDER."
)
app.command("new")(make.new)
app.command("simulate")(simulate.simulate)
app.command("power")(power.power)
app.command("serve")(serve.serve)
app.command("state")(people.state)
app.command("staff")(people.staff)
app.command("recruit")(recruit.recruit)
app.command("erase")(people.erase)
app.command("backup")(serve.backup)
app.command("restore")(serve.restore)
app.command("export")(export.export)
app.command("rate")(rate.rate)
app.command("report")(report.report)
