"""Command line: each command parses its options, imports the package that does the work, calls one function and prints.

Data go to stdout, progress and warnings to stderr.
"""

import gc
import os
import sys


def main() -> None:
    """The command ``trialogue``: exit code 0, 2 for errors that the user can fix, 130 when interrupted."""
    from trialogue.cli.app import app
    from trialogue.errors import TrialogueError
    from trialogue.long_work import few_collections

    if "" not in sys.path and (here := os.getcwd()) not in sys.path:  # noqa: PTH109 - sys.path holds texts
        sys.path.append(here)  # so that 'my_module:Name' means the module in this folder
    try:
        with few_collections():
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
    finally:
        gc.freeze()  # the process ends: what it holds need not be looked through once more, which takes a tenth
