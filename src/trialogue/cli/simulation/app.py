"""The ``agents`` and ``users`` command groups."""

from trialogue.cli.shared.app import App
from trialogue.cli.simulation import agents, chat, passport, users

agents_app = App(help="Agents, the systems under test: check one, find out where it fails, chat with it, serve it.")
agents_app.command("check")(agents.check)
agents_app.command("debug")(agents.debug)
agents_app.command("chat")(chat.chat)
agents_app.command("serve")(agents.serve)
users_app = App(
    help="Simulated users: fit them on people's dialogues, and write their passport. To list them: trialogue list users."
)
users_app.command("passport")(passport.passport)
users_app.command("fit")(users.fit)
