"""The real one's class stands in a module that its package does not export."""

from dialoguekit.core import DialogueAct as DialogueAct  # type: ignore[import-not-found]
