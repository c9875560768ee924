"""Command groups whose main command needs no word of its own."""

from typing import Any

from typer.core import TyperGroup


class DefaultGroup(TyperGroup):
    """A group whose first command is meant where the first word names none: ``judge RUN`` is ``judge systems RUN``.

    A file whose name is that of a command is given as a path: ``judge ./plan``.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.ignore_unknown_options = True  # options before the first argument belong to the first command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the words call, its name, and the words that are left for it."""
        if args and args[0] not in self.commands:
            args = [next(iter(self.commands)), *args]
        return super().resolve_command(ctx, args)
