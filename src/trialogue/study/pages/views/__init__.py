"""Participant views: each module parses one kind of request, calls a service and renders the result."""
