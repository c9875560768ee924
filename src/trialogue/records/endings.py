"""Why a dialogue ended (``Dialogue.ended_by``), as whoever held it writes it down."""

AGENDA_EMPTY, USER_GAVE_UP = "agenda_empty", "user_gave_up"
"""Reasons of the user: everything was done that was meant to be done; or too many replies in a row were of no use."""

AGENT_ENDED, TURN_LIMIT, TIMEOUT, AGENT_ERROR = "agent_ended", "turn_limit", "timeout", "agent_error"
"""Reasons of the talk: the agent ended it; it grew too long; the agent did not answer in time; or failed otherwise."""

LOST = "lost"
"""The process that held it died each time."""

ENDINGS = (AGENDA_EMPTY, USER_GAVE_UP, AGENT_ENDED, TURN_LIMIT, TIMEOUT, AGENT_ERROR, LOST)
"""All of them; a user made by somebody else may stop with a word of their own."""

FAILURES = frozenset({AGENT_ERROR, TIMEOUT, LOST})
"""Those that are failures of the agent; they are records like all others, and counted."""
