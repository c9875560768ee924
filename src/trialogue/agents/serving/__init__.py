"""Serve any agent over HTTP, stdin/stdout or socket.io."""
