"""Agents reached through a protocol: HTTP, a subprocess, socket.io, DialogueKit."""
