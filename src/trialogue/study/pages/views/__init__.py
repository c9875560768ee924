"""Views of participants: each module parses one kind of request, calls a service, and shows what came of it."""
