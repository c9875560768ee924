"""Agents behind a protocol: HTTP, a command, socket.io, DialogueKit."""
