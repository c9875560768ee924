"""A simulated study in a process of its own: ``python -m trialogue.study.bots ROOM``, as ``simulation`` starts it."""

import sys
from pathlib import Path

from trialogue.study.bots.child import run

if __name__ == "__main__":
    run(Path(sys.argv[1]))
