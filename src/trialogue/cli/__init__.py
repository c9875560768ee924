"""Words to calls: parse, import the room, call one function, print. Data on stdout, talk on stderr."""

import sys


def main() -> None:
    """The command ``trialogue``: exit code 0, 2 for what its user can put right, 130 when interrupted."""
    from trialogue.cli.app import app
    from trialogue.errors import TrialogueError

    try:
        app()
    except TrialogueError as error:
        print(f"error: {error}", file=sys.stderr)  # noqa: T201 - the one place where errors meet the user
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
