"""Groups of commands: former names are explained, and the main command of some groups needs no word of its own."""

from typing import Any

from typer.core import TyperGroup

from trialogue.cli.shared.renamed import COMMANDS


def path_of(ctx: Any) -> list[str]:
    """The words that lead to a command, without that of the program."""
    return [] if ctx.parent is None else [*path_of(ctx.parent), str(ctx.info_name)]


class Group(TyperGroup):
    """A group that says what a command is called now that had another name."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the words call, its name, and the words that are left for it."""
        from trialogue.errors import UsageError

        if args and args[0] not in self.commands:
            for count in (3, 2, 1):
                if now := COMMANDS.get(" ".join([*path_of(ctx), *args[:count]])):
                    raise UsageError(f"That is now: trialogue {now}")
        return super().resolve_command(ctx, args)


class DefaultGroup(Group):
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
